// How do probes and scrapers reach us? A small HTTP server for /healthz, /livez, /readyz and /metrics. It reads no bodies,
// holds few connections for a short time, and never answers with anything but what those pages say.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Instruments } from '../base/instrument.ts'
import { type HealthRegistry, healthText, type Probe } from './health.ts'
import type { Exposition } from './metrics.ts'

/** `ListenFailed`: the port is taken or the host is not ours. */
export class HttpServerError extends CodedError<'ListenFailed'> {
  override readonly name = 'HttpServerError'
}

export interface HttpServerOptions {
  readonly clock: Clock
  readonly instruments: Instruments
  readonly health: HealthRegistry
  readonly exposition: Exposition
  /** The address to listen on. Default: `127.0.0.1`; a kubelet's probes need the pod's, so `0.0.0.0` or `::` in a cluster. */
  readonly host?: string
  /** 0 takes any free port. */
  readonly port: number
}

/** Where the server listens. */
export interface HttpAddress {
  readonly host: string
  readonly port: number
}

interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string
  readonly allow?: string
}

const probes: ReadonlyMap<string, Probe> = new Map([
  ['/healthz', 'live'],
  ['/livez', 'live'],
  ['/readyz', 'ready'],
])
const plainText = 'text/plain; charset=utf-8'
const maxConnections = 64
const maxHeaderBytes = 8_192
const requestTimeoutMs = 10_000
const idleConnectionMs = 30_000
/** What `stop` gives answers that are under way. */
const stopLimitMs = 2_000

export class HttpServer {
  readonly #options: HttpServerOptions
  #server: Server | undefined
  #stopped: Promise<void> | undefined

  constructor(options: HttpServerOptions) {
    this.#options = options
  }

  /** Resolves when it listens; stops by itself when the signal aborts. Rejects with an HttpServerError if it cannot listen. */
  async start(signal: AbortSignal): Promise<HttpAddress> {
    assert(this.#server === undefined, 'an HTTP server starts once')
    signal.throwIfAborted()
    const options = {
      maxHeaderSize: maxHeaderBytes,
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
    }
    const server = createServer({ ...options, keepAliveTimeout: idleConnectionMs }, (request, response) => {
      void this.#respond(request, response)
    })
    server.maxConnections = maxConnections
    this.#server = server
    const address = await this.#listen(server)
    const onAbort = () => void this.stop()
    signal.addEventListener('abort', onAbort, { once: true })
    server.once('close', () => signal.removeEventListener('abort', onAbort))
    if (signal.aborted) await this.stop()
    return address
  }

  /** Takes no more connections, gives answers under way 2 s, and resolves when all connections are closed. */
  async stop(): Promise<void> {
    if (this.#server === undefined) return
    this.#stopped ??= this.#close(this.#server)
    await this.#stopped
  }

  async #close(server: Server): Promise<void> {
    const limit = this.#options.clock.setTimer(stopLimitMs, () => server.closeAllConnections())
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeIdleConnections()
    })
    limit.cancel()
  }

  #listen(server: Server): Promise<HttpAddress> {
    const { host = '127.0.0.1', port, instruments } = this.#options
    return new Promise((resolve, reject) => {
      server.on('error', (cause) => {
        if (server.listening) instruments.log.error({ err: cause }, 'the server for probes and metrics failed')
        const message = `listen on ${host}:${port} for probes and metrics: ${cause.message}; choose another address or port`
        reject(new HttpServerError({ code: 'ListenFailed', message, remedy: 'stop', cause }))
      })
      server.listen({ host, port }, () => {
        // Sound: a server that listens on a host and port has such an address.
        const address = server.address() as AddressInfo
        resolve({ host: address.address, port: address.port })
      })
    })
  }

  /** Never rejects. */
  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, contentType, body, allow } = await this.#answer(request)
    const hasBody = bodyIsAnnounced(request)
    response.writeHead(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(allow === undefined ? {} : { allow }),
      // What was announced and not read would be taken for the next request.
      ...(hasBody ? { connection: 'close' } : {}),
    })
    // To HEAD, Node sends the headers only.
    response.end(body)
    if (hasBody) response.once('finish', () => request.destroy())
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2)
    const probe = probes.get(path)
    if (probe === undefined && path !== '/metrics') return textAnswer(404, 'not found\n')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return { ...textAnswer(405, 'only GET and HEAD are answered here\n'), allow: 'GET, HEAD' }
    }
    if (bodyIsAnnounced(request)) return textAnswer(413, 'requests have no body here\n')
    if (probe === undefined) return await this.#metrics()
    const report = this.#options.health.report(probe)
    return textAnswer(
      report.isOk ? 200 : 503,
      healthText(report, { isVerbose: new URLSearchParams(query).has('verbose') }),
    )
  }

  async #metrics(): Promise<Answer> {
    const { exposition, instruments } = this.#options
    try {
      return { status: 200, contentType: exposition.contentType, body: await exposition.text() }
    } catch (thrown) {
      instruments.log.error({ err: thrown }, 'exposing the metrics failed')
      return textAnswer(500, `the metrics cannot be exposed: ${messageOf(thrown)}\n`)
    }
  }
}

function textAnswer(status: number, body: string): Answer {
  return { status, contentType: plainText, body }
}

function bodyIsAnnounced({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}
