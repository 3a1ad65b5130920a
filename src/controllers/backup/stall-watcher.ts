// Does it still go on? Stores, tools and servers may hang without ever failing. What comes from a store has to come within a limit; work
// that is done elsewhere is looked at now and then, and has to look otherwise each time.
import { type Clock, sleep } from '../../index.ts'

export interface StallLimit {
  readonly clock: Clock
  /** For as long nothing may happen. */
  readonly limitMs: number
  readonly stalled: () => Error
}

/** The same, as long as it comes. What hangs is left behind: whoever made it has to stop it. */
export async function* withoutStall(
  content: AsyncIterable<Uint8Array>,
  { clock, limitMs, stalled }: StallLimit,
): AsyncIterable<Uint8Array> {
  const iterator = content[Symbol.asyncIterator]()
  let isOver = false
  try {
    for (;;) {
      const overdue = Promise.withResolvers<never>()
      const timer = clock.setTimer(limitMs, () => overdue.reject(stalled()))
      const next = iterator.next()
      next.catch(() => undefined) // Whoever waits for it hears of it.
      const { done, value } = await Promise.race([next, overdue.promise]).finally(() => timer.cancel())
      isOver = done === true
      if (done === true) return
      yield value
    }
  } finally {
    if (!isOver) iterator.return?.()?.catch(() => undefined)
  }
}

export interface Watch extends StallLimit {
  readonly signal: AbortSignal
  /** A text that changes as long as it goes on; undefined: it surely does. */
  readonly look: () => Promise<string | undefined>
}

/** Looks ten times within the limit; what cannot be looked at does not go on. */
const looks = 10

/** Aborts the work's signal when it does not go on. */
export async function whileItMoves<T>(
  { clock, limitMs, stalled, signal, look }: Watch,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [stopping, ended] = [new AbortController(), new AbortController()]
  const watching = (async () => {
    let seen: string | undefined
    for (let count = 0; count < looks; ) {
      await sleep(clock, limitMs / looks, ended.signal)
      const now = await look().catch(() => 'out of sight')
      count = now !== undefined && now === seen ? count + 1 : 0
      seen = now
    }
    stopping.abort(stalled())
  })().catch(() => undefined) // It has ended.
  try {
    return await work(AbortSignal.any([signal, stopping.signal]))
  } finally {
    ended.abort()
    await watching
  }
}
