// How is a worker of a Backup doing? Told by its Job and by what its pods said when they ended. Pure.
import type { Condition, LiveObject } from '../../index.ts'
import { heldTry, unmadeTry } from '../worker/held-try.ts'
import { jobCondition, lastWord, millisecondsAt } from '../worker/job-words.ts'
import { exitCodeOf, type WorkReport, workReportIn } from './work-report.ts'

export type WorkRun =
  /** There is no Job for this order. */
  | { readonly kind: 'none' }
  /** At it, or between two tries, of which the last one ended so, or the next one cannot begin. */
  | { readonly kind: 'active'; readonly last: WorkReport | undefined }
  /** `report`: undefined where the pod is gone that could tell. */
  | { readonly kind: 'completed'; readonly report: WorkReport | undefined; readonly endedAtMs: number }
  | { readonly kind: 'failed'; readonly report: WorkReport; readonly endedAtMs: number }

interface WorkMoment {
  readonly nowMs: number
  /** How long it may take, in words. */
  readonly limit?: string
}

/** `pods`: of this Job alone. */
export function workRun(
  job: LiveObject | undefined,
  pods: readonly LiveObject[],
  { nowMs, limit = 'it may' }: WorkMoment,
): WorkRun {
  if (job === undefined) return { kind: 'none' }
  const word = lastWord(pods, workReportIn)
  const last = word?.report
  const complete = jobCondition(job, 'Complete')
  if (complete !== undefined) {
    const report = last?.outcome === 'Completed' ? last : undefined
    return { kind: 'completed', report, endedAtMs: millisecondsAt(complete.lastTransitionTime) }
  }
  const failed = jobCondition(job, 'Failed')
  if (failed !== undefined) {
    const endedAtMs = millisecondsAt(failed.lastTransitionTime)
    const report = reportOfJob(failed, last, limit)
    const unmade = unmadeTry(job, nowMs)
    const message = [report.message, unmade?.message].filter((part) => part !== undefined).join('; ')
    return { kind: 'failed', report: unmade === undefined ? report : { ...report, message }, endedAtMs }
  }
  // Trying again would say the same: the Job is held, though it would go on.
  if (word !== undefined && exitCodeOf(word.report) === 2) return { kind: 'failed', ...word }
  const said = last?.outcome === 'Completed' ? undefined : last
  return { kind: 'active', last: heldTry(job, pods, nowMs) ?? said }
}

function reportOfJob({ reason, message }: Condition, last: WorkReport | undefined, limit: string): WorkReport {
  const isLate = reason === 'DeadlineExceeded'
  if (last !== undefined && last.outcome !== 'Completed' && !isLate) return last
  const why = last?.message === undefined ? '' : `; the last try said: ${last.message}`
  const told = isLate ? `it took longer than ${limit}` : `the worker's Job failed: ${message}`
  return { outcome: 'Stopped', reason: reason || 'WorkerFailed', message: told + why }
}
