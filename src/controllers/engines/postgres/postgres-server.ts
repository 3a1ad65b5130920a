// What can be asked of a PostgreSQL server, and done there? The port, carried out over shared sessions and through the server's
// endpoint. Each use begins with a statement that changes nothing, so that a session that was lost meanwhile is replaced in silence.

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
  /** Of this server and credential. */
  readonly sessions: () => SessionProvisioner
  readonly applicationName: string
  /** On a visit, if it has begun one. */
  readonly visitor: Visitor
  readonly signal: AbortSignal
}

/** Characters that take some milliseconds to parse. */
const longAnswer = 1_048_576

/** Time for a change to reach or pass its lock, and for a terminated session to end. */
const pause = 'SELECT pg_catalog.pg_sleep(0.2)::text AS pause'

/** Observations before SessionsRemain: 10 s of pauses. */
const sessionLooks = 50

/** Observations, about 1 s, after which a session that still starts is ended. */
const startLooks = 5

/** Answers are read as what their statements build: another server may send anything, and JavaScript's own message says nothing of it. */
function noAnswer(thrown: TypeError): Error {
  return new Error('the server sends what is no answer to the question', { cause: thrown })
}

/** One piece of work with one session. */
interface Work<T> {
  /** One word, for metrics. */
  readonly operation: string
  /** Completes "could not …". */
  readonly attempt: string
  readonly database: string
  readonly run: (session: BoundSession) => Promise<T>
  /** Only looks at catalogs, so that a server that does not answer soon does not answer. */
  readonly isLook?: true
  /** What it leaves in its session must not reach others: the session ends with it. */
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
      // By the server's clock, as it ends them.
      await this.query({ text: pause, isLook: true })
      // Most sessions start within milliseconds, and belong to other roles.
      const left = starting.size === 0 ? [] : (await startingSessions(this)).filter((pid) => starting.has(pid))
      starting = new Set(look < startLooks ? left : await this.#endStarting(left))
    }
    const whose = filter.role === undefined ? `in database ${filter.database}` : `of role ${filter.role}`
    const message = `sessions ${whose} on ${this.#name} do not end`
    throw new EngineError({ code: 'SessionsRemain', message, remedy: 'retry', retryAfterMs: 5_000 })
  }

  /** The sessions that may go on. */
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

  /** Until the change is over, which itself says how it went. Pauses by the server's clock, as the change waits there. */
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
    // It takes a place of the admin's, so that there are never more connections than five: where there is one in the database, its.
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

  /** Statements of which one can be in no transaction. All of them may be repeated, or fail with AlreadyExists. */
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

  /** Says for whom the next statements are, and shows that the session is alive before one that counts. */
  async #introduce(session: BoundSession): Promise<void> {
    await session.query(sql`SET application_name TO ${literal(this.#options.applicationName)}`)
  }

  /** One statement, which also says for whom it is. */
  async #ask<T>(session: BoundSession, { text, values }: JsonQuestion): Promise<T> {
    const introduction = `pg_catalog.set_config('application_name', $${values.length + 1}, false)`
    const statement = `SELECT ${introduction} AS caller, (${text})::text AS answer`
    const { rows } = await session.query(statement, [...values, this.#options.applicationName])
    // Sound: whoever asks names the type that the statement builds.
    return (await this.#parsed(rows[0]?.['answer'] ?? 'null', 'its roles and databases')) as T
  }

  async #parsed(text: string, about: string): Promise<unknown> {
    const { signal } = this.#options
    const answer = await this.#slices.run(slicedJsonAnswer(text, about), signal)
    // Whoever reads on has all the time that the thread may be held.
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
            // A breaker hears only of what concerns the server as a whole.
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
