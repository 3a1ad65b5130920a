// StatefulSet controller: keeps the pods and claims of each ordinal. Source:
// k8s.io/kubernetes/pkg/controller/statefulset.
import { assert } from '../../../base/assert.ts'
import type { Clock } from '../../../base/clock.ts'
import type { JsonObject } from '../../../base/json.ts'
import { integerAt, structAt, textAt, withField } from '../../built-in/field-walk.ts'
import { LabelMatcher } from '../../built-in/label-selector.ts'
import { isTerminating, labelsOf, metadataText, withMetadata } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import { plainError, StatusError } from '../../status-error.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { isForeign, retainingOwners } from './claim-retention.ts'
import { EventRecorder } from './event-recorder.ts'
import { KindClient, keyOf } from './kind-client.ts'
import { controllerKeys, isOrphan, membershipOf, settleMembership } from './membership.ts'
import { isNamespaceGoing } from './pod-maker.ts'
import { nextAvailabilityMs } from './pod-state.ts'
import { inOrder, revisionStep, staleRevisions } from './revision-history.ts'
import { minReadySecondsOf, type SetAction, statefulSetPlan, withSetStatus } from './stateful-set-plan.ts'
import { claimsOf, ordinalOf, repaired, revisionOf } from './stateful-set-pods.ts'

export class StatefulSetController implements ServerController {
  readonly name = 'statefulset-controller'
  readonly #clock: Clock
  readonly #sets: KindClient
  readonly #pods: KindClient
  readonly #claims: KindClient
  readonly #revisions: KindClient
  readonly #events: EventRecorder

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#clock = clock
    this.#sets = new KindClient(client, 'apps/v1', 'StatefulSet')
    this.#pods = new KindClient(client, 'v1', 'Pod')
    this.#claims = new KindClient(client, 'v1', 'PersistentVolumeClaim')
    this.#revisions = new KindClient(client, 'apps/v1', 'ControllerRevision')
    this.#events = new EventRecorder({ client, clock, component: this.name })
  }

  keysFor(entry: LogEntry): readonly string[] {
    const { shelf, namespace, name } = entry.place
    if (shelf === 'statefulsets.apps') return [`${namespace}/${name}`]
    if (shelf !== 'pods') return []
    const keys = controllerKeys(entry, 'apps/v1', 'StatefulSet')
    if (!isOrphan(entry)) return keys
    const pod = entry.now.object
    const choosing = this.#sets.perhapsChoosing(pod).filter((set) => chooses(set, pod))
    return [...keys, ...choosing.map(keyOf)]
  }

  reconcile(key: string): number | undefined {
    const set = this.#sets.at(key)
    if (set === undefined) return undefined
    const namespace = metadataText(set, 'namespace')
    const ofSet = membershipOf(set, this.#pods.candidatesOf(set), (pod) => chooses(set, pod))
    const pods = settleMembership(this.#pods, set, ofSet)
    const matcher = matcherOf(set)
    const ofHistory = membershipOf(
      set,
      this.#revisions.candidatesOf(set),
      (one) => matcher?.matches(labelsOf(one)) ?? false,
    )
    const history = settleMembership(this.#revisions, set, { ...ofHistory, released: [] })
    const { update, collisionCount } = this.#updateRevision(set, history)
    const currentName = textAt(structAt(set, 'status'), 'currentRevision')
    const current = history.find((revision) => metadataText(revision, 'name') === currentName) ?? update
    const claim = (name: string) => this.#claims.get(namespace, name)
    const nowMs = this.#clock.now()
    const plan = statefulSetPlan({ set, pods, current, update, collisionCount, claim, nowMs })
    const failure = this.#carryOut(set, plan.actions)
    this.#sets.updateStatus(set, (live) => withSetStatus(live, plan.status))
    const inUse = new Set([...[current, update].map((one) => metadataText(one, 'name')), ...pods.map(revisionOf)])
    const limit = integerAt(structAt(set, 'spec'), 'revisionHistoryLimit')
    for (const revision of staleRevisions(history, { inUse, limit })) this.#revisions.delete(revision)
    if (failure !== undefined && !isNamespaceGoing(failure)) throw failure
    return nextAvailabilityMs(pods, minReadySecondsOf(set), nowMs)
  }

  #updateRevision(set: JsonObject, history: readonly JsonObject[]) {
    const namespace = metadataText(set, 'namespace')
    const collisionCount = integerAt(structAt(set, 'status'), 'collisionCount')
    const newest = inOrder(history).at(-1)
    // A set that is being deleted creates no revisions.
    if (isTerminating(set) && newest !== undefined) return { update: newest, collisionCount }
    const step = revisionStep(set, history, (name) => this.#revisions.get(namespace, name) !== undefined)
    switch (step.kind) {
      case 'keep':
        return { update: step.revision, collisionCount }
      case 'renumber': {
        const update = this.#revisions.update(step.revision, (live) => withField(live, 'revision', step.number))
        return { update, collisionCount }
      }
      case 'create':
        return {
          update: this.#revisions.create(namespace, step.revision),
          collisionCount: step.collisionCount,
        }
    }
  }

  /** Carries out the actions; returns the failure. */
  #carryOut(set: JsonObject, actions: readonly SetAction[]): StatusError | undefined {
    for (const action of actions) {
      const failure = this.#do(set, action)
      if (failure !== undefined) return failure
    }
    return undefined
  }

  #do(set: JsonObject, action: SetAction): StatusError | undefined {
    switch (action.kind) {
      case 'create':
        return this.#reported(set, action.pod, 'Create', () => {
          this.#ensureClaims(set, action.pod, action.ordinal)
          const pod = this.#pods.create(metadataText(set, 'namespace'), action.pod)
          this.#retainClaims(set, pod)
        })
      case 'claim':
        return attempt(() => {
          this.#ensureClaims(set, action.pod, action.ordinal)
          this.#retainClaims(set, action.pod)
        })
      case 'repair':
        return this.#reported(set, action.pod, 'Update', () => {
          this.#ensureClaims(set, action.pod, ordinalOf(set, action.pod) ?? -1)
          this.#retainClaims(set, action.pod)
          this.#pods.update(action.pod, (live) => repaired(set, live))
        })
      case 'retain':
        return attempt(() => this.#retainClaims(set, action.pod))
      case 'delete':
        return this.#reported(set, action.pod, 'Delete', () => this.#pods.delete(action.pod))
    }
  }

  #ensureClaims(set: JsonObject, pod: JsonObject, ordinal: number): void {
    const namespace = metadataText(set, 'namespace')
    const of = `Pod ${metadataText(pod, 'name')} in StatefulSet ${metadataText(set, 'name')}`
    for (const { name, claim } of claimsOf(set, ordinal)) {
      const live = this.#claims.get(namespace, name)
      if (live !== undefined && isTerminating(live)) throw plainError(`pvc ${name} is being deleted`)
      if (live !== undefined) continue
      const failure = attempt(() => this.#claims.create(namespace, claim))
      if (failure === undefined) this.#events.normal(set, 'SuccessfulCreate', `Create Claim ${name} ${of} success`)
      else {
        const message = `Create Claim ${name} for ${of} failed error: ${failure.parts.message}`
        this.#events.warning(set, 'FailedCreate', message)
        throw failure
      }
    }
  }

  #retainClaims(set: JsonObject, pod: JsonObject): void {
    for (const { name } of claimsOf(set, ordinalOf(set, pod) ?? -1)) {
      const claim = this.#claims.get(metadataText(set, 'namespace'), name)
      if (claim === undefined) continue
      if (isForeign(claim, set)) {
        const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`
        this.#events.warning(set, 'ConflictingController', message)
      }
      const owners = retainingOwners(claim, set, pod)
      if (owners === undefined) continue
      const ownerReferences = owners.length === 0 ? undefined : owners
      this.#claims.update(claim, (live) => withMetadata(live, { ownerReferences }))
    }
  }

  #reported(set: JsonObject, pod: JsonObject, verb: string, work: () => void): StatusError | undefined {
    const failure = attempt(work)
    const what = `${verb} Pod ${metadataText(pod, 'name')} in StatefulSet ${metadataText(set, 'name')}`
    if (failure === undefined) this.#events.normal(set, `Successful${verb}`, `${what} successful`)
    else this.#events.warning(set, `Failed${verb}`, `${what} failed error: ${failure.parts.message}`)
    return failure
  }
}

function attempt(work: () => void): StatusError | undefined {
  try {
    work()
    return undefined
  } catch (thrown) {
    assert(thrown instanceof StatusError, 'only what the server refuses is tried again')
    return thrown
  }
}

/** True for a member: a pod with the set's labels and a name of the set. */
function chooses(set: JsonObject, pod: JsonObject): boolean {
  return ordinalOf(set, pod) !== undefined && (matcherOf(set)?.matches(labelsOf(pod)) ?? false)
}

function matcherOf(set: JsonObject): LabelMatcher | undefined {
  return LabelMatcher.of(structAt(structAt(set, 'spec'), 'selector'))
}
