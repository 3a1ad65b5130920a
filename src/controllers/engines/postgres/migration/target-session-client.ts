// Session of a migration in its database. The text of steps runs with the database's search path, as its author
// expects. Statements of konverge use qualified names and none of these settings.
import type { VerifyQuery } from '../../migration-step.ts'
import { StepError } from '../../step-error.ts'
import { asEngineError, endsSession } from '../failure.ts'
import { type QueryAnswer, type SessionClient, limits as sessionLimits } from '../session-client.ts'
import { identifier, integer, literal, type Sql, sql } from '../sql-text.ts'
import { outcomeUnknown } from '../transaction-runner.ts'
import type { Statement } from './mark-statements.ts'
import { stepErrorOf } from './step-failure.ts'

export interface TargetSessionOptions {
  readonly session: SessionClient
  /** For messages: `db.example:5432`. */
  readonly server: string
  /** Login of this run. */
  readonly login: string
  /** Role as which steps run. */
  readonly owner: string
  /** Search path that the database defines. */
  readonly searchPath: string
  readonly signal: AbortSignal
}

export interface StepLimits {
  readonly timeoutMs: number
  readonly lockTimeoutMs: number
}

/** Lets the server report its own limit first. */
const graceMs = 2_000

export class TargetSession {
  readonly #options: TargetSessionOptions

  constructor(options: TargetSessionOptions) {
    this.#options = options
  }

  get isUsable(): boolean {
    return this.#options.session.isUsable
  }

  /** Runs a statement of konverge. */
  async ask({ text, values }: Statement): Promise<QueryAnswer> {
    const { session, signal } = this.#options
    try {
      return await session.query(text, values, { signal, limitMs: sessionLimits.answerMs })
    } catch (error) {
      throw this.#engineError(error)
    }
  }

  async say(text: Sql): Promise<QueryAnswer> {
    return this.ask({ text, values: [] })
  }

  /** Runs the text of a step unchanged. Rejects with a StepError for an error of the server about it. */
  async run(text: string, { timeoutMs }: StepLimits): Promise<void> {
    const { session, signal } = this.#options
    try {
      await session.run(text, { signal, limitMs: timeoutMs + graceMs })
    } catch (error) {
      throw this.#stepError(error)
    }
  }

  /** Like `askAsAuthor`, in a transaction of its own. */
  async lookAsAuthor(statement: Statement, limits: StepLimits): Promise<QueryAnswer> {
    return this.transaction(() => this.askAsAuthor(statement, limits), 'READ ONLY')
  }

  /** Like `lookAsAuthor`, with the author's search path: names inside values read as they do for the author. */
  async readAsAuthor(statement: Statement, limits: StepLimits): Promise<QueryAnswer> {
    return this.transaction(async () => {
      await this.say(this.#author('LOCAL', limits))
      return this.askOfStep(statement, limits)
    }, 'READ ONLY')
  }

  /**
   * Like `askAsAuthor`, for a write. Triggers and constraints resolve names as for the author, and fail before this
   * resolves.
   */
  async writeAsAuthor(statement: Statement, limits: StepLimits): Promise<void> {
    await this.say(this.#author('LOCAL', limits))
    await this.askOfStep(statement, limits)
    await this.run(ourselvesAgain, limits)
  }

  /**
   * Inside a transaction, runs a statement of konverge with the rights of the owner. The step is to blame for its
   * errors.
   */
  async askAsAuthor(statement: Statement, limits: StepLimits): Promise<QueryAnswer> {
    await this.say(sql`SET LOCAL ROLE ${identifier(this.#options.owner)}`)
    const answer = await this.askOfStep(statement, limits)
    await this.say(sql`SET LOCAL ROLE NONE`)
    return answer
  }

  /** Runs a statement of konverge for whose errors the step is to blame. */
  async askOfStep({ text, values }: Statement, { timeoutMs }: StepLimits): Promise<QueryAnswer> {
    const { session, signal } = this.#options
    try {
      return await session.query(text, values, { signal, limitMs: timeoutMs + graceMs })
    } catch (error) {
      throw this.#stepError(error)
    }
  }

  /**
   * Removes all settings and objects that earlier texts left in the session. Keeps the advisory locks, unlike DISCARD
   * ALL.
   */
  async fresh(): Promise<void> {
    await this.say(freshSession)
  }

  /** Applies to statements outside a transaction, until `fresh`. */
  async becomeAuthor(limits: StepLimits): Promise<void> {
    await this.say(this.#author('SESSION', limits))
  }

  /** Applies the step's limits to statements of konverge, until `fresh`. */
  async setLimits({ timeoutMs, lockTimeoutMs }: StepLimits): Promise<void> {
    await this.say(sql`SET statement_timeout TO ${integer(timeoutMs)}; SET lock_timeout TO ${integer(lockTimeoutMs)}`)
  }

  /** Commits the changes of `work`, or rolls them back if it rejects. */
  async transaction<T>(work: () => Promise<T>, mode: 'READ WRITE' | 'READ ONLY' = 'READ WRITE'): Promise<T> {
    await this.say(mode === 'READ WRITE' ? beginWriting : beginReading)
    let result: T
    try {
      result = await work()
    } catch (error) {
      await this.#takeBack(sql`ROLLBACK`)
      throw error
    }
    await this.#commit()
    return result
  }

  /** Like `transaction`, but always rolls back. */
  async rehearsal<T>(work: () => Promise<T>): Promise<T> {
    await this.say(beginWriting)
    try {
      return await work()
    } finally {
      await this.#takeBack(sql`ROLLBACK`)
    }
  }

  /** Inside a transaction, runs a text as the author of the step. Checks deferred constraints before it resolves. */
  async runInside(text: string, limits: StepLimits): Promise<void> {
    await this.say(this.#author('LOCAL', limits))
    await this.run(text, limits)
    await this.run(ourselvesAgain, limits)
  }

  /**
   * Runs a verification inside a transaction, and leaves nothing in it. Rejects with a StepError if the query fails.
   */
  async holds({ sql: text, expect }: VerifyQuery, limits: StepLimits): Promise<{ holds: boolean; reads: string }> {
    await this.say(
      sql`SAVEPOINT konverge_verify; ${this.#author('LOCAL', limits)}; SET LOCAL transaction_read_only TO on`,
    )
    try {
      // A cursor, because only the first row matters. One statement, because a second one could end the transaction
      // that rolls it back.
      await this.#runOne(`DECLARE konverge_verify NO SCROLL CURSOR FOR ${text}`, limits)
      const { rows } = await this.askOfStep({ text: 'FETCH 1 FROM konverge_verify', values: [] }, limits)
      const [value] = Object.values(rows[0] ?? {})
      return { holds: value === expect, reads: readingOf(rows.length, value) }
    } finally {
      await this.#takeBack(sql`ROLLBACK TO SAVEPOINT konverge_verify; RELEASE SAVEPOINT konverge_verify`)
    }
  }

  async #runOne(text: string, { timeoutMs }: StepLimits): Promise<void> {
    const { session, signal } = this.#options
    try {
      await session.runOne(text, { signal, limitMs: timeoutMs + graceMs })
    } catch (error) {
      throw this.#stepError(error)
    }
  }

  /**
   * Never rejects. A lost session rolls back by itself, and the earlier error says more than that of this statement.
   */
  async #takeBack(text: Sql): Promise<void> {
    await this.say(text).catch(() => undefined)
  }

  async #commit(): Promise<void> {
    const { session, signal, server } = this.#options
    try {
      await session.query('COMMIT', [], { signal, limitMs: sessionLimits.answerMs })
    } catch (error) {
      if (signal.aborted) throw error
      throw endsSession(error) ? outcomeUnknown('a step was being committed', server) : this.#stepError(error)
    }
  }

  #author(scope: 'LOCAL' | 'SESSION', { timeoutMs, lockTimeoutMs }: StepLimits): Sql {
    const { searchPath, owner } = this.#options
    const word = scope === 'LOCAL' ? sql`LOCAL` : sql`SESSION`
    const isLocal = scope === 'LOCAL' ? sql`true` : sql`false`
    return sql`SELECT pg_catalog.set_config('search_path', ${literal(searchPath)}, ${isLocal});
      SET ${word} statement_timeout TO ${integer(timeoutMs)}; SET ${word} lock_timeout TO ${integer(lockTimeoutMs)};
      SET ${word} ROLE ${identifier(owner)}`
  }

  #engineError(error: unknown): unknown {
    const { signal, server, login } = this.#options
    if (signal.aborted || error instanceof StepError) return error
    return asEngineError(error, { attempt: `migrate on ${server}`, admin: login })
  }

  #stepError(error: unknown): unknown {
    if (this.#options.signal.aborted) return error
    return stepErrorOf(error) ?? this.#engineError(error)
  }
}

const beginWriting = sql`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`
const beginReading = sql`BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY`

const freshSession = sql`CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; DEALLOCATE ALL; UNLISTEN *;
  DISCARD PLANS; DISCARD SEQUENCES; DISCARD TEMP; SET search_path TO ''`

/** Deferred constraints fail here, where the step is still to blame. */
const ourselvesAgain = sql`SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL ROLE NONE; SET LOCAL search_path TO ''`

/** Shows only numbers and booleans. Any other value may be user data. */
function readingOf(rows: number, value: string | null | undefined): string {
  if (rows === 0) return 'there is no row'
  if (value == null) return 'it reads null'
  return /^-?\d{1,18}$|^[tf]$/.test(value) ? `it reads ${value}` : 'it reads otherwise'
}
