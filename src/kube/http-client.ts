// How does one request travel? Over kept-alive HTTP/1.1 connections of a bounded pool, with current credentials, within a
// time limit, and with one outcome: the text of a success, or a KubeError. Each watch has a connection of its own, as many as
// there are watches, so that no watch waits for another, nor a request for a watch. Nothing is retried here but a 401 after
// fresh credentials.
import { createSecureContext } from 'node:tls'
import { Agent, type Dispatcher, errors, ProxyAgent } from 'undici'
import { assert } from '../base/assert.ts'
import { type Clock, type Deadline, deadline } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'
import type { Counter, Histogram, Instruments, Log } from '../base/instrument.ts'
import { trimmedEnd } from '../base/trimmed-end.ts'
import { retryAfterSecondsOf, warningsOf } from './answer-headers.ts'
import { loadBeginning, loadText } from './body-loader.ts'
import type { Connection, Credentials } from './connection.ts'
import { ConnectionError } from './connection-error.ts'
import type { Fence } from './fence.ts'
import { KubeError, kubeErrorOf } from './kube-errors.ts'
import { withoutValues } from './quoted-values.ts'
import { untilAborted } from './shared-runner.ts'
import { statusOf } from './status-body.ts'
import { unreachable } from './transport-failure.ts'
import { valueTexts } from './value-texts.ts'

export interface HttpLimits {
  /** From the call to the last byte of the answer, waiting for a connection included; for a watch to its headers. */
  readonly requestMs: number
  /** TCP connections for requests; further requests wait for one. */
  readonly connections: number
  /** An answer with many objects. */
  readonly answerBytes: number
  /** An answer with one object. */
  readonly objectBytes: number
  /** Of the body of an error no more is read. */
  readonly errorBytes: number
}

export const defaultHttpLimits: HttpLimits = {
  requestMs: 30_000,
  connections: 64,
  answerBytes: 256 * 1024 * 1024,
  objectBytes: 16 * 1024 * 1024,
  errorBytes: 1024 * 1024,
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With its query. */
  readonly path: string
  /** What is tried, as in `apply StatefulSet default/store`; begins every error's message. */
  readonly attempt: string
  /** For metrics, e.g. `apply` and `statefulsets.apps`: names of kinds, never of objects. */
  readonly verb: string
  readonly resource: string
  readonly accept?: string | undefined
  readonly content?: { readonly type: string; readonly body: string }
  /** The answer may hold many objects. Default: one. */
  readonly hasManyObjects?: boolean
  /** Called by `stream` when the answer is a success, before the first of its bytes. */
  readonly onAnswered?: (() => void) | undefined
}

/** How requests travel, and answers. */
export interface HttpExchange {
  /** The text of a successful answer. Rejects with a KubeError, or with the signal's reason when aborted. */
  exchange(request: HttpRequest, signal: AbortSignal): Promise<string>
  /** The bytes of a successful answer as they come. Throws as `exchange` rejects. */
  stream(request: HttpRequest, signal: AbortSignal): AsyncIterable<Uint8Array>
  close(signal: AbortSignal): Promise<void>
}

export interface HttpClientOptions {
  readonly connection: Connection
  readonly clock: Clock
  readonly instruments: Instruments
  readonly userAgent: string
  readonly limits?: Partial<HttpLimits> | undefined
  /** Asked for each request that is no GET, just before its first byte. Absent: all may leave. */
  readonly fence?: Pick<Fence, 'check'> | undefined
}

type Identity = Pick<Credentials, 'certificate' | 'authority'>

/** The pools for one client certificate and authority; a TLS connection keeps those it was made with. */
interface Transport {
  readonly identity: Identity
  readonly requests: Dispatcher
  readonly watches: Dispatcher
}

type Pool = 'requests' | 'watches'

/** One call. */
interface Travel {
  readonly pool: Pool
  readonly limit: Deadline
  /** What it waits for. Nothing of it has left this process before it waits for the answer. */
  waitsFor: 'credentials' | 'connection' | 'answer'
}

const connectMs = 10_000
// Less than the 90 s after which Go's servers close an idle connection, so that we rarely meet a dying one.
const idleMs = 60_000
const maxRememberedWarnings = 200
const durationBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]

export class HttpClient implements HttpExchange {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #log: Log
  readonly #requestsTotal: Counter
  readonly #durationSeconds: Histogram
  readonly #userAgent: string
  readonly #limits: HttpLimits
  readonly #fence: HttpClientOptions['fence']
  readonly #origin: string
  readonly #host: string
  /** The path of the server's URL, e.g. of a gateway in front of many clusters. */
  readonly #prefix: string
  readonly #warned = new Set<string>()
  /** What is under way, for closing: a pool that was told to close gracefully can no longer be told to hurry. */
  readonly #underWay = new Set<Travel>()
  /** The current one and those before it that still have streams. */
  readonly #transports = new Set<Transport>()
  #transport: Transport | undefined
  #isClosed = false

  constructor({ connection, clock, instruments, userAgent, limits, fence }: HttpClientOptions) {
    const url = new URL(connection.server)
    this.#connection = connection
    this.#clock = clock
    this.#log = instruments.log
    this.#userAgent = userAgent
    this.#limits = { ...defaultHttpLimits, ...limits }
    const { connections } = this.#limits
    assert(Number.isInteger(connections) && connections > 0, `connections is a positive number, and not ${connections}`)
    this.#fence = fence
    this.#origin = url.origin
    this.#host = url.host
    this.#prefix = trimmedEnd(url.pathname, '/')
    this.#requestsTotal = instruments.metrics.counter({
      name: 'rest_client_requests_total',
      help: 'HTTP requests to the API server, by status code, method and host. Without a response, the code is <error>.',
      labels: ['code', 'method', 'host'],
    })
    this.#durationSeconds = instruments.metrics.histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'Time from a request to its full response, or to the headers of a watch, in seconds.',
      labels: ['verb', 'resource'],
      buckets: durationBuckets,
    })
  }

  /** The text of a successful answer. Rejects with a KubeError, or with the signal's reason when aborted. */
  async exchange(request: HttpRequest, signal: AbortSignal): Promise<string> {
    const travel = this.#begin('requests', signal)
    const startMs = this.#clock.monotonicMs()
    try {
      const { body } = await this.#send(request, travel)
      const { answerBytes, objectBytes } = this.#limits
      const mostBytes = request.hasManyObjects === true ? answerBytes : objectBytes
      return await loadText(body, { attempt: request.attempt, server: this.#connection.description, mostBytes })
    } catch (thrown) {
      throw this.#fail(request, thrown, { travel, signal })
    } finally {
      this.#end(travel)
      this.#measure(request, startMs)
    }
  }

  /**
   * The bytes of a successful answer as they come, for as long as the server sends. Leaving the loop closes the
   * connection; to end a wait for the next bytes, abort the signal. Throws a KubeError, also if the connection breaks
   * midway, or the signal's reason when aborted.
   */
  async *stream(request: HttpRequest, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const travel = this.#begin('watches', signal)
    const startMs = this.#clock.monotonicMs()
    try {
      const response = await this.#send(request, travel).finally(() => this.#measure(request, startMs))
      travel.limit.lift()
      request.onAnswered?.()
      yield* response.body
    } catch (thrown) {
      throw this.#fail(request, thrown, { travel, signal })
    } finally {
      this.#end(travel)
    }
  }

  /** Ends all watches, then waits for requests under way; those that still run when the signal aborts are cut off. */
  async close(signal: AbortSignal): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#cancel('watches')
    const pools = [...this.#transports].flatMap(({ requests, watches }) => [requests, watches])
    try {
      await untilAborted(Promise.allSettled(pools.map((pool) => pool.close())), signal)
    } catch {
      // Only the signal rejects.
      this.#cancel('requests')
      await Promise.allSettled(pools.map((pool) => pool.destroy()))
    }
  }

  #begin(pool: Pool, signal: AbortSignal): Travel {
    const limit = deadline(this.#clock, this.#limits.requestMs, signal)
    const travel: Travel = { pool, limit, waitsFor: 'credentials' }
    this.#underWay.add(travel)
    return travel
  }

  #end(travel: Travel): void {
    this.#underWay.delete(travel)
    travel.limit.clear()
  }

  #cancel(pool: Pool): void {
    for (const travel of this.#underWay) if (travel.pool === pool) travel.limit.cancel(new errors.ClientClosedError())
  }

  /** An answer of success; its body is still to be read. */
  async #send(request: HttpRequest, travel: Travel): Promise<Dispatcher.ResponseData> {
    if (this.#isClosed) throw new errors.ClientClosedError()
    const { signal } = travel.limit
    const credentials = await this.#connection.credentials(signal)
    const response = await this.#dispatch(request, travel, credentials)
    if (response.statusCode !== 401) return this.#accept(request, response)
    this.#connection.refuse(credentials)
    travel.waitsFor = 'credentials'
    const renewed = await this.#connection.credentials(signal)
    if (renewed === credentials) return this.#accept(request, response)
    await response.body.dump()
    return this.#accept(request, await this.#dispatch(request, travel, renewed))
  }

  async #dispatch(
    { method, path, accept = 'application/json', content }: HttpRequest,
    travel: Travel,
    credentials: Credentials,
  ): Promise<Dispatcher.ResponseData> {
    const labels = { method, host: this.#host }
    travel.waitsFor = 'connection'
    const onStart = () => {
      // A write that waited for credentials or a connection while the process slept must not leave when it wakes.
      if (method !== 'GET') this.#fence?.check()
      // Of a request whose limit has passed undici sends nothing.
      if (!travel.limit.signal.aborted) travel.waitsFor = 'answer'
    }
    try {
      const pool = this.#transportFor(credentials)[travel.pool]
      const response = await startingWith(onStart, pool).request({
        origin: this.#origin,
        path: `${this.#prefix}${path}`,
        method,
        headers: {
          ...credentials.headers,
          accept,
          'user-agent': this.#userAgent,
          ...(content === undefined ? {} : { 'content-type': content.type }),
        },
        body: content?.body ?? null,
        signal: travel.limit.signal,
      })
      this.#requestsTotal.add({ ...labels, code: String(response.statusCode) })
      return response
    } catch (thrown) {
      this.#requestsTotal.add({ ...labels, code: '<error>' })
      throw thrown
    }
  }

  async #accept(request: HttpRequest, response: Dispatcher.ResponseData): Promise<Dispatcher.ResponseData> {
    const { statusCode, headers } = response
    for (const warning of warningsOf(headers.warning)) this.#warn(request, warning)
    if (statusCode >= 200 && statusCode < 300) return response
    const { text } = await loadBeginning(response.body, this.#limits.errorBytes)
    throw kubeErrorOf({
      attempt: request.attempt,
      httpStatus: statusCode,
      body: statusOf(text),
      retryAfterSeconds: retryAfterSecondsOf(headers['retry-after']),
    })
  }

  /** The error for the caller. An answer that nobody will read does not keep its connection. */
  #fail(
    { attempt }: HttpRequest,
    thrown: unknown,
    { travel, signal }: { readonly travel: Travel; readonly signal: AbortSignal },
  ): unknown {
    travel.limit.cancel(thrown)
    if (signal.aborted) return signal.reason
    const server = this.#connection.description
    if (travel.limit.hasPassed()) {
      return new KubeError({ code: 'Timeout', message: `${attempt}: ${this.#lateness(travel)}` })
    }
    if (thrown instanceof KubeError) return thrown
    if (thrown instanceof ConnectionError) {
      return new KubeError({ code: 'Unauthorized', message: `${attempt}: ${thrown.message}`, cause: thrown })
    }
    // The fence's.
    if (thrown instanceof CodedError) return thrown
    return unreachable({ attempt, server, thrown })
  }

  /** What the limit of a call ended. */
  #lateness({ pool, waitsFor }: Travel): string {
    const server = this.#connection.description
    const { requestMs, connections } = this.#limits
    const within = `within ${requestMs / 1000} s`
    if (waitsFor === 'answer')
      return `${server} gave no whole answer ${within}; a write may have happened all the same; check the server's load`
    if (waitsFor === 'credentials')
      return `not sent to ${server}: no credentials came ${within}; check what issues them`
    if (pool === 'watches') return `not sent to ${server}: no connection was made ${within}; check the network`
    return `not sent to ${server}: no connection was free ${within}, ${connections} at most are open for requests; check how long the server takes for them`
  }

  #transportFor(identity: Identity): Transport {
    const current = this.#transport
    if (current !== undefined && isSame(current.identity, identity)) return current
    const { connections, answerBytes } = this.#limits
    const transport: Transport = {
      identity,
      requests: poolOf(this.#connection, identity, { connections, maxResponseSize: answerBytes }),
      watches: poolOf(this.#connection, identity, {}),
    }
    this.#transport = transport
    this.#transports.add(transport)
    if (current !== undefined) this.#retire(current)
    return transport
  }

  /** Lets what runs on the old certificate end by itself; no pool is left behind. */
  #retire(transport: Transport): void {
    const forget = () => void this.#transports.delete(transport)
    Promise.all([transport.requests.close(), transport.watches.close()]).then(forget, forget)
  }

  #warn({ attempt, content }: HttpRequest, warning: string): void {
    if (this.#warned.has(warning) || this.#warned.size >= maxRememberedWarnings) return
    this.#warned.add(warning)
    // Webhooks write warnings, and may quote anything.
    const sent: unknown = content === undefined ? undefined : JSON.parse(content.body)
    this.#log.warn(
      { attempt, warning: withoutValues(warning, valueTexts(sent)) },
      'The API server warns; it says so once',
    )
  }

  #measure({ verb, resource }: HttpRequest, startMs: number): void {
    this.#durationSeconds.observe({ verb, resource }, (this.#clock.monotonicMs() - startMs) / 1000)
  }
}

function poolOf(
  { serverName, skipTlsVerify, proxyUrl }: Connection,
  { certificate, authority }: Identity,
  bounds: Pick<Agent.Options, 'connections' | 'maxResponseSize'>,
): Dispatcher {
  const tls = {
    allowH2: false,
    rejectUnauthorized: !skipTlsVerify,
    // One for all connections: each would parse and keep these for itself.
    secureContext: createSecureContext({ ca: authority, cert: certificate?.certificate, key: certificate?.key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  }
  // Time limits are ours (a Clock's), so undici's are off; TCP keep-alive finds a dead peer below a silent watch.
  const options = { ...bounds, allowH2: false, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: idleMs }
  if (proxyUrl !== undefined)
    return new ProxyAgent({ ...options, uri: proxyUrl, requestTls: tls, connectTimeout: connectMs })
  return new Agent({
    ...options,
    connect: { ...tls, timeout: connectMs, keepAlive: true, keepAliveInitialDelay: 30_000 },
  })
}

/** The pool, of which a request calls `onStart` just before its first byte leaves. A throw there takes it back; its connection lives on. */
function startingWith(onStart: () => void, pool: Dispatcher): Dispatcher {
  return pool.compose((dispatch) => (options, handler) => {
    const starting: Dispatcher.DispatchHandler = {
      onRequestStart: (controller, context) => {
        onStart()
        handler.onRequestStart?.(controller, context)
      },
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    }
    return dispatch(options, starting)
  })
}

function isSame(left: Identity, right: Identity): boolean {
  const { certificate: before, authority } = left
  const { certificate: now } = right
  return before?.certificate === now?.certificate && before?.key === now?.key && authority === right.authority
}
