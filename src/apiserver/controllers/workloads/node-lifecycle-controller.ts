// Node lifecycle controller: keeps taints of nodes in line with their conditions and `unschedulable`, and removes the
// initial taint.
// Source: k8s.io/kubernetes/pkg/controller/nodelifecycle, only the part for a single node.
import { type Clock, timestampOf } from '../../../base/clock.ts'
import type { JsonObject } from '../../../base/json.ts'
import { isTrueAt, mapAt, structAt, structsAt, textAt } from '../../built-in/field-walk.ts'
import { labelsOf, withMetadata } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { KindClient } from './kind-client.ts'

const prefix = 'node.kubernetes.io/'
const unschedulable = `${prefix}unschedulable`
/** Taint keys by condition type and status. */
const conditionTaints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: `${prefix}not-ready`, Unknown: `${prefix}unreachable` },
  MemoryPressure: { True: `${prefix}memory-pressure` },
  DiskPressure: { True: `${prefix}disk-pressure` },
  NetworkUnavailable: { True: `${prefix}network-unavailable` },
  PIDPressure: { True: `${prefix}pid-pressure` },
}
const ownTaints: ReadonlySet<string> = new Set([
  unschedulable,
  ...Object.values(conditionTaints).flatMap(Object.values),
])
/** Deprecated labels by their current names; older clients still read them. */
const formerLabels: readonly (readonly [string, string])[] = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
]

export class NodeLifecycleController implements ServerController {
  readonly name = 'node-lifecycle-controller'
  readonly #clock: Clock
  readonly #nodes: KindClient

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#clock = clock
    this.#nodes = new KindClient(client, 'v1', 'Node')
  }

  keysFor({ place, kind }: LogEntry): readonly string[] {
    return place.shelf === 'nodes' && kind !== 'deleted' ? [place.name] : []
  }

  reconcile(name: string): undefined {
    const node = this.#nodes.get('', name)
    if (node === undefined) return
    const timeAdded = timestampOf(this.#clock)
    this.#nodes.update(node, (live) => withFormerLabels(withTaints(live, timeAdded)))
  }
}

function withTaints(node: JsonObject, timeAdded: string): JsonObject {
  const taints = structsAt(structAt(node, 'spec'), 'taints')
  const wanted = new Set(wantedTaints(node))
  const kept = taints.filter((taint) => !isOurs(taint) || wanted.has(textAt(taint, 'key')))
  const there = new Set(taints.filter(isOurs).map((taint) => textAt(taint, 'key')))
  const added = [...wanted].filter((key) => !there.has(key)).map((key) => ({ key, effect: 'NoSchedule', timeAdded }))
  if (kept.length === taints.length && added.length === 0) return node
  return { ...node, spec: { ...mapAt(node, 'spec'), taints: [...kept, ...added] } }
}

function wantedTaints(node: JsonObject): readonly string[] {
  const ofConditions = structsAt(structAt(node, 'status'), 'conditions').flatMap((condition) => {
    const key = conditionTaints[textAt(condition, 'type')]?.[textAt(condition, 'status')]
    return key === undefined ? [] : [key]
  })
  return isTrueAt(structAt(node, 'spec'), 'unschedulable') ? [...ofConditions, unschedulable] : ofConditions
}

function isOurs(taint: JsonObject): boolean {
  return textAt(taint, 'effect') === 'NoSchedule' && ownTaints.has(textAt(taint, 'key'))
}

function withFormerLabels(node: JsonObject): JsonObject {
  const labels = labelsOf(node)
  const changed = formerLabels.flatMap(([key, former]) => {
    const value = labels[key]
    return value === undefined || labels[former] === value ? [] : [[former, value] as const]
  })
  return changed.length === 0 ? node : withMetadata(node, { labels: { ...labels, ...Object.fromEntries(changed) } })
}
