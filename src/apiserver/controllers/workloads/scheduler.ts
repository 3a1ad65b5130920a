// Scheduler: binds pods to nodes, and reports in a condition and an Event why a pod has none. Source:
// k8s.io/kubernetes/pkg/scheduler.
import { type Clock, timestampOf } from '../../../base/clock.ts'
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import { bindingSteps } from '../../built-in/binding-steps.ts'
import { mapAt, structAt, structsAt, textAt } from '../../built-in/field-walk.ts'
import { isTerminating, labelsOf, metadataNumber, metadataText, withMetadata } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { EventRecorder } from './event-recorder.ts'
import { KindClient } from './kind-client.ts'
import { isForScheduler, placementOf, withSelectedNode } from './placement.ts'
import { conditionOf, isFinished, nodeOf } from './pod-state.ts'

/** Kinds whose changes affect the placement of pods. */
const placeShelves: ReadonlySet<string> = new Set([
  'nodes',
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses.storage.k8s.io',
])

/** Labels that a pod inherits from its node. Source: k8s.io/kubernetes/plugin/pkg/admission/podtopologylabels. */
const placeLabels: ReadonlySet<string> = new Set(['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'])

export class Scheduler implements ServerController {
  readonly name = 'kube-scheduler'
  readonly #clock: Clock
  readonly #pods: KindClient
  readonly #nodes: KindClient
  readonly #claims: KindClient
  readonly #classes: KindClient
  readonly #events: EventRecorder
  readonly #waiting = new Set<string>()
  /** Keys of the pods by node. */
  readonly #placed = new Map<string, Set<string>>()

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#clock = clock
    this.#pods = new KindClient(client, 'v1', 'Pod')
    this.#nodes = new KindClient(client, 'v1', 'Node')
    this.#claims = new KindClient(client, 'v1', 'PersistentVolumeClaim')
    this.#classes = new KindClient(client, 'storage.k8s.io/v1', 'StorageClass')
    this.#events = new EventRecorder({ client, clock, component: 'default-scheduler' })
  }

  keysFor(entry: LogEntry): readonly string[] {
    if (placeShelves.has(entry.place.shelf)) return matters(entry) ? [...this.#waiting] : []
    if (entry.place.shelf !== 'pods') return []
    const key = `${entry.place.namespace}/${entry.place.name}`
    const pod = entry.now.object
    const isGone = entry.kind === 'deleted' || isFinished(pod)
    this.#note(key, pod, isGone)
    if (isGone) {
      this.#waiting.delete(key)
      return nodeOf(pod) === '' ? [] : [...this.#waiting]
    }
    if (isForScheduler(pod)) this.#waiting.add(key)
    else this.#waiting.delete(key)
    return this.#waiting.has(key) && isNewsOf(entry) ? [key] : []
  }

  reconcile(key: string): undefined {
    const pod = this.#pods.at(key)
    if (pod === undefined || !isForScheduler(pod)) return
    const namespace = metadataText(pod, 'namespace')
    const placement = placementOf({
      pod,
      nodes: this.#nodes.list().filter((node) => !isTerminating(node)),
      podsOn: (node) => this.#placed.get(node)?.size ?? 0,
      claim: (name) => this.#claims.get(namespace, name),
      waitsForConsumer: (claim) => this.#waitsForConsumer(claim),
    })
    switch (placement.kind) {
      case 'bind':
        this.#bind(pod, placement.node)
        return
      case 'provision':
        for (const claim of placement.claims)
          this.#claims.update(claim, (live) => withSelectedNode(live, placement.node))
        return
      case 'wait':
        return
      case 'refuse':
        this.#refuse(pod, placement.message)
    }
  }

  #bind(pod: JsonObject, nodeName: string): void {
    const bound = {
      type: 'PodScheduled',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: timestampOf(this.#clock),
    }
    const node = this.#nodes.get('', nodeName)
    const places = node === undefined ? [] : Object.entries(labelsOf(node)).filter(([key]) => placeLabels.has(key))
    this.#pods.updateUnrecorded(pod, 'binding', bindingSteps, (live) => ({
      ...withMetadata(withCondition(live, bound), { labels: { ...labelsOf(live), ...Object.fromEntries(places) } }),
      spec: { ...mapAt(live, 'spec'), nodeName },
    }))
    const of = `${metadataText(pod, 'namespace')}/${metadataText(pod, 'name')}`
    this.#events.recordAction(pod, 'Binding', {
      type: 'Normal',
      reason: 'Scheduled',
      message: `Successfully assigned ${of} to ${nodeName}`,
    })
  }

  #refuse(pod: JsonObject, message: string): void {
    const before = conditionOf(pod, 'PodScheduled')
    if (textAt(before, 'status') === 'False' && textAt(before, 'message') === message) return
    const lastTransitionTime =
      textAt(before, 'status') === 'False' ? textAt(before, 'lastTransitionTime') : timestampOf(this.#clock)
    this.#events.recordAction(pod, 'Scheduling', { type: 'Warning', reason: 'FailedScheduling', message })
    this.#pods.updateStatus(pod, (live) =>
      withCondition(live, {
        ...{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
        ...{ lastProbeTime: null, lastTransitionTime, observedGeneration: metadataNumber(pod, 'generation') ?? 0 },
      }),
    )
  }

  #waitsForConsumer(claim: JsonObject): boolean {
    const name = textAt(structAt(claim, 'spec'), 'storageClassName')
    return textAt(this.#classes.get('', name), 'volumeBindingMode') === 'WaitForFirstConsumer'
  }

  #note(key: string, pod: JsonObject, isGone: boolean): void {
    const node = nodeOf(pod)
    if (node === '') return
    const there = this.#placed.get(node) ?? new Set()
    this.#placed.set(node, there)
    if (isGone) there.delete(key)
    else there.add(key)
  }
}

/** False for a node's heartbeat. */
function matters({ place, before, now }: LogEntry): boolean {
  if (place.shelf !== 'nodes' || before === undefined) return true
  const facts = (node: JsonObject) => [
    mapAt(node, 'spec'),
    mapAt(structAt(node, 'metadata'), 'labels'),
    mapAt(structAt(node, 'status'), 'allocatable'),
    textAt(conditionOf(node, 'Ready'), 'status'),
  ]
  return !deepEqual(facts(before.object), facts(now.object))
}

/** False for a change outside the spec, for example the scheduler's own condition. */
function isNewsOf({ before, now }: LogEntry): boolean {
  return before === undefined || !deepEqual(mapAt(before.object, 'spec'), mapAt(now.object, 'spec'))
}

function withCondition(pod: JsonObject, condition: JsonObject): JsonObject {
  const status = mapAt(pod, 'status')
  const before = structsAt(status, 'conditions')
  const type = textAt(condition, 'type')
  const isKnown = before.some((one) => textAt(one, 'type') === type)
  const conditions = isKnown
    ? before.map((one) => (textAt(one, 'type') === type ? condition : one))
    : [...before, condition]
  return { ...pod, status: { ...status, conditions } }
}
