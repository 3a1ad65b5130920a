// Replication port on a session that the caller holds. It uses the same statements and transactions as shared sessions.
// Invariant: after the loss of the session no further statement runs.
import type { ExternalTools } from '../../../index.ts'
import type { Change } from '../change.ts'
import type { PlainStatement, Row, StatementServer } from '../engine.ts'
import type { ServerAccess } from '../server-access.ts'
import { SliceRunner } from '../slice-runner.ts'
import { asEngineError } from './failure.ts'
import { slicedJsonAnswer } from './json-answer.ts'
import { type SessionClient, limits as sessionLimits } from './session-client.ts'
import type { BoundSession } from './session-runner.ts'
import { runTransaction } from './transaction-runner.ts'

export interface HeldServerOptions {
  readonly session: SessionClient
  readonly access: ServerAccess
  readonly applicationName: string
  readonly clock: ExternalTools['clock']
  readonly signal: AbortSignal
}

/** All statements run in the session's database. Rejects with an EngineError, or with the signal's reason. */
export class HeldServerClient implements StatementServer {
  readonly #options: HeldServerOptions
  readonly #bound: BoundSession
  readonly #slices: SliceRunner

  constructor(options: HeldServerOptions) {
    const { session, signal } = options
    const limit = { signal, limitMs: sessionLimits.answerMs }
    this.#options = options
    this.#slices = new SliceRunner(options.clock)
    this.#bound = { facts: session.facts, query: (text, values = []) => session.query(text, values, limit) }
  }

  async query({ text, values = [] }: PlainStatement): Promise<readonly Row[]> {
    try {
      return (await this.#bound.query(text, values)).rows
    } catch (error) {
      throw this.#told(error, 'run a statement')
    }
  }

  async queryJson(statement: Omit<PlainStatement, 'isLook'>, about: string): Promise<unknown> {
    const [row] = await this.query(statement)
    return await this.#slices.run(slicedJsonAnswer(String(row?.['answer'] ?? null), about), this.#options.signal)
  }

  async change(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return
    const { access, applicationName, session, signal } = this.#options
    try {
      await runTransaction(this.#bound, changes, {
        ...{ applicationName, admin: access.username, server: this.#name },
        ...{ slices: this.#slices, signal },
      })
    } catch (error) {
      // The server rolls back the transaction of a lost session.
      if (session.isUsable) await this.#bound.query('ROLLBACK').catch(() => undefined)
      throw this.#told(error, 'change the database')
    }
  }

  #told(error: unknown, attempt: string): unknown {
    const { signal, access } = this.#options
    if (signal.aborted) return signal.reason
    return asEngineError(error, { attempt: `${attempt} on ${this.#name}`, admin: access.username })
  }

  get #name(): string {
    const { host, port } = this.#options.access
    return `${host}:${port}`
  }
}
