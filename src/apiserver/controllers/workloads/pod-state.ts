// State of a pod for the workload controllers: active, ready, available, and the time until it becomes available.
// Source: k8s.io/kubernetes/pkg/api/v1/pod/util.go, pkg/controller/controller_utils.go.
import type { JsonObject } from '../../../base/json.ts'
import { structAt, structsAt, textAt } from '../../built-in/field-walk.ts'
import { isTerminating } from '../../metadata.ts'

export function phaseOf(pod: JsonObject): string {
  return textAt(structAt(pod, 'status'), 'phase')
}

export function nodeOf(pod: JsonObject): string {
  return textAt(structAt(pod, 'spec'), 'nodeName')
}

export function conditionOf(object: JsonObject, type: string): JsonObject | undefined {
  return structsAt(structAt(object, 'status'), 'conditions').find((condition) => textAt(condition, 'type') === type)
}

export function isReady(pod: JsonObject): boolean {
  return textAt(conditionOf(pod, 'Ready'), 'status') === 'True'
}

/** True if the pod has succeeded or failed. */
export function isFinished(pod: JsonObject): boolean {
  return phaseOf(pod) === 'Succeeded' || phaseOf(pod) === 'Failed'
}

/** True if the pod is neither finished nor being deleted. */
export function isActive(pod: JsonObject): boolean {
  return !isFinished(pod) && !isTerminating(pod)
}

export function isRunningAndReady(pod: JsonObject): boolean {
  return phaseOf(pod) === 'Running' && isReady(pod)
}

/** True if the pod has been ready for `minReadySeconds`. */
export function isAvailable(pod: JsonObject, minReadySeconds: number, nowMs: number): boolean {
  if (!isReady(pod)) return false
  return minReadySeconds === 0 || readySinceMs(pod) + minReadySeconds * 1000 <= nowMs
}

/** Returns the milliseconds until the next ready pod becomes available. */
export function nextAvailabilityMs(
  pods: readonly JsonObject[],
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  if (minReadySeconds === 0) return undefined
  const waits = pods
    .filter((pod) => isReady(pod) && !isAvailable(pod, minReadySeconds, nowMs))
    .map((pod) => readySinceMs(pod) + minReadySeconds * 1000 - nowMs)
  return waits.length === 0 ? undefined : Math.max(1, Math.min(...waits))
}

export function readySinceMs(pod: JsonObject): number {
  return Date.parse(textAt(conditionOf(pod, 'Ready'), 'lastTransitionTime'))
}

export function restartsOf(pod: JsonObject): number {
  const counts = structsAt(structAt(pod, 'status'), 'containerStatuses').map((status) => Number(status['restartCount']))
  return Math.max(0, ...counts)
}
