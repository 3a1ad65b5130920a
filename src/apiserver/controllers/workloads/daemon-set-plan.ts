// Decision of the DaemonSet controller: nodes that lack a pod, and pods to delete. Each node that the template allows
// has one pod.
// A rolling update replaces old pods within `maxUnavailable`. Source: k8s.io/kubernetes/pkg/controller/daemon.
import type { JsonObject } from '../../../base/json.ts'
import { integerAt, mapAt, structAt, structIn, structsAt, textAt, valueAt } from '../../built-in/field-walk.ts'
import { isTerminating, labelsOf, metadataNumber, metadataText } from '../../metadata.ts'
import { isChosen, tolerates } from './placement.ts'
import { isActive, isAvailable, isFinished, isReady, nodeOf } from './pod-state.ts'
import { scaledValue } from './scaled-value.ts'
import { templatePod } from './template-pod.ts'

export const revisionLabel = 'controller-revision-hash'
/** Taints that each daemon pod tolerates. */
const borne: readonly (readonly [string, string])[] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
]

export interface DaemonFacts {
  readonly set: JsonObject
  readonly pods: readonly JsonObject[]
  readonly nodes: readonly JsonObject[]
  /** Hash of the current revision. */
  readonly hash: string
  readonly nowMs: number
}

export interface DaemonPlan {
  readonly create: readonly JsonObject[]
  readonly remove: readonly JsonObject[]
  readonly status: JsonObject
}

export function daemonPlan(facts: DaemonFacts): DaemonPlan {
  const { set, pods, nodes, hash } = facts
  if (isTerminating(set)) return { create: [], remove: [], status: statusOf(facts) }
  const wanted = nodes.filter((node) => belongsOn(set, node)).map((node) => metadataText(node, 'name'))
  const onNode = (node: string) => pods.filter((pod) => targetOf(pod) === node)
  const create = wanted
    .filter((node) => onNode(node).filter((pod) => !isFinished(pod)).length === 0 && onNode(node).every(isFinished))
    .filter((node) => !onNode(node).some(isTerminating))
    .map((node) => daemonPod(set, node, hash))
  const stray = pods.filter((pod) => !wanted.includes(targetOf(pod)) && !isTerminating(pod))
  const ended = pods.filter((pod) => isFinished(pod) && !isTerminating(pod) && !stray.includes(pod))
  const doubles = wanted.flatMap((node) => onNode(node).filter(isActive).slice(1))
  return {
    create: create.filter((pod) => !ended.some((one) => targetOf(one) === targetOf(pod))),
    remove: [...new Set([...stray, ...ended, ...doubles, ...outdated(facts, wanted)])],
    status: statusOf(facts),
  }
}

/** Returns the pod for a node. Its node affinity selects the node; the scheduler binds it. */
function daemonPod(set: JsonObject, node: string, hash: string): JsonObject {
  const pod = templatePod(set)
  const spec = mapAt(pod, 'spec')
  const affinity = mapAt(spec, 'affinity')
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
  const required = structIn(affinity, 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  const terms = structsAt(required, 'nodeSelectorTerms')
  const nodeSelectorTerms = terms.length === 0 ? [{ matchFields }] : terms.map((term) => ({ ...term, matchFields }))
  const nodeAffinity = {
    ...mapAt(affinity, 'nodeAffinity'),
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  }
  return {
    ...pod,
    metadata: { ...mapAt(pod, 'metadata'), labels: { ...labelsOf(pod), [revisionLabel]: hash } },
    spec: { ...spec, affinity: { ...affinity, nodeAffinity }, tolerations: tolerationsOf(spec) },
  }
}

/** Returns the node that a pod runs on or is created for. */
function targetOf(pod: JsonObject): string {
  const required = structIn(pod, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  const field = structsAt(required, 'nodeSelectorTerms')
    .flatMap((term) => structsAt(term, 'matchFields'))
    .find((one) => textAt(one, 'key') === 'metadata.name')
  const [name] = (valueAt(field, 'values') ?? []) as readonly string[] // The list of one that daemonPod has written.
  return nodeOf(pod) || (name ?? '')
}

function tolerationsOf(spec: JsonObject): readonly JsonObject[] {
  const added = borne.map(([key, effect]) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect }))
  return [...structsAt(spec, 'tolerations'), ...added]
}

function belongsOn(set: JsonObject, node: JsonObject): boolean {
  const spec = mapAt(mapAt(structAt(set, 'spec'), 'template'), 'spec')
  const tolerations = tolerationsOf(spec)
  const taints = structsAt(structAt(node, 'spec'), 'taints').filter(
    (taint) => textAt(taint, 'effect') !== 'PreferNoSchedule',
  )
  return isChosen(node, { spec }) && taints.every((taint) => tolerations.some((one) => tolerates(one, taint)))
}

/** Returns the old pods to delete now: unavailable ones always, available ones within the limits of the update. */
function outdated(facts: DaemonFacts, wanted: readonly string[]): readonly JsonObject[] {
  const { set, pods, hash } = facts
  const strategy = structIn(set, 'spec', 'updateStrategy')
  if (textAt(strategy, 'type') !== 'RollingUpdate') return []
  const maxUnavailable = Math.max(
    1,
    scaledValue(valueAt(structAt(strategy, 'rollingUpdate'), 'maxUnavailable'), wanted.length, 'up'),
  )
  const available = pods.filter((pod) => isUsable(facts, pod)).length
  const olds = pods.filter((pod) => isActive(pod) && labelsOf(pod)[revisionLabel] !== hash)
  const broken = olds.filter((pod) => !isUsable(facts, pod))
  const room = Math.max(0, maxUnavailable - (wanted.length - available))
  return [...broken, ...olds.filter((pod) => isUsable(facts, pod)).slice(0, room)]
}

function isUsable({ set, nowMs }: DaemonFacts, pod: JsonObject): boolean {
  return isActive(pod) && isAvailable(pod, integerAt(structAt(set, 'spec'), 'minReadySeconds'), nowMs)
}

function statusOf(facts: DaemonFacts): JsonObject {
  const { set, pods, nodes, hash } = facts
  const wanted = new Set(nodes.filter((node) => belongsOn(set, node)).map((node) => metadataText(node, 'name')))
  const placed = pods.filter((pod) => isActive(pod) && wanted.has(targetOf(pod)))
  const available = placed.filter((pod) => isUsable(facts, pod)).length
  const strays = pods.filter((pod) => !isFinished(pod) && !wanted.has(targetOf(pod)))
  return {
    observedGeneration: metadataNumber(set, 'generation') ?? 0,
    currentNumberScheduled: placed.length,
    numberMisscheduled: strays.length,
    desiredNumberScheduled: wanted.size,
    numberReady: placed.filter(isReady).length,
    updatedNumberScheduled: placed.filter((pod) => labelsOf(pod)[revisionLabel] === hash).length,
    numberAvailable: available,
    numberUnavailable: wanted.size - available,
  }
}
