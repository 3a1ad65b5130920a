// What is one session? A connection that has logged in to one database, with limits on everything that waits. An error of the
// connection while nobody uses it marks it as lost and ends nothing else.
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
    /** By the extended protocol, also without values. */
    queryMode?: 'extended'
  }
}

/** Milliseconds. The server's own limits are shorter than ours, as its words are better than our silence. */
export const limits = {
  connectMs: 5_000,
  statementMs: 30_000,
  lockMs: 5_000,
  idleInTransactionMs: 60_000,
  /** Until a server that is asked to end a session has done so. */
  closeMs: 1_000,
  /** A statement that changes something, and whose answer has not come by then, never gets one. */
  answerMs: 35_000,
  /** The same of one that only looks, at catalogs: whoever waits for it has something to tell. */
  lookMs: 10_000,
  /** One piece of work that changes something, all its statements together. */
  changeMs: 75_000,
} as const

export interface SessionOptions {
  readonly access: ServerAccess
  readonly database: string
  readonly applicationName: string
  readonly clock: Clock
  /** `own`: as the server has it for this role and database. Default: none, so that only full names find anything. */
  readonly searchPath?: 'none' | 'own'
  /** The server's major version, where an earlier session has shown it: newer servers have settings that older ones reject. */
  readonly majorVersion?: number | undefined
  /** The longest answer, in bytes on the wire. Default: any, of messages of 64 MiB at most. */
  readonly answerBytes?: number
}

/** Of sessions in the operator, where a statement answers in JSON: the text, and what is around it. */
export const operatorAnswerBytes = 10 * 1024 * 1024

/** The connection is there, and nobody answers. Another one would not be answered either. */
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

/** Sound: the parsers of this client leave every value as the text that came, and several statements have an answer each. */
type Answers = Answer | readonly Answer[]
type Answer = Pick<QueryAnswer, 'rows'>

export interface QueryAnswer {
  /** Columns as the server wrote them. */
  readonly rows: readonly Readonly<Record<string, string | null>>[]
}

export class SessionClient {
  readonly database: string
  readonly facts: SessionFacts
  /** What the server shows of it, until a statement changes it. */
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

  /** Rejects with what the server, the network or TLS said, or with the signal's reason. */
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
    // Without a listener an error of a connection that nobody uses would end the process.
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
   * Without values, several statements at once are taken; the rows are those of the last one that gave any. When the signal aborts or the limit is reached, the server gives up the
   * statement within a second. Rejects with a SilenceError when the limit was reached.
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

  /** Sends a text as it stands, of any number of statements. Rows that come are let go, however many. */
  async run(text: string, limit: QueryLimit): Promise<void> {
    return this.#send(new Query(text), limit)
  }

  /** As `run`, of one statement: the server refuses a text of several before it begins with any. */
  async runOne(text: string, limit: QueryLimit): Promise<void> {
    return this.#send(new Query({ text, queryMode: 'extended' }), limit)
  }

  async #send(query: Query, { signal, limitMs }: QueryLimit): Promise<void> {
    const bounds = { clock: this.#clock, socket: this.#socket, signal, limitMs }
    await withinLimit(bounds, () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      // Somebody has to listen for rows, or they are kept.
      query.on('row', () => undefined)
      query.on('end', () => resolve())
      query.on('error', reject)
      this.#client.query(query)
      return promise
    })
  }

  /** Resolves when the server has let it go, so that it does not count as a connection any more. Never rejects. */
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

/** What the server sends, message by message. What is no message, and what pg makes nothing of, ends the connection and not the process. */
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

/** pg takes for granted that a server answers in the order of the protocol, and trips over one that does not. */
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

/** The server's word for a setting, as pg's connection passes it on. */
interface ParameterStatus {
  readonly parameterName: string
  readonly parameterValue: string
}

type Address = { readonly host: string; readonly port: number } | { readonly path: string }

function addressOf({ host, port, dial, socket }: ServerAccess): Address {
  return socket === undefined ? (dial ?? { host, port }) : { path: socket }
}

/** Goes to its own address whatever it is told, so that the name that TLS checks may be another one. */
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

/** Nothing but the loss of its socket ends what a client waits for, so that is how both limits work. */
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

/** Everything that pg would else take from the environment or from files of the user's is said. */
function clientConfig(
  { access, database, applicationName, majorVersion = 0, searchPath = 'none' }: SessionOptions,
  asked: PasswordRequest,
): ClientConfig {
  return {
    host: access.host,
    port: access.port,
    user: access.username,
    // A function: pg looks elsewhere for an empty password. pg calls it after the server has named its method.
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
 * What comes with the start of a session wins over what the owner of a database has set for it: nobody but us says who we are there,
 * what is loaded and what names mean. The server looks every second whether we are still there: what nobody waits for is given up.
 * A machine that is lost says nothing, and is asked after.
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

/** The methods that tell a server the password, or what a dictionary attack needs, by pg's name of the request. */
const weakMethods = [
  ['authenticationCleartextPassword', 'the password in clear text'],
  ['authenticationMD5Password', 'an MD5 hash of the password'],
] as const

/** The weak method that the server has asked for. */
interface PasswordRequest {
  method?: string
}

/**
 * SCRAM alone proves a password without telling it. The operator answers no other request, over TLS neither: whoever writes a
 * DatabaseUser or a Database may choose a server of his own and name a Secret of somebody else (I11).
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
