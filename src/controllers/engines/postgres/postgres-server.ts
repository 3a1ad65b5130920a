// PostgreSQL implementation of the server port, over shared sessions and the server's endpoint. Each use begins with a
// statement that changes nothing, so that a lost session is replaced without an error.

import type { Endpoint, ExternalTools } from '../../../index.ts'
import type { Change } from '../change.ts'
import type {
  DatabaseServer,
  DesiredDatabase,
  LoginAttempt,
  LoginVerdict,
  PlainStatement,
  Row,
  ServerQuestion,
  SessionFilter,
} from '../engine.ts'
import { EngineError } from '../engine-error.ts'
import type { GrantQuestion, ObservedGrants } from '../grant.ts'
import type { ObservedContents, ObservedSession, ServerObservation } from '../observed-server.ts'
import type { ServerAccess } from '../server-access.ts'
import { SliceRunner } from '../slice-runner.ts'
import { createDatabaseStatement, dropDatabaseStatements, firstMarkStatement } from './database-statements.ts'
import { asEngineError, endsSession } from './failure.ts'
import { slicedJsonAnswer } from './json-answer.ts'
import { tryLogin } from './login-client.ts'
import { contentsOf, contentsQuestion, grantsOf, grantsQuestion } from './observe-database.ts'
import { type JsonQuestion, serverObservation, serverQuestion } from './observe-server.ts'
import { limits } from './session-client.ts'
import type { SessionFacts } from './session-facts.ts'
import type { SessionProvisioner, Visitor } from './session-provisioner.ts'
import { sessionsQuestion, terminateQuestion } from './session-questions.ts'
import { type BoundSession, runOnSession } from './session-runner.ts'
import { identifier, literal, type Sql, sql } from './sql-text.ts'
import { speaksOfServer } from './sqlstate.ts'
import { endStartingSession, startingSessions } from './starting-sessions-client.ts'
import { outcomeUnknown, runTransaction } from './transaction-runner.ts'

export interface PostgresServerOptions {
  readonly access: ServerAccess
  readonly clock: ExternalTools['clock']
  readonly endpoint: Endpoint
  /** Session pool of this server and credential. */
  readonly sessions: () => SessionProvisioner
  readonly applicationName: string
  /** Resource for which this server uses sessions, with its visit if it has begun one. */
  readonly visitor: Visitor
  readonly signal: AbortSignal
}

/** Length in characters that takes some milliseconds to parse. */
const longAnswer = 1_048_576

/** Time for a change to reach or pass its lock, and for a terminated session to end. */
const pause = 'SELECT pg_catalog.pg_sleep(0.2)::text AS pause'

/** Observations before SessionsRemain: 10 s of pauses. */
const sessionLooks = 50

/** Observations, about 1 s, after which `endSessions` ends a session that is still starting. */
const startLooks = 5

/**
 * The code reads answers as its statements build them. Another server may send anything, and JavaScript's own message
 * does not say so.
 */
function noAnswer(thrown: TypeError): Error {
  return new Error('the server sends what is no answer to the question', { cause: thrown })
}

/** Work on one session. */
interface Work<T> {
  /** One word, for metrics. */
  readonly operation: string
  /** Completes "could not …". */
  readonly attempt: string
  readonly database: string
  readonly run: (session: BoundSession) => Promise<T>
  /** Only reads catalogs, so that the shorter limit applies. */
  readonly isLook?: true
  /** Leaves state in its session that must not reach other callers. The session ends with it. */
  readonly isMessy?: true
}

export class PostgresServer implements DatabaseServer {
  readonly #options: PostgresServerOptions
  readonly #slices: SliceRunner

  constructor(options: PostgresServerOptions) {
    this.#options = options
    this.#slices = new SliceRunner(options.clock)
  }

  async observe(question: ServerQuestion): Promise<ServerObservation> {
    const { maintenanceDatabase: database } = this.#options.access
    return this.#use({
      operation: 'observe',
      isLook: true,
      attempt: 'look at the server',
      database,
      run: async (session) =>
        serverObservation(await this.#ask(session, serverQuestion(question, session.facts)), question, session.facts),
    })
  }

  async observeContents(database: string): Promise<ObservedContents> {
    const attempt = `look into database ${identifier(database)}`
    return this.#use({
      operation: 'observeContents',
      isLook: true,
      attempt,
      database,
      run: async (session) => contentsOf(await this.#ask(session, contentsQuestion)),
    })
  }

  async observeGrants(database: string, question: GrantQuestion): Promise<ObservedGrants> {
    const attempt = `look at the privileges in database ${identifier(database)}`
    return this.#use({
      operation: 'observeGrants',
      isLook: true,
      attempt,
      database,
      run: async (session) => grantsOf(await this.#ask(session, grantsQuestion(question))),
    })
  }

  async sessions(filter: SessionFilter): Promise<readonly ObservedSession[]> {
    const { maintenanceDatabase: database } = this.#options.access
    return this.#use({
      operation: 'sessions',
      isLook: true,
      attempt: 'list sessions',
      database,
      run: async (session) => this.#ask(session, sessionsQuestion(filter)),
    })
  }

  async terminate(filter: SessionFilter): Promise<number> {
    const { maintenanceDatabase: database } = this.#options.access
    return this.#use({
      operation: 'terminate',
      attempt: 'end sessions',
      database,
      run: async (session) => this.#ask(session, terminateQuestion(filter)),
    })
  }

  async endSessions(filter: SessionFilter): Promise<void> {
    let starting = new Set(await startingSessions(this))
    for (let look = 1; look <= sessionLooks; look += 1) {
      const ended = await this.terminate(filter)
      if (ended === 0 && starting.size === 0) return
      // Pauses by the server's clock, because the server ends the sessions.
      await this.query({ text: pause, isLook: true })
      // Most sessions start within milliseconds, and belong to other roles.
      const left = starting.size === 0 ? [] : (await startingSessions(this)).filter((pid) => starting.has(pid))
      starting = new Set(look < startLooks ? left : await this.#endStarting(left))
    }
    const whose = filter.role === undefined ? `in database ${filter.database}` : `of role ${filter.role}`
    const message = `sessions ${whose} on ${this.#name} do not end`
    throw new EngineError({ code: 'SessionsRemain', message, remedy: 'retry', retryAfterMs: 5_000 })
  }

  /** Returns the sessions that may continue. */
  async #endStarting(pids: readonly number[]): Promise<readonly number[]> {
    const left: number[] = []
    for (const pid of pids) if (await endStartingSession(this, pid)) left.push(pid)
    return left
  }

  async change(changes: readonly Change[], at?: { readonly database: string }): Promise<void> {
    await this.#change(changes, at)
  }

  async #change(
    changes: readonly Change[],
    at?: { readonly database?: string; readonly attempts?: number },
  ): Promise<void> {
    if (changes.length === 0) return
    for (const change of changes) if (change.kind === 'renameDatabase') await this.#leave(change.database)
    const { access, applicationName } = this.#options
    await this.#use({
      operation: 'change',
      attempt: at?.database === undefined ? 'change the server' : `change database ${identifier(at.database)}`,
      database: at?.database ?? access.maintenanceDatabase,
      run: (session) =>
        runTransaction(session, changes, {
          ...{ applicationName, admin: access.username, server: this.#name },
          ...{ slices: this.#slices, signal: this.#options.signal, attempts: at?.attempts },
        }),
    })
  }

  async changeDespite(changes: readonly Change[], roles: readonly string[]): Promise<void> {
    try {
      return await this.#change(changes, { attempts: 1 })
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'Contention') throw error
    }
    const change = { isOver: false }
    const changed = this.#change(changes).finally(() => {
      change.isOver = true
    })
    await Promise.all([changed, this.#endBlockers(roles, change)])
  }

  /**
   * Ends blocking sessions until the change is over, which reports its own outcome. Pauses by the server's clock,
   * because the change waits there.
   */
  async #endBlockers(roles: readonly string[], change: { readonly isOver: boolean }): Promise<void> {
    try {
      while (!change.isOver) {
        await this.query({ text: pause, isLook: true })
        await this.terminate({ blockedBy: roles })
      }
    } catch {
      return
    }
  }

  async createDatabase(wish: DesiredDatabase): Promise<void> {
    const name = identifier(wish.name)
    await this.#alone('createDatabase', `create database ${name}`, ({ majorVersion }) => [
      createDatabaseStatement(wish, majorVersion),
      firstMarkStatement(wish),
    ])
  }

  async dropDatabase(database: string, { force }: { readonly force: boolean }): Promise<void> {
    await this.#leave(database)
    const statements = dropDatabaseStatements(database, force ? 'force' : 'wait')
    await this.#alone('dropDatabase', `drop database ${identifier(database)}`, () => statements)
  }

  async tryLogin(attempt: LoginAttempt): Promise<LoginVerdict> {
    const { access, clock, endpoint, signal, applicationName, visitor } = this.#options
    const { database } = attempt
    // The login takes a place of the admin's sessions, preferably of one in the same database. There are never more
    // than five connections.
    const verdict = await this.#options.sessions().use({ database, visitor, signal }, async (place) => {
      await place.discard()
      return endpoint.call(
        'login',
        (until) => tryLogin({ access, clock, applicationName, attempt, signal: until }),
        signal,
      )
    })
    if (verdict !== 'WrongPassword') return verdict
    const { roles } = await this.observe({ roles: [{ name: attempt.username }] })
    const role = roles[0]
    if (role === undefined) return 'RoleMissing'
    if (role.hasExpired) return 'Expired'
    return role.canLogin ? 'WrongPassword' : 'Disabled'
  }

  async query({ text, values = [], database, isLook }: PlainStatement): Promise<readonly Row[]> {
    return this.#use({
      ...(isLook === true ? { isLook } : { isMessy: true }),
      operation: 'query',
      attempt: 'run a statement',
      database: database ?? this.#options.access.maintenanceDatabase,
      run: async (session) => {
        await this.#introduce(session)
        return (await session.query(text, values)).rows
      },
    })
  }

  async queryJson(statement: Omit<PlainStatement, 'isLook'>, about: string): Promise<unknown> {
    const [row] = await this.query({ ...statement, isLook: true })
    return await this.#parsed(String(row?.['answer'] ?? null), about)
  }

  /**
   * Runs statements that include one that cannot run in a transaction. Each can be repeated, or fails with
   * AlreadyExists.
   */
  async #alone(operation: string, attempt: string, statements: (facts: SessionFacts) => readonly Sql[]): Promise<void> {
    await this.#use({
      operation,
      attempt,
      database: this.#options.access.maintenanceDatabase,
      run: async (session) => {
        await this.#introduce(session)
        for (const statement of statements(session.facts)) {
          await session.query(statement).catch((error: unknown) => {
            throw endsSession(error) ? outcomeUnknown(`trying to ${attempt}`, this.#name) : error
          })
        }
      },
    })
  }

  /**
   * Sets the caller's name for the next statements. Detects a lost session before a statement that changes something.
   */
  async #introduce(session: BoundSession): Promise<void> {
    await session.query(sql`SET application_name TO ${literal(this.#options.applicationName)}`)
  }

  /** Runs one statement, which also sets the caller's name. */
  async #ask<T>(session: BoundSession, { text, values }: JsonQuestion): Promise<T> {
    const introduction = `pg_catalog.set_config('application_name', $${values.length + 1}, false)`
    const statement = `SELECT ${introduction} AS caller, (${text})::text AS answer`
    const { rows } = await session.query(statement, [...values, this.#options.applicationName])
    // Sound: the caller names the type that the statement builds.
    return (await this.#parsed(rows[0]?.['answer'] ?? 'null', 'its roles and databases')) as T
  }

  async #parsed(text: string, about: string): Promise<unknown> {
    const { signal } = this.#options
    const answer = await this.#slices.run(slicedJsonAnswer(text, about), signal)
    // The code that reads the answer gets a full time slice of the thread.
    if (text.length > longAnswer) await this.#slices.pause(signal)
    return answer
  }

  /** For messages. */
  get #name(): string {
    const { host, port } = this.#options.access
    return `${host}:${port}`
  }

  async #leave(database: string): Promise<void> {
    await this.#options.sessions().leave(database)
  }

  async #use<T>(work: Work<T>): Promise<T> {
    const { endpoint, signal, access, visitor } = this.#options
    const use = { database: work.database, visitor, signal }
    const context = { attempt: `${work.attempt} on ${this.#name}`, admin: access.username }
    const limitMs = work.isLook ? limits.lookMs : limits.answerMs
    const outcome = await this.#options.sessions().use(use, async (place) =>
      endpoint.call(
        work.operation,
        async (until): Promise<{ readonly value: T } | { readonly error: EngineError }> => {
          try {
            const value = await runOnSession(place, { signal: until, limitMs }, work.run)
            if (work.isMessy) await place.discard()
            return { value }
          } catch (thrown) {
            if (until.aborted) throw until.reason
            const error = asEngineError(thrown instanceof TypeError ? noAnswer(thrown) : thrown, context)
            // The breaker counts only failures of the server as a whole.
            if (speaksOfServer(error)) throw error
            return { error }
          }
        },
        signal,
        work.isLook ? undefined : { limitMs: limits.changeMs },
      ),
    )
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }
}
