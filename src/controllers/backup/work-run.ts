// State of a Backup's worker, from its Job and from the termination messages of its pods. Pure.
import type { Condition, LiveObject } from '../../index.ts'
import { heldTry, unmadeTry } from '../worker/held-try.ts'
import { jobCondition, lastWord, millisecondsAt } from '../worker/job-words.ts'
import { exitCodeOf, type WorkReport, workReportIn } from './work-report.ts'

export type WorkRun =
  /** There is no Job for this order. */
  | { readonly kind: 'none' }
  /** Running or between two tries. `last`: outcome of the last try, or why the next one cannot start. */
  | { readonly kind: 'active'; readonly last: WorkReport | undefined }
  /** `report`: undefined if the pod with the report is gone. */
  | { readonly kind: 'completed'; readonly report: WorkReport | undefined; readonly endedAtMs: number }
  | { readonly kind: 'failed'; readonly report: WorkReport; readonly endedAtMs: number }

interface WorkMoment {
  readonly nowMs: number
  /** Time limit as text. */
  readonly limit?: string
}

/** `pods`: pods of this Job only. */
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
  // Another try would fail in the same way. The Job is held, though it would go on.
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
