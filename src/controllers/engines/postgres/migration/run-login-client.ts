// Creates and removes the login of a run. Invariant: the text of steps runs on the login's session, never on this
// session of the admin. A run first removes the login that a dead run left. It creates its own, lets it connect once,
// and removes it at the end.
import type { ExternalTools, SecretSource } from '../../../../index.ts'
import { passwordFrom } from '../../../../index.ts'
import type { StatementServer } from '../../engine.ts'
import { EngineError } from '../../engine-error.ts'
import type { ServerAccess } from '../../server-access.ts'
import { asEngineError } from '../failure.ts'
import { HeldServerClient } from '../held-server-client.ts'
import { scramVerifier } from '../scram.ts'
import { type QueryAnswer, SessionClient, limits as sessionLimits } from '../session-client.ts'
import { type Sql, sql } from '../sql-text.ts'
import type { Statement } from './mark-statements.ts'
import {
  closeLogin,
  endSessionsOf,
  letReadAll,
  makeLogin,
  observeLogin,
  type RunLogin,
  removeLogin,
  sessionsOf,
} from './run-login.ts'

export interface RunPlace {
  /** Access of the admin. */
  readonly access: ServerAccess
  readonly database: string
  /** Role as which steps run. */
  readonly owner: string
  readonly applicationName: string
  readonly clock: ExternalTools['clock']
  readonly secrets: SecretSource
}

type Guest = Pick<RunLogin, 'role' | 'purpose'>

/** Limit of the last statements before the session closes. */
const partingMs = 10_000

export class RunLoginClient {
  readonly #place: RunPlace
  readonly #session: SessionClient
  readonly #signal: AbortSignal
  #guest: (Guest & { session?: SessionClient }) | undefined

  private constructor(place: RunPlace, session: SessionClient, signal: AbortSignal) {
    this.#place = place
    this.#session = session
    this.#signal = signal
  }

  /** Rejects with an EngineError, or with the signal's reason, as all methods do. */
  static async open(place: RunPlace, signal: AbortSignal): Promise<RunLoginClient> {
    const session = await opened(place, 'none', signal)
    const client = new RunLoginClient(place, session, signal)
    try {
      // The owner of the database may have set it to read-only.
      await client.say(sql`SET default_transaction_read_only TO off`)
      return client
    } catch (error) {
      await session.close()
      throw error
    }
  }

  /** Port to the server on this session, for one end of a replication. */
  get server(): StatementServer {
    const { access, applicationName, clock } = this.#place
    return new HeldServerClient({ session: this.#session, access, applicationName, clock, signal: this.#signal })
  }

  get majorVersion(): number {
    return this.#session.facts.majorVersion
  }

  async ask(statement: Statement): Promise<QueryAnswer> {
    return this.#query(statement)
  }

  async say(text: Sql): Promise<QueryAnswer> {
    return this.#query({ text, values: [] })
  }

  /**
   * Creates the login and opens its session. A role has one session at a time: earlier ones are terminated. Rejects if
   * a step of such a session may still run.
   */
  async letIn(role: string, purpose: RunLogin['purpose']): Promise<SessionClient> {
    const { database, owner, secrets } = this.#place
    const [found] = (await this.ask(observeLogin(role))).rows
    if (found?.['isThere'] === 't') await this.#remove({ role, purpose })
    const password = passwordFrom(secrets, 32)
    const verifier = scramVerifier({ password, salt: secrets.bytes(16) })
    const login: RunLogin = { role, database, owner, verifier, validUntil: found?.['validUntil'] ?? '', purpose }
    await this.say(makeLogin(login, this.#session.facts))
    this.#guest = { role, purpose }
    if (purpose === 'read') await this.#letReadAll(role)
    const access = { ...this.#place.access, username: role, password }
    const session = await opened({ ...this.#place, access }, 'own', this.#signal)
    this.#guest = { role, purpose, session }
    await this.say(closeLogin(role))
    return session
  }

  /** Never rejects. A login that it cannot remove can do nothing, and the next run removes it. */
  async close(): Promise<void> {
    const guest = this.#guest
    await guest?.session?.close()
    if (guest !== undefined && this.#session.isUsable) {
      await this.#remove(guest, new AbortController().signal).catch(() => undefined)
    }
    await this.#session.close()
  }

  async #remove({ role, purpose }: Guest, signal = this.#signal): Promise<void> {
    await this.#query(endSessionsOf(role), signal)
    const { rows } = await this.#query(sessionsOf(role), signal)
    // Outside a transaction, only the end of the session keeps a statement from a later effect. A login that only reads
    // has no effect.
    if (rows.length > 0 && purpose === 'mark') throw stillAtWork(rows[0]?.['pid'] ?? '')
    await this.#query({ text: removeLogin(role, this.#place.owner), values: [] }, signal)
  }

  async #letReadAll(role: string): Promise<void> {
    try {
      await this.say(letReadAll(role))
    } catch (error) {
      // Then the login reads what the owner may read.
      if (!(error instanceof EngineError && error.sqlState === '42501')) throw error
    }
  }

  async #query({ text, values }: Statement, signal = this.#signal): Promise<QueryAnswer> {
    const limitMs = signal === this.#signal ? sessionLimits.answerMs : partingMs
    try {
      return await this.#session.query(text, values, { signal, limitMs })
    } catch (error) {
      if (signal.aborted) throw error
      const { host, port, username } = this.#place.access
      throw asEngineError(error, { attempt: `prepare a migration on ${host}:${port}`, admin: username })
    }
  }
}

function stillAtWork(pid: string): EngineError {
  const message = `the session of an earlier worker (process ${pid} of the server) does not end, so that nobody knows what its step still does`
  return new EngineError({ code: 'DatabaseInUse', message, remedy: 'retry' })
}

async function opened(place: RunPlace, searchPath: 'none' | 'own', signal: AbortSignal): Promise<SessionClient> {
  const { access, database, applicationName, clock } = place
  try {
    return await SessionClient.open({ access, database, applicationName, clock, searchPath }, signal)
  } catch (error) {
    if (signal.aborted) throw error
    throw asEngineError(error, { attempt: `connect to ${access.host}:${access.port}`, admin: access.username })
  }
}
