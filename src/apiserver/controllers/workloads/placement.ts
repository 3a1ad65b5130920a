// Placement of a pod: the Ready node with the fewest pods that fits the pod's selector, affinity, tolerations and bound
// claims.
// Otherwise a message says why no node fits. Resource requests and affinity between pods are not considered.
// Source: k8s.io/kubernetes/pkg/scheduler.
import { type JsonObject, own } from '../../../base/json.ts'
import {
  isTrueAt,
  mapAt,
  optionalTextAt,
  structAt,
  structIn,
  structsAt,
  textAt,
  textsAt,
} from '../../built-in/field-walk.ts'
import { labelsOf, metadataOf, metadataText } from '../../metadata.ts'
import { conditionOf } from './pod-state.ts'

export type Placement =
  | { readonly kind: 'bind'; readonly node: string }
  /**
   * The scheduler annotates claims that wait for their first consumer with the node; it binds the pod after the claims
   * are bound.
   */
  | { readonly kind: 'provision'; readonly node: string; readonly claims: readonly JsonObject[] }
  | { readonly kind: 'wait' }
  | { readonly kind: 'refuse'; readonly message: string }

export interface PlacementFacts {
  readonly pod: JsonObject
  readonly nodes: readonly JsonObject[]
  readonly podsOn: (node: string) => number
  readonly claim: (name: string) => JsonObject | undefined
  /** True if the claim's class has the binding mode WaitForFirstConsumer. */
  readonly waitsForConsumer: (claim: JsonObject) => boolean
}

const selectedNode = 'volume.kubernetes.io/selected-node'
const notReadyTaint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
const unschedulableTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

export function placementOf(facts: PlacementFacts): Placement {
  const { pod, nodes, podsOn } = facts
  if (nodes.length === 0) return { kind: 'refuse', message: 'no nodes available to schedule pods' }
  const claims = claimNamesOf(pod).map((name) => ({ name, claim: facts.claim(name) }))
  const lost = claims.find(({ claim }) => claim === undefined)
  if (lost !== undefined) return unpreparable(nodes.length, `persistentvolumeclaim "${lost.name}" not found`)
  const unbound = claims.flatMap(({ claim }) => (claim === undefined || isBound(claim) ? [] : [claim]))
  if (unbound.some((claim) => !facts.waitsForConsumer(claim)))
    return unpreparable(nodes.length, 'pod has unbound immediate PersistentVolumeClaims')
  const reasons = nodes.map((node) => refusedBy(node, pod, podsOn(metadataText(node, 'name'))))
  const [best] = nodes
    .filter((_, index) => reasons[index] === undefined)
    .map((node) => metadataText(node, 'name'))
    .sort((left, right) => podsOn(left) - podsOn(right))
  if (best === undefined) return refusal(nodes.length, counted(reasons))
  if (unbound.length === 0) return { kind: 'bind', node: best }
  const untold = unbound.filter((claim) => textAt(mapAt(metadataOf(claim), 'annotations'), selectedNode) === '')
  return untold.length === 0 ? { kind: 'wait' } : { kind: 'provision', node: best, claims: untold }
}

export function claimNamesOf(pod: JsonObject): readonly string[] {
  return structsAt(structAt(pod, 'spec'), 'volumes').flatMap((volume) => {
    const name = textAt(structAt(volume, 'persistentVolumeClaim'), 'claimName')
    return name === '' ? [] : [name]
  })
}

function isBound(claim: JsonObject): boolean {
  return textAt(structAt(claim, 'status'), 'phase') === 'Bound' && textAt(structAt(claim, 'spec'), 'volumeName') !== ''
}

function refusal(nodes: number, reasons: readonly string[]): Placement {
  const none = `0/${nodes} nodes are available`
  const preemption = `no new claims to deallocate, preemption: ${none}: ${nodes} Preemption is not helpful for scheduling.`
  return { kind: 'refuse', message: `${none}: ${reasons.join(', ')}. ${preemption}` }
}

/** Returns a failure that no change of a node can resolve; the message ends as the real scheduler's. */
function unpreparable(nodes: number, reason: string): Placement {
  return { kind: 'refuse', message: `0/${nodes} nodes are available: ${reason}. not found` }
}

function counted(reasons: readonly (string | undefined)[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const reason of reasons) if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].map(([reason, count]) => `${count} ${reason}`).sort()
}

/** Returns the reason why the pod may not run on a node; undefined if it may. */
function refusedBy(node: JsonObject, pod: JsonObject, podsThere: number): string | undefined {
  const tolerations = structsAt(structAt(pod, 'spec'), 'tolerations')
  const isTolerated = (taint: JsonObject) => tolerations.some((toleration) => tolerates(toleration, taint))
  const spec = structAt(node, 'spec')
  if (isTrueAt(spec, 'unschedulable') && !isTolerated(unschedulableTaint)) return 'node(s) were unschedulable'
  const isReady = textAt(conditionOf(node, 'Ready'), 'status') === 'True'
  const taints = [
    ...(isReady ? [] : [notReadyTaint]),
    ...structsAt(spec, 'taints').filter((taint) => textAt(taint, 'effect') !== 'PreferNoSchedule'),
  ]
  if (!taints.every(isTolerated)) return 'node(s) had untolerated taint(s)'
  if (!isChosen(node, pod)) return "node(s) didn't match Pod's node affinity/selector"
  const capacity = own(mapAt(structAt(node, 'status'), 'allocatable'), 'pods')
  return capacity !== undefined && podsThere >= Number(capacity) ? 'Too many pods' : undefined
}

export function tolerates(toleration: JsonObject, taint: JsonObject): boolean {
  const effect = textAt(toleration, 'effect')
  const key = textAt(toleration, 'key')
  if (effect !== '' && effect !== textAt(taint, 'effect')) return false
  if (key !== '' && key !== textAt(taint, 'key')) return false
  return (
    textAt(toleration, 'operator') === 'Exists' ||
    (key !== '' && textAt(toleration, 'value') === textAt(taint, 'value'))
  )
}

/** True if the pod's node selector and required node affinity match the node. */
export function isChosen(node: JsonObject, pod: JsonObject): boolean {
  const labels = labelsOf(node)
  const spec = structAt(pod, 'spec')
  if (!Object.entries(mapAt(spec, 'nodeSelector')).every(([key, value]) => own(labels, key) === value)) return false
  const required = structIn(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  if (required === undefined) return true
  const fields = { 'metadata.name': metadataText(node, 'name') }
  return structsAt(required, 'nodeSelectorTerms').some((term) => {
    const byLabels = structsAt(term, 'matchExpressions')
    const byFields = structsAt(term, 'matchFields')
    if (byLabels.length + byFields.length === 0) return false
    return byLabels.every((one) => isMet(one, labels)) && byFields.every((one) => isMet(one, fields))
  })
}

function isMet(requirement: JsonObject, values: JsonObject): boolean {
  const value = optionalTextAt(values, textAt(requirement, 'key'))
  const wanted = textsAt(requirement, 'values')
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return value !== undefined && wanted.includes(value)
    case 'NotIn':
      return value === undefined || !wanted.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return value !== undefined && Number(value) > Number(wanted[0])
    case 'Lt':
      return value !== undefined && Number(value) < Number(wanted[0])
    default:
      return false
  }
}

export function withSelectedNode(claim: JsonObject, node: string): JsonObject {
  const metadata = metadataOf(claim)
  return {
    ...claim,
    metadata: { ...metadata, annotations: { ...mapAt(metadata, 'annotations'), [selectedNode]: node } },
  }
}

export function isForScheduler(pod: JsonObject): boolean {
  const spec = structAt(pod, 'spec')
  const scheduler = textAt(spec, 'schedulerName')
  return (
    textAt(spec, 'nodeName') === '' &&
    (scheduler === '' || scheduler === 'default-scheduler') &&
    structsAt(spec, 'schedulingGates').length === 0 &&
    metadataText(pod, 'deletionTimestamp') === ''
  )
}
