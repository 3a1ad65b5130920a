// Next step of a Deployment: create or find the current ReplicaSet, scale the sets, delete old ones and update the
// status.
// Source: k8s.io/kubernetes/pkg/controller/deployment/deployment_controller.go.
import type { JsonObject } from '../../../base/json.ts'
import { integerAt, structAt, textAt } from '../../built-in/field-walk.ts'
import { isTerminating, metadataNumber, metadataText } from '../../metadata.ts'
import {
  allowedReplicas,
  type DeploymentSets,
  isScaled,
  nameOf,
  proportionalStep,
  rollingStep,
  type Scaling,
} from './deployment-scaling.ts'
import {
  asCurrent,
  currentSet,
  isPaused,
  isRolling,
  newSet,
  nextRevision,
  revisionOfSet,
  scaled,
} from './deployment-sets.ts'
import {
  conditionsOf,
  deadlineMs,
  deploymentStatus,
  hasDeadline,
  isComplete,
  progressingOf,
  withProgressing,
} from './deployment-status.ts'
import type { Report } from './event-recorder.ts'
import { desiredReplicas } from './replica-set-plan.ts'

export interface DeploymentFacts {
  readonly deployment: JsonObject
  readonly sets: readonly JsonObject[]
  /** True while pods of old sets run. Called only for the strategy Recreate. */
  readonly runsOldPods: (current: JsonObject | undefined) => boolean
  readonly nowMs: number
  readonly timestamp: string
}

export interface DeploymentPlan {
  readonly create: JsonObject | undefined
  /** Existing sets in their desired state. */
  readonly update: readonly JsonObject[]
  readonly remove: readonly JsonObject[]
  readonly reports: readonly Report[]
  /** Revision of the current set, for the Deployment's annotation; undefined without a current set. */
  readonly revision: number | undefined
  readonly status: JsonObject
  readonly againAfterMs: number | undefined
}

export function deploymentPlan(facts: DeploymentFacts): DeploymentPlan {
  const { deployment, sets } = facts
  const found = currentSet(deployment, sets)
  const olds = sets.filter((set) => set !== found)
  const revision = nextRevision(olds)
  const current = found === undefined || isTerminating(deployment) ? found : asCurrent(found, deployment, revision)
  const view: DeploymentSets = { deployment, current, olds }
  const builder = new PlanBuilder(facts, view, found)
  if (isTerminating(deployment)) return builder.plan({ isRollout: false })
  if (isPaused(deployment) || isScaled(view)) {
    builder.scale(proportionalStep(view))
    if (isPaused(deployment)) builder.cleanUp()
    return builder.plan({ isRollout: false })
  }
  if (isRolling(deployment)) {
    if (current === undefined) builder.create(allowedReplicas(view, 0), revision)
    else if (!builder.scale(rollingStep({ ...view, current }))) builder.cleanUpIfComplete()
    return builder.plan({ isRollout: true })
  }
  const shrinking = olds.filter((set) => desiredReplicas(set) > 0).map((set) => ({ set, replicas: 0 }))
  if (builder.scale(shrinking) || runsOlds(view, facts)) return builder.plan({ isRollout: true })
  const desired = desiredReplicas(deployment)
  if (current === undefined) builder.create(desired, revision)
  else {
    builder.scale(desiredReplicas(current) === desired ? [] : [{ set: current, replicas: desired }])
    builder.cleanUpIfComplete()
  }
  return builder.plan({ isRollout: true })
}

function runsOlds({ current, olds }: DeploymentSets, { runsOldPods }: DeploymentFacts): boolean {
  return olds.some((set) => integerAt(structAt(set, 'status'), 'replicas') > 0) || runsOldPods(current)
}

class PlanBuilder {
  readonly #facts: DeploymentFacts
  readonly #view: DeploymentSets
  readonly #updates = new Map<string, JsonObject>()
  readonly #reports: Report[] = []
  #removed: readonly JsonObject[] = []
  #created: JsonObject | undefined

  constructor(facts: DeploymentFacts, view: DeploymentSets, found: JsonObject | undefined) {
    this.#facts = facts
    this.#view = view
    if (view.current !== undefined && view.current !== found) this.#updates.set(nameOf(view.current), view.current)
  }

  create(replicas: number, revision: number): void {
    this.#created = newSet(this.#facts.deployment, { replicas, revision })
    if (replicas > 0) this.#report('up', this.#created, [0, replicas])
  }

  /** Records the scalings. Returns true if any size changes. */
  scale(scalings: readonly Scaling[]): boolean {
    let isChanged = false
    for (const { set, replicas, isForced = false } of scalings) {
      const before = desiredReplicas(set)
      if (before === replicas && !isForced) continue
      const after = scaled(set, replicas, this.#facts.deployment)
      if (after !== set) this.#updates.set(nameOf(set), after)
      if (before === replicas) continue
      isChanged = true
      this.#report(before < replicas ? 'up' : 'down', set, [before, replicas])
    }
    return isChanged
  }

  cleanUpIfComplete(): void {
    const { deployment } = this.#facts
    if (isComplete(deployment, structAt(deployment, 'status'))) this.cleanUp()
  }

  /** Deletes the oldest empty sets above `revisionHistoryLimit`. */
  cleanUp(): void {
    const limit = integerAt(structAt(this.#facts.deployment, 'spec'), 'revisionHistoryLimit')
    const alive = this.#view.olds.filter((set) => !isTerminating(set))
    const surplus = [...alive]
      .sort((left, right) => revisionOfSet(left) - revisionOfSet(right))
      .slice(0, Math.max(0, alive.length - limit))
    this.#removed = surplus.filter((set) => {
      const status = structAt(set, 'status')
      const isObserved = integerAt(status, 'observedGeneration') >= (metadataNumber(set, 'generation') ?? 0)
      return integerAt(status, 'replicas') === 0 && desiredReplicas(set) === 0 && isObserved
    })
  }

  plan({ isRollout }: { readonly isRollout: boolean }): DeploymentPlan {
    const { deployment, nowMs, timestamp } = this.#facts
    const now = (set: JsonObject) => this.#updates.get(nameOf(set)) ?? set
    const current = this.#created ?? (this.#view.current === undefined ? undefined : now(this.#view.current))
    const facts = { deployment, current, olds: this.#view.olds.map(now), nowMs, timestamp, isRollout }
    const status = deploymentStatus(facts, this.#conditions(current))
    return {
      create: this.#created,
      update: [...this.#updates.values()],
      remove: this.#removed,
      reports: this.#reports,
      revision: current === undefined ? undefined : revisionOfSet(current),
      status,
      againAfterMs: isRollout ? deadlineMs(deployment, status, nowMs) : undefined,
    }
  }

  /** Returns the conditions about progress, before the counts are known. */
  #conditions(current: JsonObject | undefined): readonly JsonObject[] {
    const { deployment, timestamp } = this.#facts
    const conditions = conditionsOf(deployment)
    if (!hasDeadline(deployment) || isTerminating(deployment)) return conditions
    const told = progressingOf(conditions)
    const wasPaused = textAt(told, 'reason') === 'DeploymentPaused'
    const say = (status: 'True' | 'Unknown', reason: string, message: string) =>
      withProgressing({ timestamp }, conditions, { status, reason, message })
    if (isPaused(deployment) && !wasPaused && textAt(told, 'reason') !== 'ProgressDeadlineExceeded')
      return say('Unknown', 'DeploymentPaused', 'Deployment is paused')
    if (!isPaused(deployment) && wasPaused) return say('Unknown', 'DeploymentResumed', 'Deployment is resumed')
    if (this.#created !== undefined)
      return say('True', 'NewReplicaSetCreated', `Created new replica set "${nameOf(this.#created)}"`)
    if (told === undefined && current !== undefined)
      return say('True', 'FoundNewReplicaSet', `Found new replica set "${metadataText(current, 'name')}"`)
    return conditions
  }

  #report(direction: 'up' | 'down', set: JsonObject, [from, to]: readonly [number, number]): void {
    const message = `Scaled ${direction} replica set ${nameOf(set)} from ${from} to ${to}`
    this.#reports.push({ type: 'Normal', reason: 'ScalingReplicaSet', message })
  }
}
