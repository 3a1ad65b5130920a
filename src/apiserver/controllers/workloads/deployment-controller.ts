// Deployment controller: rolls a Deployment out over its ReplicaSets. Source:
// k8s.io/kubernetes/pkg/controller/deployment.
import { type Clock, timestampOf } from '../../../base/clock.ts'
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import { integerAt, mapAt, structAt, withField } from '../../built-in/field-walk.ts'
import { LabelMatcher } from '../../built-in/label-selector.ts'
import { labelsOf, metadataOf, metadataText, withMetadata } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import { StatusError } from '../../status-error.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { deploymentPlan } from './deployment-plan.ts'
import { revisionAnnotation } from './deployment-sets.ts'
import { conditionsOf, hasDeadline, withProgressing } from './deployment-status.ts'
import { EventRecorder } from './event-recorder.ts'
import { KindClient, keyOf } from './kind-client.ts'
import { controllerKeys, controllerOf, isOrphan, membershipOf, settleMembership } from './membership.ts'
import { isNamespaceGoing } from './pod-maker.ts'
import { isFinished } from './pod-state.ts'

export class DeploymentController implements ServerController {
  readonly name = 'deployment-controller'
  readonly #clock: Clock
  readonly #deployments: KindClient
  readonly #sets: KindClient
  readonly #pods: KindClient
  readonly #events: EventRecorder

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#clock = clock
    this.#deployments = new KindClient(client, 'apps/v1', 'Deployment')
    this.#sets = new KindClient(client, 'apps/v1', 'ReplicaSet')
    this.#pods = new KindClient(client, 'v1', 'Pod')
    this.#events = new EventRecorder({ client, clock, component: this.name })
  }

  keysFor(entry: LogEntry): readonly string[] {
    const { shelf, namespace, name } = entry.place
    if (shelf === 'deployments.apps') return [`${namespace}/${name}`]
    // A Recreate rollout may wait for the last pod of an old set.
    if (shelf === 'pods') return entry.kind === 'deleted' ? this.#keysOfPod(entry.now.object) : []
    if (shelf !== 'replicasets.apps') return []
    const keys = controllerKeys(entry, 'apps/v1', 'Deployment')
    if (!isOrphan(entry)) return keys
    const set = entry.now.object
    return [
      ...keys,
      ...this.#deployments
        .perhapsChoosing(set)
        .filter((one) => chooses(one, set))
        .map(keyOf),
    ]
  }

  reconcile(key: string): number | undefined {
    const deployment = this.#deployments.at(key)
    if (deployment === undefined) return undefined
    const membership = membershipOf(deployment, this.#sets.candidatesOf(deployment), (set) => chooses(deployment, set))
    const sets = settleMembership(this.#sets, deployment, membership)
    const timestamp = timestampOf(this.#clock)
    const plan = deploymentPlan({
      ...{ deployment, sets, timestamp, nowMs: this.#clock.now() },
      runsOldPods: (current) => this.#runsOldPods(sets, current),
    })
    if (plan.create !== undefined && !this.#create(deployment, plan.create)) return undefined
    for (const set of plan.update) this.#sets.update(set, () => set)
    for (const report of plan.reports) this.#events.record(deployment, report)
    for (const set of plan.remove) this.#sets.delete(set)
    this.#deployments.updateStatus(deployment, (live) => {
      const revised = plan.revision === undefined ? live : withRevision(live, plan.revision)
      return deepEqual(mapAt(live, 'status'), plan.status) ? revised : withField(revised, 'status', plan.status)
    })
    return plan.againAfterMs
  }

  /** Returns false if the set was not created and needs no immediate retry. */
  #create(deployment: JsonObject, set: JsonObject): boolean {
    const namespace = metadataText(deployment, 'namespace')
    if (this.#sets.get(namespace, metadataText(set, 'name')) !== undefined) {
      // Another template has the same hash: `collisionCount` goes into the next hash.
      this.#deployments.updateStatus(deployment, (live) => {
        const status = mapAt(live, 'status')
        return withField(live, 'status', withField(status, 'collisionCount', integerAt(status, 'collisionCount') + 1))
      })
      return false
    }
    try {
      this.#sets.create(namespace, set)
      return true
    } catch (thrown) {
      if (!(thrown instanceof StatusError)) throw thrown
      if (isNamespaceGoing(thrown)) return false
      this.#reportFailure(deployment, set, thrown)
      throw thrown
    }
  }

  #reportFailure(deployment: JsonObject, set: JsonObject, { parts }: StatusError): void {
    const reason = 'ReplicaSetCreateError'
    const message = `Failed to create new replica set "${metadataText(set, 'name')}": ${parts.message}`
    if (hasDeadline(deployment))
      this.#deployments.updateStatus(deployment, (live) => {
        const timestamp = timestampOf(this.#clock)
        const claim = { status: 'False', reason, message } as const
        const conditions = withProgressing({ timestamp }, conditionsOf(live), claim)
        return withField(live, 'status', withField(mapAt(live, 'status'), 'conditions', conditions))
      })
    this.#events.warning(deployment, reason, message)
  }

  #runsOldPods(sets: readonly JsonObject[], current: JsonObject | undefined): boolean {
    const uid = current === undefined ? '' : metadataText(current, 'uid')
    const olds = new Set(sets.map((set) => metadataText(set, 'uid')).filter((one) => one !== uid))
    return [...olds].some((old) => this.#pods.controlledBy(old).some((pod) => !isFinished(pod)))
  }

  #keysOfPod(pod: JsonObject): readonly string[] {
    const owner = controllerOf(pod)
    if (owner?.kind !== 'ReplicaSet') return []
    const namespace = metadataText(pod, 'namespace')
    const set = this.#sets.get(namespace, owner.name)
    const deployment = set === undefined ? undefined : controllerOf(set)
    return deployment?.kind === 'Deployment' ? [`${namespace}/${deployment.name}`] : []
  }
}

function withRevision(deployment: JsonObject, revision: number): JsonObject {
  const annotations = mapAt(metadataOf(deployment), 'annotations')
  if (annotations[revisionAnnotation] === String(revision)) return deployment
  return withMetadata(deployment, { annotations: { ...annotations, [revisionAnnotation]: String(revision) } })
}

function chooses(deployment: JsonObject, set: JsonObject): boolean {
  return LabelMatcher.of(structAt(structAt(deployment, 'spec'), 'selector'))?.matches(labelsOf(set)) ?? false
}
