// HTTPS front of the API server: binds to loopback by default, limits body sizes, disconnects slow watch readers.
// Kubernetes clients send bearer tokens only over TLS.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Random } from '../base/random.ts'
import type { ServerIdentity } from '../base/server-identity.ts'
import type { ApiServer } from './api-server.ts'
import type { ApiAnswer, ApiRequest } from './exchange.ts'
import { bodyParts, queryOf, refusal } from './exchange.ts'
import { maxBodyBytes, tooLong } from './request-body.ts'
import { StatusError } from './status-error.ts'

export interface HttpServerOptions {
  readonly server: ApiServer
  readonly random: Random
  /** 0 picks a free port. */
  readonly port: number
  readonly host?: string
  /** TLS key and certificate of the server. Absent: plain HTTP. */
  readonly identity?: ServerIdentity
  /** Time limit to receive a whole request. Default: 60 s. The time to answer has no limit here. */
  readonly requestLimitMs?: number
  /** Receives an internal error. The client gets a 500 with a fixed text. */
  readonly onFault?: (thrown: unknown) => void
}

export interface HttpServer {
  /** URL with the configured host. */
  readonly url: string
  readonly port: number
  /** Closes the open watches and connections. */
  close(): Promise<void>
}

/** Source: k8s.io/apiserver/pkg/server/secure_serving.go, and the default of Go's net/http. */
const headersLimitMs = 32_000
const maxHeaderBytes = 1024 * 1024
/** Unsent bytes at which the server ends a watch; its client then reconnects. */
const maxUnsentBytes = 64 * 1024 * 1024
/** Source: k8s.io/apiserver/pkg/server/filters/wrap.go. */
const faultText = 'This request caused apiserver to panic. Look in the logs for details.\n'

/** Starts to listen. Rejects with the system's error if the port is unavailable. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { server, random, port, host = '127.0.0.1', identity, onFault = () => {} } = options
  const http = serverOf(options, (incoming, outgoing) => {
    serve(server, random, incoming, outgoing).catch((thrown: unknown) => {
      if (!outgoing.destroyed) onFault(thrown)
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(faultText)
    })
  })
  http.keepAliveTimeout = 120_000
  await listening(http, port, host)
  const address = http.address() as AddressInfo // Sound: a TCP server has an AddressInfo.
  const scheme = identity === undefined ? 'http' : 'https'
  return {
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.watches.close()
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
}

function serverOf({ identity, requestLimitMs = 60_000 }: HttpServerOptions, listener: RequestListener): Server {
  const limits = {
    requestTimeout: requestLimitMs,
    headersTimeout: Math.min(requestLimitMs, headersLimitMs),
    connectionsCheckingInterval: Math.min(requestLimitMs, 10_000),
    maxHeaderSize: maxHeaderBytes,
  }
  // An import of node:http would load all its parts, the WebSocket client included: 25 ms.
  if (identity === undefined) return process.getBuiltinModule('node:http').createServer(limits, listener)
  return createServer({ ...limits, key: identity.key, cert: identity.certificate }, listener)
}

function listening(http: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, () => resolve())
  })
}

async function serve(
  server: ApiServer,
  random: Random,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const auditId = random.uuid()
  const body = await readBody(incoming)
  const answer = body instanceof StatusError ? refusal(body) : await server.answer(requestOf(incoming, body))
  if (answer.stream === undefined) {
    const length = answer.status === 304 ? {} : { 'content-length': String(Buffer.byteLength(answer.body ?? '')) }
    outgoing.writeHead(answer.status, { ...headersOf(answer, auditId), ...length })
    outgoing.end(incoming.method === 'HEAD' ? undefined : answer.body)
    return
  }
  outgoing.writeHead(answer.status, headersOf(answer, auditId))
  outgoing.flushHeaders()
  const stop = answer.stream({
    write: (chunk) => {
      outgoing.write(chunk)
      if (outgoing.writableLength > maxUnsentBytes) outgoing.destroy()
    },
    drained: () => drained(outgoing),
    close: () => outgoing.end(),
    cut: () => outgoing.destroy(),
  })
  outgoing.once('close', stop)
}

function drained(outgoing: ServerResponse): Promise<void> {
  if (!outgoing.writableNeedDrain) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done)
      resolve()
    }
    outgoing.on('drain', done).on('close', done)
  })
}

function requestOf(incoming: IncomingMessage, body: Buffer): ApiRequest {
  const [path = '/', query = ''] = (incoming.url ?? '/').split(/\?(.*)/s)
  return {
    method: incoming.method ?? 'GET',
    path,
    query: queryOf(query),
    header: (name) => {
      const value = incoming.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    headerNames: Object.keys(incoming.headers),
    ...bodyParts(body, incoming.headers['content-type']),
  }
}

function headersOf({ headers, warnings }: ApiAnswer, auditId: string): Record<string, string | string[]> {
  return {
    'audit-id': auditId,
    'cache-control': 'no-cache, private',
    ...headers,
    ...(warnings.length === 0 ? {} : { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`) }),
  }
}

/** Returns the body, or the error for one that is too large. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | StatusError> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBodyBytes) return tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
