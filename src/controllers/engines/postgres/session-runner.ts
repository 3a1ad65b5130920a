// How is one piece of work done with a session? With one that is there, or a new one; one that turns out to be lost at its first
// statement is replaced, and one on which anything failed is not used again. One that is silent is not lost: a server that stands still
// is not asked twice.
import { type QueryAnswer, type QueryLimit, type SessionClient, SilenceError } from './session-client.ts'
import type { SessionFacts } from './session-facts.ts'
import type { Place } from './session-provisioner.ts'

/** A session for the time of one piece of work, under its signal. */
export interface BoundSession {
  readonly facts: SessionFacts
  query(text: string, values?: readonly Value[]): Promise<QueryAnswer>
}

export type Value = string | number | boolean | null

/** The first statement of the work must change nothing: it may be sent twice. The limit is that of each statement. */
export async function runOnSession<T>(
  place: Place,
  limit: QueryLimit,
  work: (session: BoundSession) => Promise<T>,
): Promise<T> {
  for (;;) {
    const { session, isReused } = await place.connect(limit.signal)
    const bound = new Bound(session, limit)
    try {
      return await work(bound)
    } catch (error) {
      const isSilent = error instanceof SilenceError || limit.signal.aborted
      const wasLostBefore = isReused && !session.isUsable && !bound.hasAnswered && !isSilent
      await place.discard()
      if (!wasLostBefore) throw error
    }
  }
}

class Bound implements BoundSession {
  readonly #session: SessionClient
  readonly #limit: QueryLimit
  hasAnswered = false

  constructor(session: SessionClient, limit: QueryLimit) {
    this.#session = session
    this.#limit = limit
  }

  get facts(): SessionFacts {
    return this.#session.facts
  }

  async query(text: string, values: readonly Value[] = []): Promise<QueryAnswer> {
    const answer = await this.#session.query(text, values, this.#limit)
    this.hasAnswered = true
    return answer
  }
}
