// HTTP or HTTPS server for /healthz, /livez, /readyz and /metrics. It reads no bodies, limits its connections, and
// closes idle ones. Invariant: only readers that the options name get metrics.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { assert } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Instruments } from '../base/instrument.ts'
import type { AccessReviewClient, AccessVerdict } from './access-review-client.ts'
import { type HealthRegistry, healthText, type Probe } from './health.ts'
import type { Exposition } from './metrics.ts'
import { isRequestedHost } from './requested-host.ts'
import type { ServerCertificate } from './server-certificate.ts'

/** `ListenFailed`: the port is in use, or the host is no address of this machine. */
export class HttpServerError extends CodedError<'ListenFailed'> {
  override readonly name = 'HttpServerError'
}

export interface HttpServerOptions {
  readonly clock: Clock
  readonly instruments: Instruments
  /** Checks of the probes; absent: no pages for probes. */
  readonly health?: HealthRegistry
  readonly exposition: Exposition
  /** Readers of /metrics. Default: `loopback`. */
  readonly metrics?: MetricsAudience
  /** Certificate for HTTPS; absent: plain HTTP. */
  readonly certificate?: ServerCertificate
  /**
   * Address to listen on. Default: `127.0.0.1`. A kubelet's probes need the pod's address, so use `0.0.0.0` or `::` in
   * a cluster.
   */
  readonly host?: string
  /** Port; 0 takes any free one. */
  readonly port: number
}

/**
 * `loopback`: connections from this machine. `reviewed`: those whom the API server allows to `get` the path; requires a
 * certificate.
 */
export type MetricsAudience =
  | 'nobody'
  | 'loopback'
  | 'everybody'
  | { readonly kind: 'reviewed'; readonly access: Pick<AccessReviewClient, 'verdictOn'> }

/** Address of a server. */
export interface HttpAddress {
  readonly host: string
  readonly port: number
}

interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: string
  readonly allow?: string
  readonly authenticate?: string
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
/** Time for pending responses to end after `stop`. */
const stopLimitMs = 2_000

export class HttpServer {
  readonly #options: HttpServerOptions
  #server: Server | undefined
  #stopped: Promise<void> | undefined

  constructor(options: HttpServerOptions) {
    this.#options = options
  }

  /**
   * Starts to listen and returns the address; stops when the signal aborts. Rejects with an HttpServerError if it
   * cannot listen.
   */
  async start(signal: AbortSignal): Promise<HttpAddress> {
    assert(this.#server === undefined, 'an HTTP server starts once')
    signal.throwIfAborted()
    const options = {
      maxHeaderSize: maxHeaderBytes,
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
    }
    const { certificate } = this.#options
    const all = { ...options, keepAliveTimeout: idleConnectionMs }
    const answer = (request: IncomingMessage, response: ServerResponse) => void this.#respond(request, response)
    const server =
      certificate === undefined
        ? createServer(all, answer)
        : createSecureServer({ ...all, ...certificate, minVersion: 'TLSv1.2' }, answer)
    server.maxConnections = maxConnections
    this.#server = server
    const address = await this.#listen(server)
    const onAbort = () => void this.stop()
    signal.addEventListener('abort', onAbort, { once: true })
    server.once('close', () => signal.removeEventListener('abort', onAbort))
    if (signal.aborted) await this.stop()
    return address
  }

  /** Accepts no more connections, waits 2 s for pending responses, and resolves when all connections are closed. */
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
    const { status, contentType, body, allow, authenticate } = await this.#answer(request)
    const hasBody = bodyIsAnnounced(request)
    response.writeHead(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(allow === undefined ? {} : { allow }),
      ...(authenticate === undefined ? {} : { 'www-authenticate': authenticate }),
      // Otherwise, the server would parse the unread body as the next request.
      ...(hasBody ? { connection: 'close' } : {}),
    })
    // For HEAD, Node sends only the headers.
    response.end(body)
    if (hasBody) response.once('finish', () => request.destroy())
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const { host = '127.0.0.1' } = this.#options
    if (!isRequestedHost(request.headers.host, host)) return textAnswer(421, 'this server has another name\n')
    const [path = '', query = ''] = (request.url ?? '').split('?', 2)
    const { health, metrics = 'loopback' } = this.#options
    const probe = health && probes.get(path)
    if (probe === undefined && (path !== '/metrics' || metrics === 'nobody')) return textAnswer(404, 'not found\n')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return { ...textAnswer(405, 'only GET and HEAD are answered here\n'), allow: 'GET, HEAD' }
    }
    if (bodyIsAnnounced(request)) return textAnswer(413, 'requests have no body here\n')
    if (health === undefined || probe === undefined) {
      return (await this.#rejection(request, metrics)) ?? (await this.#metrics())
    }
    const report = health.report(probe)
    return textAnswer(
      report.isOk ? 200 : 503,
      healthText(report, { isVerbose: new URLSearchParams(query).has('verbose') }),
    )
  }

  /** Returns the rejection of a request for metrics; undefined if its sender may read them. */
  async #rejection({ headers, socket }: IncomingMessage, audience: MetricsAudience): Promise<Answer | undefined> {
    if (audience === 'everybody') return undefined
    if (typeof audience === 'string') {
      return isLoopback(socket.remoteAddress) ? undefined : textAnswer(403, 'metrics are served to loopback only\n')
    }
    try {
      return rejections[await audience.access.verdictOn(headers.authorization, '/metrics')]
    } catch (thrown) {
      this.#options.instruments.log.warn({ err: thrown }, 'who asks for the metrics cannot be reviewed')
      return textAnswer(503, 'the API server does not say whether you may read this\n')
    }
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

const rejections: Readonly<Record<AccessVerdict, Answer | undefined>> = {
  allowed: undefined,
  unauthenticated: { ...textAnswer(401, 'send a token of the cluster\n'), authenticate: 'Bearer' },
  forbidden: textAnswer(403, 'you may not get /metrics\n'),
  busy: textAnswer(429, 'too many unknown tokens\n'),
}

/** Accepts IPv4 addresses in IPv6 notation too. */
function isLoopback(address = ''): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}

function textAnswer(status: number, body: string): Answer {
  return { status, contentType: plainText, body }
}

function bodyIsAnnounced({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}
