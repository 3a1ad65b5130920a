// How is one piece of work done with a session? With one that is there, or a new one; one that turns out to be lost at its first
// statement is replaced, and one on which anything failed is not used again.
import type { QueryAnswer, SessionClient } from './session-client.ts'
import type { SessionFacts } from './session-facts.ts'
import type { Place } from './session-provisioner.ts'

/** A session for the time of one piece of work, under its signal. */
export interface BoundSession {
  readonly facts: SessionFacts
  query(text: string, values?: readonly Value[]): Promise<QueryAnswer>
}

export type Value = string | number | boolean | null

/** The first statement of the work must change nothing: it may be sent twice. */
export async function runOnSession<T>(
  place: Place,
  signal: AbortSignal,
  work: (session: BoundSession) => Promise<T>,
): Promise<T> {
  for (;;) {
    const { session, isReused } = await place.connect(signal)
    const bound = new Bound(session, signal)
    try {
      return await work(bound)
    } catch (error) {
      const wasLostBefore = isReused && !session.isUsable && !bound.hasAnswered && !signal.aborted
      await place.discard()
      if (!wasLostBefore) throw error
    }
  }
}

class Bound implements BoundSession {
  readonly #session: SessionClient
  readonly #signal: AbortSignal
  hasAnswered = false

  constructor(session: SessionClient, signal: AbortSignal) {
    this.#session = session
    this.#signal = signal
  }

  get facts(): SessionFacts {
    return this.#session.facts
  }

  async query(text: string, values: readonly Value[] = []): Promise<QueryAnswer> {
    const answer = await this.#session.query(text, values, this.#signal)
    this.hasAnswered = true
    return answer
  }
}
