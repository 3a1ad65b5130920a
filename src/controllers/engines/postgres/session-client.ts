// Session: a connection that has logged in to one database, with a limit on every wait. Invariant: an error of an idle
// connection marks the session as lost and ends nothing else.
import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Client, type ClientConfig, Query } from 'pg'
import type { ExternalTools } from '../../../index.ts'
import { EngineError } from '../engine-error.ts'
import type { ServerAccess } from '../server-access.ts'
import { keepaliveOptions } from './keepalive-options.ts'
import { ServerMessages } from './server-messages.ts'
import type { SessionFacts } from './session-facts.ts'

type Clock = ExternalTools['clock']

declare module 'pg' {
  interface Connection {
    /** Begins to read the server's messages, once TLS is settled. */
    attachListeners(stream: EventEmitter): void
  }
  interface QueryConfig {
    /** Uses the extended protocol, also without values. */
    queryMode?: 'extended'
  }
}

/** Milliseconds. The server's own limits are shorter, because its errors say more than a timeout here. */
export const limits = {
  connectMs: 5_000,
  statementMs: 30_000,
  lockMs: 5_000,
  idleInTransactionMs: 60_000,
  /** Wait for the server to end a session on request. */
  closeMs: 1_000,
  /** A statement that changes something and has no answer by then never gets one. */
  answerMs: 35_000,
  /** The same for a statement that only reads catalogs: its caller has a status to report. */
  lookMs: 10_000,
  /** All statements of one piece of work that changes something. */
  changeMs: 75_000,
} as const

export interface SessionOptions {
  readonly access: ServerAccess
  readonly database: string
  readonly applicationName: string
  readonly clock: Clock
  /**
   * `own`: as the server defines it for this role and database. Default: none, so that only qualified names resolve.
   */
  readonly searchPath?: 'none' | 'own'
  /**
   * The server's major version, if an earlier session has shown it. Newer servers have settings that older ones reject.
   */
  readonly majorVersion?: number | undefined
  /** Longest answer, in bytes on the wire. Default: no limit, with messages of at most 64 MiB. */
  readonly answerBytes?: number
}

/** For sessions in the operator, whose statements answer in JSON: the text, and what surrounds it. */
export const operatorAnswerBytes = 10 * 1024 * 1024

/** The connection exists, but the server does not answer. It would not answer another connection either. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError'

  constructor(limitMs: number) {
    super(`no answer within ${limitMs / 1_000} s`)
  }
}

export interface QueryLimit {
  readonly signal: AbortSignal
  readonly limitMs: number
}

/** Sound: this client's parsers leave every value as received text, and each of several statements has an answer. */
type Answers = Answer | readonly Answer[]
type Answer = Pick<QueryAnswer, 'rows'>

export interface QueryAnswer {
  /** Values as the server wrote them. */
  readonly rows: readonly Readonly<Record<string, string | null>>[]
}

export class SessionClient {
  readonly database: string
  readonly facts: SessionFacts
  /** Name that the server shows, until a statement changes it. */
  readonly applicationName: string
  readonly #client: Client
  readonly #socket: Socket
  readonly #clock: Clock
  #isLost = false
  #onLost: () => void = () => {}

  private constructor(opened: Opened, facts: SessionFacts) {
    this.#client = opened.client
    this.#socket = opened.socket
    this.#clock = opened.options.clock
    this.database = opened.options.database
    this.applicationName = opened.options.applicationName
    this.facts = facts
    opened.client.on('end', () => this.#lose())
    opened.client.on('error', () => this.#lose())
  }

  /** Rejects with the error of the server, the network or TLS, or with the signal's reason. */
  static async open(options: SessionOptions, signal: AbortSignal): Promise<SessionClient> {
    const { access, clock } = options
    const socket = new DialingSocket(addressOf(access))
    const asked: PasswordRequest = {}
    const client = new Client({ ...clientConfig(options, asked), stream: () => socket })
    for (const [event, method] of weakMethods) {
      client.connection.on(event, () => {
        asked.method = method
      })
    }
    const attach = client.connection.attachListeners.bind(client.connection)
    client.connection.attachListeners = (stream: Duplex) => attach(wellFormed(stream, options))
    // Without a listener, an error of an idle connection would end the process.
    client.on('error', () => socket.destroy())
    const parameters = new Map<string, string>()
    client.connection.on('parameterStatus', (status: ParameterStatus) =>
      parameters.set(status.parameterName, status.parameterValue),
    )
    const bounds = { clock, socket, signal, limitMs: limits.connectMs }
    await withinLimit(bounds, () => client.connect()).catch((error: unknown) => {
      socket.destroy()
      throw error
    })
    const majorVersion = Number.parseInt(parameters.get('server_version') ?? '', 10)
    return new SessionClient(
      { client, socket, options },
      { majorVersion, isSuperuser: parameters.get('is_superuser') === 'on' },
    )
  }

  get isUsable(): boolean {
    return !this.#isLost
  }

  /** Calls back once, when the session is lost. */
  onLost(listener: () => void): void {
    this.#onLost = listener
  }

  /**
   * Accepts several statements if there are no values. Returns the rows of the last statement that gave any. When the
   * signal aborts or the limit passes, the server cancels the statement within a second. Rejects with a SilenceError
   * when the limit passes.
   */
  async query(
    text: string,
    values: readonly (string | number | boolean | null)[],
    { signal, limitMs }: QueryLimit,
  ): Promise<QueryAnswer> {
    const bounds = { clock: this.#clock, socket: this.#socket, signal, limitMs }
    const statement = values.length === 0 ? { text } : { text, values: [...values] }
    return withinLimit(bounds, async () => {
      const answer: Answers = await this.#client.query<Record<string, string | null>>(statement)
      return { rows: [answer].flat().findLast(({ rows }) => rows.length > 0)?.rows ?? [] }
    })
  }

  /** Sends a text of any number of statements unchanged. Drops all rows, however many. */
  async run(text: string, limit: QueryLimit): Promise<void> {
    return this.#send(new Query(text), limit)
  }

  /** Like `run`, for one statement: the server rejects a text of several before it runs any. */
  async runOne(text: string, limit: QueryLimit): Promise<void> {
    return this.#send(new Query({ text, queryMode: 'extended' }), limit)
  }

  async #send(query: Query, { signal, limitMs }: QueryLimit): Promise<void> {
    const bounds = { clock: this.#clock, socket: this.#socket, signal, limitMs }
    await withinLimit(bounds, () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      // Without a listener for rows, pg keeps them.
      query.on('row', () => undefined)
      query.on('end', () => resolve())
      query.on('error', reject)
      this.#client.query(query)
      return promise
    })
  }

  /** Resolves when the server has closed the connection, which then no longer counts. Never rejects. */
  async close(): Promise<void> {
    const timer = this.#clock.setTimer(limits.closeMs, () => this.#socket.destroy())
    try {
      await this.#client.end()
    } catch {
      this.#socket.destroy()
    } finally {
      timer.cancel()
      this.#lose()
    }
  }

  #lose(): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#onLost()
  }
}

/**
 * Emits the server's bytes message by message. Bytes that are no message, or that pg cannot handle, end the connection
 * and not the process.
 */
function wellFormed(stream: Duplex, { answerBytes }: SessionOptions): EventEmitter {
  const checked = new EventEmitter()
  const messages = new ServerMessages({ answerBytes })
  stream.on('data', (bytes: Buffer) => {
    try {
      for (const message of messages.read(bytes)) checked.emit('data', message)
    } catch (error) {
      stream.destroy(protocolError(error))
    }
  })
  stream.on('end', () => checked.emit('end'))
  return checked
}

/** pg expects answers in the order of the protocol, and throws a TypeError for others. */
function protocolError(thrown: unknown): Error {
  if (thrown instanceof TypeError)
    return new Error('the server sends what is no answer of PostgreSQL’s protocol', { cause: thrown })
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

interface Opened {
  readonly client: Client
  readonly socket: Socket
  readonly options: SessionOptions
}

/** Setting that the server reports, as pg's connection passes it on. */
interface ParameterStatus {
  readonly parameterName: string
  readonly parameterValue: string
}

type Address = { readonly host: string; readonly port: number } | { readonly path: string }

function addressOf({ host, port, dial, socket }: ServerAccess): Address {
  return socket === undefined ? (dial ?? { host, port }) : { path: socket }
}

/** Connects to its own address instead of pg's, so that TLS can check another name. */
class DialingSocket extends Socket {
  readonly #address: Address

  constructor(address: Address) {
    super()
    this.#address = address
  }

  override connect(): this {
    return super.connect(this.#address)
  }
}

interface Bounds {
  readonly clock: Clock
  readonly socket: Socket
  readonly signal: AbortSignal
  readonly limitMs: number
}

/** Both limits destroy the socket, because nothing else ends a client's wait. */
async function withinLimit<T>({ clock, socket, signal, limitMs }: Bounds, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  let hasPassed = false
  const abort = () => socket.destroy()
  const timer = clock.setTimer(limitMs, () => {
    hasPassed = true
    socket.destroy()
  })
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await work()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (hasPassed) throw new SilenceError(limitMs)
    throw protocolError(error)
  } finally {
    timer.cancel()
    signal.removeEventListener('abort', abort)
  }
}

/** Sets everything that pg would otherwise take from the environment or from the user's files. */
function clientConfig(
  { access, database, applicationName, majorVersion = 0, searchPath = 'none' }: SessionOptions,
  asked: PasswordRequest,
): ClientConfig {
  return {
    host: access.host,
    port: access.port,
    user: access.username,
    // A function, because pg looks elsewhere for an empty password. pg calls it after the server has named its method.
    password: () => {
      if (asked.method !== undefined) throw wantsWeakMethod(access, asked.method)
      return access.password
    },
    database,
    ssl: tlsOptions(access),
    application_name: applicationName,
    client_encoding: 'UTF8',
    statement_timeout: limits.statementMs,
    lock_timeout: limits.lockMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
    options: [
      ...(searchPath === 'none' ? ['-c search_path='] : []),
      ...startupOptions,
      ...(majorVersion < 17 ? [] : ['-c transaction_timeout=0']),
    ].join(' '),
    keepAlive: true,
    types: { getTypeParser: () => (value: unknown) => value },
  }
}

/**
 * Startup options take precedence over settings of the database's owner. Only the operator decides about its role,
 * loaded libraries and the meaning of names. The server checks every second whether the client is there, and cancels
 * statements of a lost client. Keepalive detects a lost machine, which sends nothing.
 */
const startupOptions = [
  '-c role=none',
  '-c local_preload_libraries=',
  '-c idle_session_timeout=0',
  '-c tcp_user_timeout=0',
  '-c default_transaction_isolation=read\\ committed',
  '-c default_transaction_deferrable=off',
  '-c quote_all_identifiers=off',
  '-c exit_on_error=off',
  '-c standard_conforming_strings=on',
  '-c client_min_messages=warning',
  '-c client_connection_check_interval=1s',
  ...keepaliveOptions,
]

/** Methods that reveal the password, or the data of a dictionary attack, to a server. By pg's name of the request. */
const weakMethods = [
  ['authenticationCleartextPassword', 'the password in clear text'],
  ['authenticationMD5Password', 'an MD5 hash of the password'],
] as const

/** Weak method that the server has requested. */
interface PasswordRequest {
  method?: string
}

/**
 * Only SCRAM proves a password without revealing it. The operator answers no other request, even over TLS. The author
 * of a DatabaseUser or Database may choose a server of their own, and name a Secret of another user (I11).
 */
function wantsWeakMethod({ host, port, username }: ServerAccess, method: string): EngineError {
  const message =
    `${host}:${port} asks for ${method}; the operator proves passwords by SCRAM only: set the method of role ${username} ` +
    'to scram-sha-256 in pg_hba.conf, and its password again while password_encryption is scram-sha-256'
  return new EngineError({ code: 'AdminAuthFailed', message, remedy: 'stop', retryAfterMs: 300_000 })
}

function tlsOptions({ tls, ca }: ServerAccess): ClientConfig['ssl'] {
  const trust = ca === undefined ? {} : { ca }
  switch (tls) {
    case 'disable':
      return false
    case 'require':
      return { rejectUnauthorized: false }
    case 'verify-ca':
      return { ...trust, rejectUnauthorized: true, checkServerIdentity: () => undefined }
    case 'verify-full':
      return { ...trust, rejectUnauthorized: true }
  }
}
