// Which try of a verification is it? One that lost its server or its store is followed by another, after a while that gets longer, and not for
// ever; what was found wrong is tried once. Which tries there were is told by their Jobs. Pure.
import type { WorkRun } from './work-run.ts'
import type { WorkWish } from './work-wish.ts'

export interface VerificationTry {
  readonly wish: WorkWish
  readonly run: WorkRun
  /** When there is another, as this one came to nothing; milliseconds since the epoch. */
  readonly againAtMs?: number
}

const minuteMs = 60_000
/** After each try but the last. Together less than an hour, as a schedule waits for its last backup. */
const waitsMs = [1, 4, 15, 15, 15].map((minutes) => minutes * minuteMs)

/** `first`: of the first try; the others are called after it. */
export function verificationTry(first: WorkWish, runOf: (job: string) => WorkRun, nowMs: number): VerificationTry {
  const named = (at: number): WorkWish => (at === 0 ? first : { ...first, name: `${first.name}-${at}` })
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
  // One whose end lies ahead was ended by a clock that has been put right since.
  const isWaiting = run.endedAtMs <= nowMs + waitMs && nowMs < againAtMs
  return isWaiting ? { wish: named(at), run, againAtMs } : { wish: named(at + 1), run: { kind: 'none' } }
}
