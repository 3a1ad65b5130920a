// How many pods are there, and how many serve? Asked of the pods themselves while their StatefulSet, made anew, has not counted them.
// Pure.
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
 * One that was made anew counts nothing at first, and then only the pods that it has taken; all of them serve all the same.
 * Going by its count again is the next turn's, which its count causes.
 */
export function hasCounted(statefulSet: KubeObject | undefined, { replicas }: PodCounts): boolean {
  return statefulSet !== undefined && Number(valueAt(statefulSet, 'status', 'replicas') ?? 0) >= replicas
}
