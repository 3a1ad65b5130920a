// Bounds how slowly a stream may come. A store, a network file system or a tool may hang without ever failing, or send a byte now and then.
import type { Clock } from '../../index.ts'

export interface FlowLimit {
  readonly clock: Clock
  /** How long the reader waits for `leastBytes`. What the reader itself takes does not count. */
  readonly limitMs: number
  /** Default: 64 KiB. */
  readonly leastBytes?: number
  readonly stalled: () => Error
}

const usualLeastBytes = 64 * 1_024

/** The same, as long as it comes. What hangs is left behind: whoever made it has to stop it. */
export async function* withoutStall(
  content: AsyncIterable<Uint8Array>,
  { clock, limitMs, leastBytes = usualLeastBytes, stalled }: FlowLimit,
): AsyncIterable<Uint8Array> {
  const iterator = content[Symbol.asyncIterator]()
  let isOver = false
  let [leftMs, bytes] = [limitMs, 0]
  try {
    for (;;) {
      const overdue = Promise.withResolvers<never>()
      const startMs = clock.monotonicMs()
      const timer = clock.setTimer(leftMs, () => overdue.reject(stalled()))
      const next = iterator.next()
      next.catch(() => undefined) // Whoever waits for it hears of it.
      const { done, value } = await Promise.race([next, overdue.promise]).finally(() => timer.cancel())
      isOver = done === true
      if (done === true) return
      leftMs -= clock.monotonicMs() - startMs
      bytes += value.byteLength
      if (bytes >= leastBytes) [leftMs, bytes] = [limitMs, 0]
      yield value
    }
  } finally {
    if (!isOver) iterator.return?.()?.catch(() => undefined)
  }
}
