// Counts of pods and ready pods, from the pods themselves while a recreated StatefulSet has not counted them. Pure.
import { isBeingDeleted, type KubeObject, type LiveObject, valueAt } from '../../index.ts'
import { isServing } from './replica.ts'

export interface PodCounts {
  readonly replicas: number
  readonly readyReplicas: number
}

export function podCountsOf(pods: readonly LiveObject[]): PodCounts {
  const there = pods.filter((pod) => !isBeingDeleted(pod))
  return { replicas: there.length, readyReplicas: there.filter(isServing).length }
}

/**
 * Returns whether the StatefulSet's own counts are usable. A recreated StatefulSet counts zero at first, and then only
 * adopted pods, although all pods serve. When its count changes, the next reconciliation uses it.
 */
export function hasCounted(statefulSet: KubeObject | undefined, { replicas }: PodCounts): boolean {
  return statefulSet !== undefined && Number(valueAt(statefulSet, 'status', 'replicas') ?? 0) >= replicas
}
