// DaemonSet controller: keeps one pod on each eligible node. Source: k8s.io/kubernetes/pkg/controller/daemon.
import type { Clock } from '../../../base/clock.ts'
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import { integerAt, mapAt, structAt, withField } from '../../built-in/field-walk.ts'
import { LabelMatcher } from '../../built-in/label-selector.ts'
import { isTerminating, labelsOf, metadataText } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { daemonPlan, revisionLabel } from './daemon-set-plan.ts'
import { EventRecorder } from './event-recorder.ts'
import { KindClient, keyOf } from './kind-client.ts'
import { controllerKeys, membershipOf, settleMembership } from './membership.ts'
import { PodMaker } from './pod-maker.ts'
import { nextAvailabilityMs } from './pod-state.ts'
import { hashLabel, revisionStep, staleRevisions } from './revision-history.ts'

export class DaemonSetController implements ServerController {
  readonly name = 'daemonset-controller'
  readonly #clock: Clock
  readonly #sets: KindClient
  readonly #pods: KindClient
  readonly #nodes: KindClient
  readonly #revisions: KindClient
  readonly #maker: PodMaker

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#clock = clock
    this.#sets = new KindClient(client, 'apps/v1', 'DaemonSet')
    this.#pods = new KindClient(client, 'v1', 'Pod')
    this.#nodes = new KindClient(client, 'v1', 'Node')
    this.#revisions = new KindClient(client, 'apps/v1', 'ControllerRevision')
    this.#maker = new PodMaker(this.#pods, new EventRecorder({ client, clock, component: this.name }))
  }

  keysFor(entry: LogEntry): readonly string[] {
    const { shelf, namespace, name } = entry.place
    if (shelf === 'daemonsets.apps') return [`${namespace}/${name}`]
    if (shelf === 'nodes') return this.#sets.list().map(keyOf)
    return shelf === 'pods' ? controllerKeys(entry, 'apps/v1', 'DaemonSet') : []
  }

  reconcile(key: string): number | undefined {
    const set = this.#sets.at(key)
    if (set === undefined) return undefined
    const matcher = LabelMatcher.of(structAt(structAt(set, 'spec'), 'selector'))
    const chooses = (object: JsonObject) => matcher?.matches(labelsOf(object)) ?? false
    const pods = settleMembership(this.#pods, set, membershipOf(set, this.#pods.candidatesOf(set), chooses))
    const nodes = this.#nodes.list().filter((node) => !isTerminating(node))
    const nowMs = this.#clock.now()
    const plan = daemonPlan({ set, pods, nodes, hash: this.#currentHash(set, pods), nowMs })
    for (const pod of plan.remove) this.#maker.delete(set, pod)
    for (const pod of plan.create) if (!this.#maker.create(set, pod)) break
    this.#sets.updateStatus(set, (live) => {
      const { collisionCount } = mapAt(live, 'status')
      const status = { ...plan.status, ...(collisionCount === undefined ? {} : { collisionCount }) }
      return deepEqual(mapAt(live, 'status'), status) ? live : withField(live, 'status', status)
    })
    return nextAvailabilityMs(pods, integerAt(structAt(set, 'spec'), 'minReadySeconds'), nowMs)
  }

  /** Returns the hash label of the template's ControllerRevision; creates the revision if it is missing. */
  #currentHash(set: JsonObject, pods: readonly JsonObject[]): string {
    const namespace = metadataText(set, 'namespace')
    const history = membershipOf(set, this.#revisions.controlledBy(metadataText(set, 'uid')), () => true).members
    const step = revisionStep(set, history, (name) => this.#revisions.get(namespace, name) !== undefined)
    const revision =
      step.kind === 'create' && !isTerminating(set)
        ? this.#revisions.create(namespace, asDaemonRevision(step.revision))
        : step.kind === 'renumber'
          ? this.#revisions.update(step.revision, (live) => withField(live, 'revision', step.number))
          : step.revision
    const hash = labelsOf(revision)[revisionLabel] ?? ''
    const used = new Set([hash, ...pods.map((pod) => labelsOf(pod)[revisionLabel] ?? '')])
    const inUse = new Set(
      history.filter((one) => used.has(labelsOf(one)[revisionLabel] ?? '')).map((one) => metadataText(one, 'name')),
    )
    const limit = integerAt(structAt(set, 'spec'), 'revisionHistoryLimit')
    for (const old of staleRevisions(history, { inUse, limit })) this.#revisions.delete(old)
    return hash
  }
}

/** Moves the hash to the label `controller-revision-hash`, where revisions of DaemonSets carry it. */
function asDaemonRevision(revision: JsonObject): JsonObject {
  const { [hashLabel]: hash = '', ...labels } = labelsOf(revision)
  return { ...revision, metadata: { ...mapAt(revision, 'metadata'), labels: { ...labels, [revisionLabel]: hash } } }
}
