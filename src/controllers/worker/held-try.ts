// Finds why a worker does not start: its pod has no image, no volume or no node, or there is no pod. The result has the
// form of a worker's report. Pure.
import { type LiveObject, valueAt } from '../../index.ts'
import { podProblemOf, schedulingGraceMs } from '../stateful-set/pod-problem.ts'
import { isAtWork, millisecondsAt } from './job-words.ts'

export interface HeldTry {
  readonly outcome: 'Interrupted'
  readonly reason: string
  readonly message: string
}

/** Undefined if nothing prevents the start, or nothing that lasts. */
export function heldTry(job: LiveObject, pods: readonly LiveObject[], nowMs: number): HeldTry | undefined {
  const trouble = podProblemOf(pods.filter(isAtWork), nowMs)
  return trouble === undefined ? unmadeTry(job, nowMs) : { outcome: 'Interrupted', ...trouble }
}

/** Reports a Job that started a while ago and never had a pod. Only the Job's events say what rejects its pods. */
export function unmadeTry(job: LiveObject, nowMs: number): HeldTry | undefined {
  const startTime = valueAt(job, 'status', 'startTime')
  if (typeof startTime !== 'string' || nowMs - millisecondsAt(startTime) < schedulingGraceMs) return undefined
  const isSuspended = valueAt(job, 'spec', 'suspend') === true
  if (isSuspended || counts.some((count) => Number(valueAt(job, 'status', count) ?? 0) > 0)) return undefined
  const { name } = job.metadata
  const message = `no pod of Job ${name} could be made; its events say who refuses it, such as a quota or a policy (kubectl describe job ${name})`
  return { outcome: 'Interrupted', reason: 'FailedCreate', message }
}

/** Counts of pods in the status of a Job. */
const counts = ['active', 'terminating', 'failed', 'succeeded'] as const
