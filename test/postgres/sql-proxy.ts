// Proxy between a client and its database server, plain TCP on loopback. It records every connection and statement, and
// cuts, refuses or hangs on request. With TLS it only counts connections.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { ServerAccess } from '../../src/controllers/engines/server-access.ts'
import { type Frame, FrameReader, parametersOf, requestOf, statementOf } from './wire-frames.ts'

export interface ProxyStatement {
  /**
   * Number from 1, over all connections. A message with several statements counts once, like a statement with
   * parameters.
   */
  readonly index: number
  readonly text: string
  readonly connection: number
  readonly database: string
  readonly user: string
  /** Name at the start of the connection; statements may have changed it. */
  readonly applicationName: string
}

/**
 * - `cutBefore`: the connection breaks before the server gets the statement.
 * - `cutAfter`: the server has run it, or waits for the rows of a COPY; the connection breaks in place of the answer.
 * - `hang`: this connection passes no more bytes, in either direction.
 */
export type Verdict = 'pass' | 'cutBefore' | 'cutAfter' | 'hang'

export type Judge = (statement: ProxyStatement) => Verdict

/**
 * `hang`: accepted and never answered. `garbage`: answered by a server that is not PostgreSQL. `inClear`: a request for
 * TLS is denied.
 */
export type Welcome = 'pass' | 'hang' | 'garbage' | 'inClear'

/** A longer statement does not count as work: it waits for a lock, or the server is paused. */
const workLimitMs = 10_000

export class SqlProxy {
  readonly port: number
  /** Called for every statement; replace it at any time. */
  judge: Judge = () => 'pass'
  /** Holds a statement until the promise resolves; the server gets nothing of its connection meanwhile. */
  hold: (statement: ProxyStatement) => Promise<void> | undefined = () => undefined
  /** Treatment of new connections. */
  welcome: Welcome = 'pass'
  /** Server of new connections. */
  target: ServerAccess
  readonly #server: Server
  readonly #links = new Set<Link>()
  readonly #statements: ProxyStatement[] = []
  #connections = 0
  #peak = 0

  private constructor(target: ServerAccess, server: Server) {
    this.target = target
    this.#server = server
    this.port = (server.address() as AddressInfo).port // A listening TCP server has a port.
    server.on('connection', (socket) => this.#accept(socket))
  }

  /** Starts a proxy before the server that `target` dials. The caller stops it. */
  static async start(target: ServerAccess): Promise<SqlProxy> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new SqlProxy(target, server)
  }

  /** Returns the target through this proxy; its host stays the one that certificates name. */
  access(changes: Partial<ServerAccess> = {}): ServerAccess {
    return { ...this.target, dial: { host: '127.0.0.1', port: this.port }, ...changes }
  }

  /** In order of arrival. */
  get statements(): readonly ProxyStatement[] {
    return [...this.#statements]
  }

  /** Number of connections: open now, most at once, in total. */
  get connections(): { readonly open: number; readonly peak: number; readonly total: number } {
    return { open: this.#links.size, peak: this.#peak, total: this.#connections }
  }

  /**
   * True while a server works on a statement. A hanging statement does not count, because it never reached the server.
   */
  get isServerAtWork(): boolean {
    const since = performance.now() - workLimitMs
    return [...this.#links].some(({ askedAtMs }) => askedAtMs !== undefined && askedAtMs > since)
  }

  /** Resets all counters and indexes. */
  forget(): void {
    this.#statements.length = 0
    this.#connections = this.#links.size
    this.#peak = this.#links.size
  }

  /** Breaks every open connection. */
  cutAll(): void {
    for (const link of this.#links) link.cut()
  }

  /** Closes the listener; open connections stay. */
  async refuse(): Promise<void> {
    this.#server.close()
  }

  async accept(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.cutAll()
  }

  #accept(client: Socket): void {
    this.#connections += 1
    const link = new Link(client, this.#connections, {
      connect: () => this.#connect(client),
      offersTls: () => this.welcome !== 'inClear',
      judge: (statement) => {
        const numbered = { ...statement, index: this.#statements.length + 1 }
        this.#statements.push(numbered)
        return { verdict: this.judge(numbered), held: this.hold(numbered) }
      },
      end: () => this.#links.delete(link),
    })
    this.#links.add(link)
    this.#peak = Math.max(this.#peak, this.#links.size)
    link.begin()
  }

  #connect(client: Socket): Socket | undefined {
    if (this.welcome === 'garbage') client.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    if (this.welcome === 'hang' || this.welcome === 'garbage') return undefined
    const { host, port } = this.target.dial ?? this.target
    return connect({ host, port, noDelay: true })
  }
}

/** Cuts at the nth statement from now on, once. */
export function cutAt(n: number, when: 'before' | 'after'): Judge {
  let seen = 0
  return () => {
    seen += 1
    return seen === n ? verdictOf[when] : 'pass'
  }
}

/** Cuts at the first statement whose text matches, once. */
export function cutAtText(text: RegExp, when: 'before' | 'after'): Judge {
  let isDone = false
  return (statement) => {
    if (isDone || !text.test(statement.text)) return 'pass'
    isDone = true
    return verdictOf[when]
  }
}

const verdictOf = { before: 'cutBefore', after: 'cutAfter' } as const

interface Judgement {
  readonly verdict: Verdict
  readonly held?: Promise<void> | undefined
}

interface LinkRules {
  /** Undefined: no server follows. */
  connect(): Socket | undefined
  offersTls(): boolean
  judge(statement: Omit<ProxyStatement, 'index'>): Judgement
  end(): void
}

/** One connection, from the client to the server. */
class Link {
  readonly #client: Socket
  readonly #number: number
  readonly #rules: LinkRules
  readonly #fromClient = new FrameReader(false)
  readonly #fromServer = new FrameReader(true)
  #parameters: ReadonlyMap<string, string> = new Map()
  #state: 'passing' | 'hanging' | 'cutting' = 'passing'
  /**
   * Mode of the parser: `asked` waits for the one byte that answers a request for TLS; `sealed` is TLS, which is not
   * parsed.
   */
  #reading: 'frames' | 'asked' | 'sealed' = 'frames'
  #server: Socket | undefined
  /** Frames after a held statement. */
  #held: Frame[] | undefined
  /**
   * Time at which the server got its unanswered input or was dialled, by the process's monotonic clock. With TLS, any
   * answer counts as complete.
   */
  askedAtMs: number | undefined

  constructor(client: Socket, number: number, rules: LinkRules) {
    this.#client = client
    this.#number = number
    this.#rules = rules
  }

  begin(): void {
    const server = this.#rules.connect()
    this.#server = server
    for (const socket of [this.#client, ...(server === undefined ? [] : [server])]) {
      socket.on('error', () => undefined) // A close event follows.
      socket.on('close', () => this.cut())
    }
    if (server === undefined) return
    this.askedAtMs = performance.now()
    this.#client.on('data', (chunk: Buffer) => this.#takeFromClient(server, chunk))
    server.on('data', (chunk: Buffer) => this.#takeFromServer(chunk))
    this.#client.on('end', () => server.end())
    server.on('end', () => this.#client.end())
  }

  cut(): void {
    this.#client.destroy()
    this.#server?.destroy()
    this.#rules.end()
  }

  #takeFromClient(server: Socket, chunk: Buffer): void {
    if (this.#reading === 'sealed') {
      this.#ask(server, chunk)
      return
    }
    for (const frame of this.#fromClient.read(chunk)) this.#queueFrame(server, frame)
  }

  #queueFrame(server: Socket, frame: Frame): void {
    if (this.#held === undefined) this.#takeFrame(server, frame)
    else this.#held.push(frame)
  }

  #takeFrame(server: Socket, frame: Frame): void {
    if (!this.#fromClient.isTyped && this.#begin(frame) === 'refused') return
    const { verdict, held } = this.#judgementOn(frame)
    if (verdict === 'cutBefore') return this.cut()
    if (verdict === 'cutAfter') this.#state = 'cutting'
    if (verdict === 'hang') this.#state = 'hanging'
    if (this.#state === 'hanging') this.askedAtMs = undefined
    else if (held === undefined) this.#ask(server, frame.bytes)
    else this.#holdBack(server, frame, held)
  }

  /** Frames after the statement wait too. */
  #holdBack(server: Socket, frame: Frame, held: Promise<void>): void {
    const behind: Frame[] = []
    this.#held = behind
    const release = () => {
      this.#held = undefined
      this.#ask(server, frame.bytes)
      for (const next of behind) this.#queueFrame(server, next)
    }
    held.then(release, () => this.cut())
  }

  #ask(server: Socket, bytes: Buffer): void {
    this.askedAtMs = performance.now()
    server.write(bytes)
  }

  #begin(frame: Frame): 'refused' | undefined {
    const request = requestOf(frame)
    if (request === 'tls' && !this.#rules.offersTls()) {
      this.#client.write('N')
      return 'refused'
    }
    if (request === 'tls' || request === 'gss') this.#reading = 'asked'
    if (request !== 'start') return undefined
    this.#parameters = parametersOf(frame)
    this.#fromClient.isTyped = true
    return undefined
  }

  #judgementOn(frame: Frame): Judgement {
    const text = statementOf(frame)
    if (text === undefined || this.#state !== 'passing') return { verdict: 'pass' }
    return this.#rules.judge({
      text,
      connection: this.#number,
      database: this.#parameters.get('database') ?? '',
      user: this.#parameters.get('user') ?? '',
      applicationName: this.#parameters.get('application_name') ?? '',
    })
  }

  #takeFromServer(chunk: Buffer): void {
    if (this.#reading === 'asked') {
      this.#reading = chunk.toString('latin1', 0, 1) === 'S' ? 'sealed' : 'frames'
      this.#client.write(chunk)
      return
    }
    if (this.#reading === 'sealed') {
      this.askedAtMs = undefined
      this.#client.write(chunk)
      return
    }
    for (const { type, bytes } of this.#fromServer.read(chunk)) {
      if (this.#state === 'passing') this.#client.write(bytes)
      // `Z`, ready for query: the statement is done. `G`, ready for rows of a COPY: the server waits.
      if (type !== 'Z' && type !== 'G') continue
      this.askedAtMs = undefined
      if (this.#state === 'cutting') return this.cut()
    }
  }
}
