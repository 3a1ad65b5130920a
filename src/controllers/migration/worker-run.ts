// State of a worker, from its Job and the termination messages of its pods. Pure.
import type { LiveObject } from '../../index.ts'
import { heldTry } from '../worker/held-try.ts'
import { jobCondition, lastWord, millisecondsAt } from '../worker/job-words.ts'
import { exitCodeOf, reportIn, type WorkerReport } from './worker-report.ts'

export type WorkerRun =
  /** There is no Job for this order. */
  | { readonly kind: 'none' }
  /**
   * It is running, or waits between two tries. `last`: report of the last try, or the reason that the next one cannot
   * start.
   */
  | { readonly kind: 'active'; readonly last: WorkerReport | undefined }
  | { readonly kind: 'ended'; readonly report: WorkerReport; readonly endedAtMs: number }

export function workerRun(job: LiveObject | undefined, pods: readonly LiveObject[], nowMs: number): WorkerRun {
  if (job === undefined) return { kind: 'none' }
  const last = lastWord(pods, reportIn)
  const complete = jobCondition(job, 'Complete')
  if (complete !== undefined) {
    return { kind: 'ended', report: { outcome: 'Completed' }, endedAtMs: millisecondsAt(complete.lastTransitionTime) }
  }
  const failed = jobCondition(job, 'Failed')
  if (failed !== undefined) {
    const killed: WorkerReport = {
      outcome: 'Interrupted',
      reason: failed.reason,
      message: `the worker's Job failed: ${failed.message}`,
    }
    return { kind: 'ended', report: last?.report ?? killed, endedAtMs: millisecondsAt(failed.lastTransitionTime) }
  }
  // A retry would fail in the same way: treat the Job as failed, although it would continue.
  if (last !== undefined && exitCodeOf(last.report) === 2) return { kind: 'ended', ...last }
  return { kind: 'active', last: heldTry(job, pods, nowMs) ?? last?.report }
}

/** The report is final: the same order would end in the same way. */
export function isFinal({ outcome }: WorkerReport): boolean {
  return outcome !== 'Interrupted' && outcome !== 'Stopped' && outcome !== 'LockedByOther'
}
