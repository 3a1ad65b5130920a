// Transport of one request over kept-alive HTTP/1.1 connections of a bounded pool, with current credentials and a time
// limit. The outcome is the text of a success, or a KubeError. Invariant: each watch has its own connection, so watches
// and requests never wait for each other. The client retries only a 401, once, with fresh credentials.
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
  /** From the call to the last byte of the response, including the wait for a connection. Watches: to the headers. */
  readonly requestMs: number
  /** TCP connections for requests; further requests wait for one. */
  readonly connections: number
  /** Limit of a response with many objects. */
  readonly answerBytes: number
  /** Limit of a response with one object. */
  readonly objectBytes: number
  /** Limit of the body of an error; the client does not read the rest. */
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
  /** The call, as in `apply StatefulSet default/store`; prefix of every error message. */
  readonly attempt: string
  /** Labels of metrics, e.g. `apply` and `statefulsets.apps`: names of kinds, never of objects. */
  readonly verb: string
  readonly resource: string
  readonly accept?: string | undefined
  readonly content?: { readonly type: string; readonly body: string }
  /** The response may hold many objects. Default: one. */
  readonly hasManyObjects?: boolean
  /** `stream` calls it when the response is a success, before its first byte. */
  readonly onAnswered?: (() => void) | undefined
}

/** Transport of requests and responses. */
export interface HttpExchange {
  /** Returns the text of a successful response. Rejects with a KubeError, or with the signal's reason on abort. */
  exchange(request: HttpRequest, signal: AbortSignal): Promise<string>
  /** Yields the bytes of a successful response as they come. Throws the errors of `exchange`. */
  stream(request: HttpRequest, signal: AbortSignal): AsyncIterable<Uint8Array>
  close(signal: AbortSignal): Promise<void>
}

export interface HttpClientOptions {
  readonly connection: Connection
  readonly clock: Clock
  readonly instruments: Instruments
  readonly userAgent: string
  readonly limits?: Partial<HttpLimits> | undefined
  /** Checked for each request other than GET, just before its first byte. Absent: no check. */
  readonly fence?: Pick<Fence, 'check'> | undefined
}

type Identity = Pick<Credentials, 'certificate' | 'authority'>

/** Pools for one client certificate and authority; a TLS connection keeps the pair that it was opened with. */
interface Transport {
  readonly identity: Identity
  readonly requests: Dispatcher
  readonly watches: Dispatcher
}

type Pool = 'requests' | 'watches'

/** State of one call. */
interface Travel {
  readonly pool: Pool
  readonly limit: Deadline
  /** Step that the call waits for. No byte has left this process before the step is `answer`. */
  waitsFor: 'credentials' | 'connection' | 'answer'
}

const connectMs = 10_000
// Less than the 90 s after which Go's servers close an idle connection, to avoid connections that are closing.
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
  /** Calls in flight, for `close`: undici cannot cut off a pool that already closes gracefully. */
  readonly #underWay = new Set<Travel>()
  /** The current one, and earlier ones that still have streams. */
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

  /** Returns the text of a successful response. Rejects with a KubeError, or with the signal's reason on abort. */
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
   * Yields the bytes of a successful response as they come, until the server ends it. Leaving the loop closes the
   * connection; abort the signal to end a wait for bytes. Throws a KubeError, also if the connection breaks midway, or
   * the signal's reason on abort.
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

  /** Ends all watches, then waits for requests in flight. Cuts off those that still run when the signal aborts. */
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

  /** Returns a successful response whose body is still unread. */
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
      // undici sends nothing of a request whose limit has passed.
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

  /** Returns the error for the caller, and releases the connection of an unread response. */
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
    // The error comes from the fence.
    if (thrown instanceof CodedError) return thrown
    return unreachable({ attempt, server, thrown })
  }

  /** Explains in which step the time limit ended a call. */
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

  /** Lets calls with the old certificate end by themselves, then drops the pools. */
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
    // All connections share one context; otherwise each would parse and keep its own.
    secureContext: createSecureContext({ ca: authority, cert: certificate?.certificate, key: certificate?.key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  }
  // The Clock enforces time limits, so undici's are off. TCP keep-alive finds a dead peer of a silent watch.
  const options = { ...bounds, allowH2: false, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: idleMs }
  if (proxyUrl !== undefined)
    return new ProxyAgent({ ...options, uri: proxyUrl, requestTls: tls, connectTimeout: connectMs })
  return new Agent({
    ...options,
    connect: { ...tls, timeout: connectMs, keepAlive: true, keepAliveInitialDelay: 30_000 },
  })
}

/** Calls `onStart` just before the first byte of a request. A throw there cancels the request, not its connection. */
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
