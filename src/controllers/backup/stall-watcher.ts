// Ends work that does not go on. Tools and servers may hang without ever failing: work that is done elsewhere is observed now and then, and has
// to look otherwise each time.
import { type Clock, sleep } from '../../index.ts'

interface StallLimit {
  readonly clock: Clock
  /** For as long nothing may happen. */
  readonly limitMs: number
  readonly stalled: () => Error
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
