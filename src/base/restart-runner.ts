// Work that goes on until it ends by itself. Invariant: work that fails is begun again after growing delays, and none is begun after its signal
// aborted.
import { backoffDelayMs, defaultBackoff } from './backoff.ts'
import { type Clock, sleep } from './clock.ts'
import type { Random } from './random.ts'

export interface RestartOptions {
  readonly clock: Clock
  readonly random: Random
  /** Reports a failure, and when the work is begun again. */
  readonly onFailure: (thrown: unknown, delayMs: number) => void
}

/** Work that went on for so long has recovered: its next failure is its first. */
const recoveredMs = 60_000

/** Resolves when the work has resolved, or its signal aborted and it has ended. Delays are 5 s to 5 min. Never rejects. */
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
