// How is the worker doing? Told by its Job and by what its pods said when they ended. Pure.
import { type Condition, findCondition, type LiveObject, valueAt } from '../../index.ts'
import { exitCodeOf, reportIn, type WorkerReport } from './worker-report.ts'

export type WorkerRun =
  /** There is no Job for this order. */
  | { readonly kind: 'none' }
  /** At it, or between two tries, of which the last one ended so. */
  | { readonly kind: 'active'; readonly last: WorkerReport | undefined }
  | { readonly kind: 'ended'; readonly report: WorkerReport; readonly endedAtMs: number }

export function workerRun(job: LiveObject | undefined, pods: readonly LiveObject[]): WorkerRun {
  if (job === undefined) return { kind: 'none' }
  const last = lastWord(pods)
  const complete = conditionOf(job, 'Complete')
  if (complete !== undefined) {
    return { kind: 'ended', report: { outcome: 'Completed' }, endedAtMs: timeOf(complete) }
  }
  const failed = conditionOf(job, 'Failed')
  if (failed !== undefined) {
    const killed: WorkerReport = {
      outcome: 'Interrupted',
      reason: failed.reason,
      message: `the worker's Job failed: ${failed.message}`,
    }
    return { kind: 'ended', report: last?.report ?? killed, endedAtMs: timeOf(failed) }
  }
  // Trying again would say the same: the Job is held, though it would go on.
  if (last !== undefined && exitCodeOf(last.report) === 2) return { kind: 'ended', ...last }
  return { kind: 'active', last: last?.report }
}

/** It said all there is to say; the same order would end the same way. */
export function isFinal({ outcome }: WorkerReport): boolean {
  return outcome !== 'Interrupted' && outcome !== 'Stopped' && outcome !== 'LockedByOther'
}

interface Word {
  readonly report: WorkerReport
  readonly endedAtMs: number
}

function lastWord(pods: readonly LiveObject[]): Word | undefined {
  const words = pods.flatMap((pod): readonly Word[] => {
    // The status of a Pod: a worker has one container.
    const statuses = valueAt(pod, 'status', 'containerStatuses') as readonly ContainerStatus[] | undefined
    const terminated = statuses?.[0]?.state?.terminated
    const report = reportIn(terminated?.message)
    const endedAtMs = Date.parse(terminated?.finishedAt ?? '')
    return report === undefined ? [] : [{ report, endedAtMs: Number.isNaN(endedAtMs) ? 0 : endedAtMs }]
  })
  return words.toSorted((left, right) => right.endedAtMs - left.endedAtMs)[0]
}

interface ContainerStatus {
  readonly state?: { readonly terminated?: { readonly message?: string; readonly finishedAt?: string } }
}

function conditionOf({ status }: LiveObject, type: string): Condition | undefined {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] } // The status of a Job.
  const found = findCondition(conditions, type)
  return found?.status === 'True' ? found : undefined
}

function timeOf({ lastTransitionTime }: Condition): number {
  const ms = Date.parse(lastTransitionTime ?? '')
  return Number.isNaN(ms) ? 0 : ms
}
