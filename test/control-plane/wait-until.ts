// Polling of a condition outside this process, within a limit.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Wait {
  /** Completes the sentence "Waited 30 s for …". */
  readonly what: string
  /** Default: longer than any start takes, even on a machine that is busy with other tests. */
  readonly limitMs?: number
  readonly everyMs?: number
  readonly giveUp?: () => void
}

export const usualLimitMs = 180_000

/**
 * Throws if `isSo` has not returned true within the limit. An error of `isSo` means "not yet"; the last one becomes the
 * cause. An error
 * of `giveUp` ends the wait at once.
 */
export async function waitUntil(wait: Wait, isSo: () => Promise<boolean>): Promise<void> {
  const { limitMs = usualLimitMs } = wait
  const deadline = performance.now() + limitMs
  let cause: unknown
  for (;;) {
    wait.giveUp?.()
    try {
      if (await isSo()) return
    } catch (error) {
      cause = error
    }
    if (performance.now() > deadline) throw new Error(`Waited ${limitMs / 1000} s for ${wait.what}.`, { cause })
    await sleep(wait.everyMs ?? 50)
  }
}
