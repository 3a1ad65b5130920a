// Runs work with a session, an existing or a new one. A session found lost at its first statement is replaced. A
// session on which a statement failed is not reused. A silent session does not count as lost, because a stalled server
// must not be asked twice.
import { type QueryAnswer, type QueryLimit, type SessionClient, SilenceError } from './session-client.ts'
import type { SessionFacts } from './session-facts.ts'
import type { Place } from './session-provisioner.ts'

/** A session for the duration of one piece of work, under its signal. */
export interface BoundSession {
  readonly facts: SessionFacts
  query(text: string, values?: readonly Value[]): Promise<QueryAnswer>
}

export type Value = string | number | boolean | null

/**
 * Runs the work. Its first statement must have no effect, because it may be sent twice. The limit applies to each
 * statement.
 */
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
