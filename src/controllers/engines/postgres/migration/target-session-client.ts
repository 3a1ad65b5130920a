// How does a migration speak to its database? On one session, on which the text of steps runs as their author knows the database, and
// our own statements with full names and nobody's settings.
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
  /** Who logged in: the login of this run. */
  readonly login: string
  /** Whom steps run as. */
  readonly owner: string
  /** As the database has it. */
  readonly searchPath: string
  readonly signal: AbortSignal
}

export interface StepLimits {
  readonly timeoutMs: number
  readonly lockTimeoutMs: number
}

/** The server's own word for a limit comes first. */
const graceMs = 2_000

export class TargetSession {
  readonly #options: TargetSessionOptions

  constructor(options: TargetSessionOptions) {
    this.#options = options
  }

  get isUsable(): boolean {
    return this.#options.session.isUsable
  }

  /** One of our own statements. */
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

  /** The text of a step as it stands. What the server says about it is a StepError. */
  async run(text: string, { timeoutMs }: StepLimits): Promise<void> {
    const { session, signal } = this.#options
    try {
      await session.run(text, { signal, limitMs: timeoutMs + graceMs })
    } catch (error) {
      throw this.#stepError(error)
    }
  }

  /** As `askAsAuthor`, on its own. */
  async lookAsAuthor(statement: Statement, limits: StepLimits): Promise<QueryAnswer> {
    return this.transaction(() => this.askAsAuthor(statement, limits), 'READ ONLY')
  }

  /** The same of rows, in which names of others read as they do for the author. */
  async readAsAuthor(statement: Statement, limits: StepLimits): Promise<QueryAnswer> {
    return this.transaction(async () => {
      await this.say(this.#author('LOCAL', limits))
      return this.askOfStep(statement, limits)
    }, 'READ ONLY')
  }

  /** As `askAsAuthor`, of what writes: triggers and constraints find what the author knows, and speak up before this resolves. */
  async writeAsAuthor(statement: Statement, limits: StepLimits): Promise<void> {
    await this.say(this.#author('LOCAL', limits))
    await this.askOfStep(statement, limits)
    await this.run(ourselvesAgain, limits)
  }

  /** Inside a transaction: one of our own statements, with the rights of the owner, of which the step is to blame. */
  async askAsAuthor(statement: Statement, limits: StepLimits): Promise<QueryAnswer> {
    await this.say(sql`SET LOCAL ROLE ${identifier(this.#options.owner)}`)
    const answer = await this.askOfStep(statement, limits)
    await this.say(sql`SET LOCAL ROLE NONE`)
    return answer
  }

  /** One of our own statements, of which the step is to blame. */
  async askOfStep({ text, values }: Statement, { timeoutMs }: StepLimits): Promise<QueryAnswer> {
    const { session, signal } = this.#options
    try {
      return await session.query(text, values, { signal, limitMs: timeoutMs + graceMs })
    } catch (error) {
      throw this.#stepError(error)
    }
  }

  /** Whatever earlier texts have set or opened is gone. The locks that we hold stay, so this is not DISCARD ALL. */
  async fresh(): Promise<void> {
    await this.say(freshSession)
  }

  /** For what runs in no transaction; until `fresh`. */
  async becomeAuthor(limits: StepLimits): Promise<void> {
    await this.say(this.#author('SESSION', limits))
  }

  /** For statements of our own that may take as long as a step; until `fresh`. */
  async setLimits({ timeoutMs, lockTimeoutMs }: StepLimits): Promise<void> {
    await this.say(sql`SET statement_timeout TO ${integer(timeoutMs)}; SET lock_timeout TO ${integer(lockTimeoutMs)}`)
  }

  /** Commits what `work` did, or rolls it back. */
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

  /** As `transaction`, and takes back all of it in any case. */
  async rehearsal<T>(work: () => Promise<T>): Promise<T> {
    await this.say(beginWriting)
    try {
      return await work()
    } finally {
      await this.#takeBack(sql`ROLLBACK`)
    }
  }

  /** Inside a transaction: as the author of the step, and with its constraints checked before this resolves. */
  async runInside(text: string, limits: StepLimits): Promise<void> {
    await this.say(this.#author('LOCAL', limits))
    await this.run(text, limits)
    await this.run(ourselvesAgain, limits)
  }

  /** Inside a transaction, of which nothing is left of it. Rejects with a StepError if it cannot be asked. */
  async holds({ sql: text, expect }: VerifyQuery, limits: StepLimits): Promise<{ holds: boolean; reads: string }> {
    await this.say(
      sql`SAVEPOINT konverge_verify; ${this.#author('LOCAL', limits)}; SET LOCAL transaction_read_only TO on`,
    )
    try {
      // By a cursor, as only the first row matters; and one statement, as another could end the transaction that takes all of it back.
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

  /** A session that is lost takes back by itself, and the error that led here tells more than that of this statement. */
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

/** Constraints that wait for the end speak up here, where the step is still the one to blame. */
const ourselvesAgain = sql`SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL ROLE NONE; SET LOCAL search_path TO ''`

/** A number or a yes or no may be shown; anything else may be somebody's data. */
function readingOf(rows: number, value: string | null | undefined): string {
  if (rows === 0) return 'there is no row'
  if (value == null) return 'it reads null'
  return /^-?\d{1,18}$|^[tf]$/.test(value) ? `it reads ${value}` : 'it reads otherwise'
}
