// ReplicaSet controller: keeps the desired number of pods. Source:
// k8s.io/kubernetes/pkg/controller/replicaset/replica_set.go.
import { type Clock, timestampOf } from '../../../base/clock.ts'
import type { JsonObject } from '../../../base/json.ts'
import { integerAt, structAt } from '../../built-in/field-walk.ts'
import { LabelMatcher } from '../../built-in/label-selector.ts'
import { isTerminating, labelsOf, metadataText } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import { StatusError } from '../../status-error.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { EventRecorder } from './event-recorder.ts'
import { KindClient, keyOf } from './kind-client.ts'
import { controllerKeys, controllerOf, isControlledBy, isOrphan, membershipOf, settleMembership } from './membership.ts'
import { PodMaker } from './pod-maker.ts'
import { isActive, isFinished, nextAvailabilityMs } from './pod-state.ts'
import { replicaPlan, withReplicaStatus } from './replica-set-plan.ts'
import { templatePod } from './template-pod.ts'

export class ReplicaSetController implements ServerController {
  readonly name = 'replicaset-controller'
  readonly #clock: Clock
  readonly #sets: KindClient
  readonly #pods: KindClient
  readonly #maker: PodMaker

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#clock = clock
    this.#sets = new KindClient(client, 'apps/v1', 'ReplicaSet')
    this.#pods = new KindClient(client, 'v1', 'Pod')
    this.#maker = new PodMaker(this.#pods, new EventRecorder({ client, clock, component: this.name }))
  }

  keysFor(entry: LogEntry): readonly string[] {
    if (entry.place.shelf === 'replicasets.apps') return [`${entry.place.namespace}/${entry.place.name}`]
    if (entry.place.shelf !== 'pods') return []
    const keys = controllerKeys(entry, 'apps/v1', 'ReplicaSet')
    return isOrphan(entry) ? [...keys, ...this.#keysOfChoosing(entry.now.object)] : keys
  }

  reconcile(key: string): number | undefined {
    const set = this.#sets.at(key)
    if (set === undefined) return undefined
    const pods = this.#pods.candidatesOf(set)
    const matcher = matcherOf(set)
    const chooses = (pod: JsonObject) => matcher?.matches(labelsOf(pod)) ?? false
    const membership = membershipOf(set, pods.filter(isActive), chooses)
    const active = settleMembership(this.#pods, set, membership)
    const terminating = pods.filter(
      (pod) => isTerminating(pod) && !isFinished(pod) && isControlledBy(pod, set) && chooses(pod),
    )
    const nowMs = this.#clock.now()
    const failure = this.#carryOut(set, active)
    const timestamp = timestampOf(this.#clock)
    const facts = { active, terminating, failure: failure?.parts.message, nowMs, timestamp }
    this.#sets.updateStatus(set, (live) => withReplicaStatus(live, facts))
    if (failure !== undefined) throw failure
    return nextAvailabilityMs(active, integerAt(structAt(set, 'spec'), 'minReadySeconds'), nowMs)
  }

  /** Carries out the plan; returns the failure. */
  #carryOut(set: JsonObject, active: readonly JsonObject[]): StatusError | undefined {
    const plan = replicaPlan(set, active, { related: () => this.#relatedPods(set), nowMs: this.#clock.now() })
    try {
      for (let made = 0; made < plan.missing; made++) if (!this.#maker.create(set, templatePod(set))) break
      for (const pod of plan.surplus) this.#maker.delete(set, pod)
      return undefined
    } catch (thrown) {
      if (thrown instanceof StatusError) return thrown
      throw thrown
    }
  }

  /** Returns the pods of all ReplicaSets of the same owner. */
  #relatedPods(set: JsonObject): readonly JsonObject[] {
    const owner = controllerOf(set)
    const siblings = owner === undefined ? [set] : this.#sets.controlledBy(owner.uid)
    const related = new Map<string, JsonObject>()
    for (const sibling of siblings) {
      const matcher = matcherOf(sibling)
      for (const pod of this.#pods.perhapsChosenBy(sibling))
        if (matcher?.matches(labelsOf(pod))) related.set(metadataText(pod, 'uid'), pod)
    }
    return [...related.values()]
  }

  #keysOfChoosing(pod: JsonObject): readonly string[] {
    return this.#sets
      .perhapsChoosing(pod)
      .filter((set) => matcherOf(set)?.matches(labelsOf(pod)))
      .map(keyOf)
  }
}

function matcherOf(set: JsonObject): LabelMatcher | undefined {
  return LabelMatcher.of(structAt(structAt(set, 'spec'), 'selector'))
}
