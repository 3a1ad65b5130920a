// Limits how slow a stream may be. A store, a network file system or a tool may hang without an error, or send single
// bytes.
import type { Clock } from '../../index.ts'

export interface FlowLimit {
  readonly clock: Clock
  /** Longest wait of the reader for `leastBytes`. The reader's own time does not count. */
  readonly limitMs: number
  /** Default: 64 KiB. */
  readonly leastBytes?: number
  readonly stalled: () => Error
}

const usualLeastBytes = 64 * 1_024

/** Passes the content on while it arrives. A stalled source is abandoned: its creator must stop it. */
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
      next.catch(() => undefined) // The race handles the error.
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
