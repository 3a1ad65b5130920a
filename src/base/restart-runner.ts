// Runs work until it ends by itself. Invariant: failed work restarts after growing delays, and never after its signal
// aborted.
import { backoffDelayMs, defaultBackoff } from './backoff.ts'
import { type Clock, sleep } from './clock.ts'
import type { Random } from './random.ts'

export interface RestartOptions {
  readonly clock: Clock
  readonly random: Random
  /** Receives each failure, and the delay of the restart. */
  readonly onFailure: (thrown: unknown, delayMs: number) => void
}

/** Work that ran for this long has recovered: its next failure counts as the first. */
const recoveredMs = 60_000

/**
 * Resolves when the work has resolved, or when its signal aborted and it has ended. Delays are 5 s to 5 min. Never
 * rejects.
 */
export async function runRestarting(
  { clock, random, onFailure }: RestartOptions,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures++) {
    const beganMs = clock.monotonicMs()
    try {
      await work(signal)
      return
    } catch (thrown) {
      if (signal.aborted) return
      if (clock.monotonicMs() - beganMs > recoveredMs) failures = 1
      const delayMs = backoffDelayMs({ policy: defaultBackoff, failures, random })
      onFailure(thrown, delayMs)
      await sleep(clock, delayMs, signal).catch(() => {})
    }
  }
}
