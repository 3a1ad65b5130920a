// HTTPS server of a kubelet's paths, at the port in the Node's status. It serves logs; exec, attach and port-forward
// return 501. Invariant: only the API server, by the key of its client certificate, gets a response other than 401. All
// users of the machine, and web pages in their browsers, can reach a loopback port.
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import { newServerIdentity } from '../base/server-identity.ts'
import { type LogOptions, type LogRejection, logOptionsOf } from './log-query.ts'
import { NodeError } from './node-reconciler.ts'

export interface LogAsk {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly options: LogOptions
}

export type LogAnswer = LogRejection | { readonly kind: 'log'; readonly chunks: AsyncIterable<Buffer> }

export interface KubeletServerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly host: string
  /** Port; 0 takes any free one. */
  readonly port: number
  /** PEM of the only accepted client certificate; undefined: the server accepts none. */
  readonly reader: string | undefined
  readonly logs: (ask: LogAsk, signal: AbortSignal) => LogAnswer
}

const maxConnections = 64
const unserved = new Set(['exec', 'attach', 'portForward', 'run', 'cri'])

export class KubeletServer {
  readonly #options: KubeletServerOptions
  readonly #reader: Buffer | undefined
  #server: Server | undefined

  constructor(options: KubeletServerOptions) {
    this.#options = options
    this.#reader = options.reader === undefined ? undefined : new X509Certificate(options.reader).raw
  }

  /** Starts to listen and returns the port. Rejects with a NodeError if it cannot. */
  async start(): Promise<number> {
    const { host, port, reader, clock, log } = this.#options
    const { key, certificate } = newServerIdentity({
      commonName: 'konverge-local-node',
      hosts: [host],
      nowMs: clock.now(),
    })
    // The certificate is listed as an authority, so that clients with several certificates choose it. Each request
    // verifies the certificate.
    const asked = { requestCert: true, rejectUnauthorized: false, ...(reader === undefined ? {} : { ca: [reader] }) }
    const server = createServer(
      { key, cert: certificate, ...asked },
      (request, response) => void this.#respond(request, response),
    )
    server.maxConnections = maxConnections
    this.#server = server
    server.listen({ host, port })
    try {
      await once(server, 'listening')
    } catch (cause) {
      const message = `listen on ${host}:${port} for logs: ${messageOf(cause)}; choose another port`
      throw new NodeError({ code: 'ListenFailed', message, remedy: 'stop', cause })
    }
    server.on('error', (error) => log.error({ error: messageOf(error) }, 'the server for logs failed'))
    // Sound: a server that listens on a host and port has such an address.
    return (server.address() as AddressInfo).port
  }

  /** Stops the server and aborts followed logs. */
  async stop(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    this.#server = undefined
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }

  /** Never rejects. */
  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => gone.abort(new Error('the reader has gone')))
    try {
      const answer = this.#answer(request, gone.signal)
      if (answer.kind === 'refused') {
        response.writeHead(answer.status, { 'content-type': 'text/plain' }).end(answer.message)
        return
      }
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.flushHeaders()
      for await (const chunk of answer.chunks) {
        if (!response.write(chunk)) await once(response, 'drain', { signal: gone.signal })
      }
      response.end()
    } catch (thrown) {
      if (!gone.signal.aborted) {
        this.#options.log.warn({ path: request.url, error: messageOf(thrown) }, 'reading a log failed')
      }
      response.destroy()
    }
  }

  #answer({ method, url = '/', socket }: IncomingMessage, signal: AbortSignal): LogAnswer {
    if (!this.#isReader(socket)) return { kind: 'refused', status: 401, message: 'Unauthorized' }
    const { pathname, searchParams } = new URL(url, 'https://node')
    const [, first = '', namespace, pod, container, ...rest] = pathname.split('/').map(decoded)
    if (unserved.has(first)) {
      const message = `the local node does not serve ${first}: its containers are processes of this machine, which a debugger or shell reaches directly`
      return { kind: 'refused', status: 501, message }
    }
    const isLogPath = first === 'containerLogs' && namespace && pod && container && rest.length === 0
    if (!isLogPath) return { kind: 'refused', status: 404, message: '404 page not found' }
    if (method !== 'GET') return { kind: 'refused', status: 405, message: 'logs are read with GET' }
    const options = logOptionsOf(searchParams, this.#options.clock.now())
    if ('kind' in options) return options
    return this.#options.logs({ namespace, pod, container, options }, signal)
  }

  /** Returns whether the client showed the accepted certificate. TLS has verified that it has the key. */
  #isReader(socket: Socket): boolean {
    const shown = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
    return shown !== undefined && this.#reader !== undefined && shown.raw.equals(this.#reader)
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
