// What keeps a worker from beginning? Its pod has no image, no volume or no node, and says so, or there is none; told as the worker would, if
// it could. Pure.
import { type LiveObject, valueAt } from '../../index.ts'
import { podProblemOf, schedulingGraceMs } from '../stateful-set/pod-problem.ts'
import { isAtWork, millisecondsAt } from './job-words.ts'

export interface HeldTry {
  readonly outcome: 'Interrupted'
  readonly reason: string
  readonly message: string
}

/** Undefined: nothing does, or nothing that lasts. */
export function heldTry(job: LiveObject, pods: readonly LiveObject[], nowMs: number): HeldTry | undefined {
  const trouble = podProblemOf(pods.filter(isAtWork), nowMs)
  return trouble === undefined ? unmadeTry(job, nowMs) : { outcome: 'Interrupted', ...trouble }
}

/** Of a Job that has been at it for a while, and has never had a pod: who refuses it only the Job's events tell. */
export function unmadeTry(job: LiveObject, nowMs: number): HeldTry | undefined {
  const startTime = valueAt(job, 'status', 'startTime')
  if (typeof startTime !== 'string' || nowMs - millisecondsAt(startTime) < schedulingGraceMs) return undefined
  const isSuspended = valueAt(job, 'spec', 'suspend') === true
  if (isSuspended || counts.some((count) => Number(valueAt(job, 'status', count) ?? 0) > 0)) return undefined
  const { name } = job.metadata
  const message = `no pod of Job ${name} could be made; its events say who refuses it, such as a quota or a policy (kubectl describe job ${name})`
  return { outcome: 'Interrupted', reason: 'FailedCreate', message }
}

/** Of pods, by a Job's own word. */
const counts = ['active', 'terminating', 'failed', 'succeeded'] as const
