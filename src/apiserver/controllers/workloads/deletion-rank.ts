// Deletion order of surplus pods: unassigned, not running, not ready, low deletion cost, many on one node, recently
// ready,
// often restarted, young. Ages compare by order of magnitude, and equal pods by uid.
// Source: k8s.io/kubernetes/pkg/controller/controller_utils.go, ActivePodsWithRanks.
import type { JsonObject } from '../../../base/json.ts'
import { mapAt, textAt } from '../../built-in/field-walk.ts'
import { metadataOf, metadataText } from '../../metadata.ts'
import { isActive, isReady, nodeOf, phaseOf, readySinceMs, restartsOf } from './pod-state.ts'

const phases = ['Pending', 'Unknown', 'Running']

/**
 * Returns `pods` in deletion order. `related` are all pods of the same owner; they give the number of pods on each
 * node.
 */
export function byDeletionRank(
  pods: readonly JsonObject[],
  related: readonly JsonObject[],
  nowMs: number,
): readonly JsonObject[] {
  const crowds = new Map<string, number>()
  for (const pod of related) if (isActive(pod)) crowds.set(nodeOf(pod), (crowds.get(nodeOf(pod)) ?? 0) + 1)
  return [...pods].sort((left, right) => compareRanks(left, right, { crowds, nowMs }))
}

interface RankFacts {
  readonly crowds: ReadonlyMap<string, number>
  readonly nowMs: number
}

/** The first difference decides; the pod with the smaller value is deleted first. */
function compareRanks(left: JsonObject, right: JsonObject, { crowds, nowMs }: RankFacts): number {
  const differences: readonly ((pod: JsonObject) => number)[] = [
    (pod) => Number(nodeOf(pod) !== ''),
    (pod) => phases.indexOf(phaseOf(pod)),
    (pod) => Number(isReady(pod)),
    deletionCost,
    (pod) => -(crowds.get(nodeOf(pod)) ?? 0),
  ]
  for (const worth of differences) {
    const difference = worth(left) - worth(right)
    if (difference !== 0) return difference
  }
  const readiness = isReady(left) && isReady(right) ? compareAges(left, right, readySinceMs, nowMs) : undefined
  if (readiness !== undefined) return readiness
  return restartsOf(right) - restartsOf(left) || (compareAges(left, right, createdMs, nowMs) ?? 0)
}

/** Orders the younger pod first, and pods of the same magnitude by uid; undefined for equal times. */
function compareAges(
  left: JsonObject,
  right: JsonObject,
  sinceMs: (pod: JsonObject) => number,
  nowMs: number,
): number | undefined {
  const [first, second] = [sinceMs(left), sinceMs(right)]
  if (first === second) return undefined
  const difference = magnitude(nowMs - first) - magnitude(nowMs - second)
  if (difference !== 0) return difference
  return metadataText(left, 'uid') < metadataText(right, 'uid') ? -1 : 1
}

function magnitude(ageMs: number): number {
  return ageMs <= 0 ? -1 : Math.floor(Math.log2(ageMs * 1e6))
}

function deletionCost(pod: JsonObject): number {
  return Number(textAt(mapAt(metadataOf(pod), 'annotations'), 'controller.kubernetes.io/pod-deletion-cost')) || 0
}

function createdMs(pod: JsonObject): number {
  return Date.parse(metadataText(pod, 'creationTimestamp'))
}
