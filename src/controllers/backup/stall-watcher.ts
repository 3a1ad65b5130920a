// Ends work that makes no progress, because tools and servers may hang without an error. It observes the remote work
// regularly; each observation must differ from the last.
import { type Clock, sleep } from '../../index.ts'

interface StallLimit {
  readonly clock: Clock
  /** Longest time without progress. */
  readonly limitMs: number
  readonly stalled: () => Error
}

export interface Watch extends StallLimit {
  readonly signal: AbortSignal
  /** Returns a text that changes while the work progresses. Undefined: it surely progresses. */
  readonly look: () => Promise<string | undefined>
}

/** Number of observations within the limit. A failed observation counts as no progress. */
const looks = 10

/** Aborts the work's signal if it makes no progress. */
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
  })().catch(() => undefined) // The work has ended.
  try {
    return await work(AbortSignal.any([signal, stopping.signal]))
  } finally {
    ended.abort()
    await watching
  }
}
