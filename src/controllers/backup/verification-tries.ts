// Tries of a verification. A try that lost its server or store is repeated after an increasing delay, up to a limit.
// A verification that found a fault is not repeated. The existing Jobs show which tries there were. Pure.

import type { DesiredWork } from './desired-work.ts'
import type { WorkRun } from './work-run.ts'

export interface VerificationTry {
  readonly wish: DesiredWork
  readonly run: WorkRun
  /** Time of the next try after a failed one; milliseconds since the epoch. */
  readonly againAtMs?: number
}

const minuteMs = 60_000
/** Delay after each try but the last. Together less than an hour, because a schedule waits for its last backup. */
const waitsMs = [1, 4, 15, 15, 15].map((minutes) => minutes * minuteMs)

/** `first`: desired Job of the first try; the names of the others derive from it. */
export function verificationTry(first: DesiredWork, runOf: (job: string) => WorkRun, nowMs: number): VerificationTry {
  const named = (at: number): DesiredWork => (at === 0 ? first : { ...first, name: `${first.name}-${at}` })
  const runs = [0, ...waitsMs.keys().map((at) => at + 1)].map((at) => runOf(named(at).name))
  const at = Math.max(
    0,
    runs.findLastIndex(({ kind }) => kind !== 'none'),
  )
  const run = runs[at] ?? { kind: 'none' }
  const waitMs = waitsMs[at]
  if (run.kind !== 'failed' || run.report.outcome !== 'Interrupted' || waitMs === undefined) {
    return { wish: named(at), run }
  }
  const againAtMs = run.endedAtMs + waitMs
  // An end in the future comes from a clock that was wrong.
  const isWaiting = run.endedAtMs <= nowMs + waitMs && nowMs < againAtMs
  return isWaiting ? { wish: named(at), run, againAtMs } : { wish: named(at + 1), run: { kind: 'none' } }
}
