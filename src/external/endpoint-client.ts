// Calls one place outside: a breaker that refuses while it is down, a token bucket that keeps the rate, and metrics and a span for
// every call. Nothing waits without a limit (I12).
import { type Clock, sleep, withinLimit } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Counter, Gauge, Histogram, Instruments, Metrics, Tracer } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { TokenBucket, type TokenBucketLimit } from '../base/token-bucket.ts'
import { type Admission, admissionOf, afterCall, type Breaker, type CallEnd, closedBreaker } from './breaker.ts'
import type { CallLimit, Endpoint } from './endpoint.ts'

export interface EndpointClientOptions {
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  /** Calls a second, and how many may come at once. */
  readonly limit: TokenBucketLimit
}

/** How long a call waits for its token before it is refused: what comes later than that, comes better in a later turn. */
const longestWaitMs = 10_000
const defaultLimit: CallLimit = { limitMs: 30_000 }
/** How much longer than that callers stay away, as a share. */
const spread = 0.2
const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

type Allowed = Extract<Admission, { kind: 'allowed' }>

export class EndpointClient implements Endpoint {
  readonly name: string
  readonly #clock: Clock
  readonly #random: Random
  readonly #tracer: Tracer
  readonly #metrics: EndpointMetrics
  readonly #tokens: TokenBucket
  #breaker: Breaker = closedBreaker
  /** What the place was last heard to fail with. */
  #complaint = ''
  #usedAtMs: number
  #underWay = 0

  constructor({ name, clock, random, instruments, limit }: EndpointClientOptions) {
    this.name = name
    this.#clock = clock
    this.#random = random
    this.#tracer = instruments.tracer
    this.#metrics = new EndpointMetrics(instruments.metrics, name)
    this.#tokens = new TokenBucket(limit)
    this.#usedAtMs = clock.monotonicMs()
  }

  get isOpen(): boolean {
    return this.#breaker.kind !== 'closed'
  }

  /** When its last call ended; undefined while one is under way. */
  get idleSinceMs(): number | undefined {
    return this.#underWay > 0 ? undefined : this.#usedAtMs
  }

  async call<T>(
    operation: string,
    run: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
    { limitMs }: CallLimit = defaultLimit,
  ): Promise<T> {
    this.#underWay++
    try {
      signal.throwIfAborted()
      this.#refuseWhileOpen()
      await this.#takeToken(signal)
      signal.throwIfAborted()
      return await this.#admitted(operation, (until) => this.#limited(limitMs, run, until), signal)
    } finally {
      this.#underWay--
      this.#usedAtMs = this.#clock.monotonicMs()
    }
  }

  /** Its series are no longer exposed. */
  forget(): void {
    this.#metrics.forget()
  }

  async #admitted<T>(operation: string, run: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    // Without an await before the call, so that there is one probe.
    const { isProbe, breaker } = this.#refuseWhileOpen()
    this.#breaker = breaker
    const startedMs = this.#clock.monotonicMs()
    const attributes = () => ({ 'server.address': this.name })
    try {
      const result = await this.#tracer.run(operation, attributes, () => run(signal))
      this.#ended({ end: 'good', isProbe, status: 'ok' })
      return result
    } catch (thrown) {
      const { end, status } = verdictOn(thrown, signal)
      this.#ended({ end, isProbe, status })
      if (end === 'bad') this.#complaint = messageOf(thrown)
      const waitMs = end === 'bad' ? this.#openForMs() : undefined
      throw waitMs === undefined ? thrown : this.#unavailable(waitMs, thrown)
    } finally {
      this.#metrics.took(operation, this.#clock.monotonicMs() - startedMs)
    }
  }

  /** A place that does not answer is one that fails. */
  #limited<T>(limitMs: number, run: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const message = `${this.name} has given no answer within ${limitMs / 1_000} s`
    const tooLate = () => new CodedError({ code: 'DependencyTimeout', message, remedy: 'retry' })
    return withinLimit({ clock: this.#clock, limitMs, signal, tooLate }, run)
  }

  #refuseWhileOpen(): Allowed {
    const admission = admissionOf(this.#breaker, this.#clock.monotonicMs())
    if (admission.kind === 'allowed') return admission
    this.#metrics.count('rejected')
    throw this.#unavailable(admission.waitMs)
  }

  /** Undefined while it may be called. */
  #openForMs(): number | undefined {
    const admission = admissionOf(this.#breaker, this.#clock.monotonicMs())
    return admission.kind === 'refused' ? admission.waitMs : undefined
  }

  /** Not before the next probe, and not all of them with it. */
  #unavailable(waitMs: number, cause?: unknown): CodedError<'DependencyUnavailable'> {
    const message = `${this.name} has failed again and again, and is called again from time to time: ${this.#complaint}`
    const retryAfterMs = waitMs * (1 + spread * this.#random.next())
    return new CodedError({ code: 'DependencyUnavailable', message, remedy: 'retry', retryAfterMs, cause })
  }

  async #takeToken(signal: AbortSignal): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + longestWaitMs
    for (;;) {
      const nowMs = this.#clock.monotonicMs()
      const waitMs = this.#tokens.take(nowMs)
      if (waitMs === 0) return
      if (nowMs + waitMs > untilMs) throw this.#busy(waitMs)
      await sleep(this.#clock, waitMs, signal)
    }
  }

  #busy(retryAfterMs: number): CodedError<'DependencyBusy'> {
    this.#metrics.count('rejected')
    const message = `${this.name} is called as often as it may be`
    return new CodedError({ code: 'DependencyBusy', message, remedy: 'retry', retryAfterMs })
  }

  #ended(call: { readonly end: CallEnd; readonly isProbe: boolean; readonly status: string }): void {
    this.#metrics.count(call.status)
    const times = { nowMs: this.#clock.monotonicMs(), random: this.#random }
    this.#breaker = afterCall(this.#breaker, { ...call, ...times })
    this.#metrics.isOpen(this.isOpen)
  }
}

/** A refusal is an answer: the place is there. That the caller gave up, or that our own code broke, says nothing of it. */
function verdictOn(thrown: unknown, signal: AbortSignal): { readonly end: CallEnd; readonly status: string } {
  if (signal.aborted) return { end: 'neither', status: 'aborted' }
  if (!(thrown instanceof CodedError)) return { end: 'neither', status: 'InternalError' }
  return { end: thrown.remedy === 'retry' ? 'bad' : 'good', status: thrown.code }
}

/** What one place looks like from outside. Remembers which series it has, so that they can go with it. */
class EndpointMetrics {
  readonly #endpoint: string
  readonly #requests: Counter
  readonly #open: Gauge
  readonly #durations: Histogram
  readonly #statuses = new Set<string>()
  readonly #operations = new Set<string>()

  constructor(metrics: Metrics, endpoint: string) {
    this.#endpoint = endpoint
    this.#requests = metrics.counter({
      name: 'external_api_requests_total',
      help: 'Calls of places outside the cluster: ok, the code of the error, or rejected before they were made.',
      labels: ['endpoint', 'status'],
    })
    this.#open = metrics.gauge({
      name: 'external_endpoint_breaker_open',
      help: '1 while calls of the place are refused because it has failed again and again.',
      labels: ['endpoint'],
    })
    this.#durations = metrics.histogram({
      name: 'external_api_request_duration_seconds',
      help: 'How long calls of places outside the cluster took.',
      labels: ['endpoint', 'operation'],
      buckets: bucketsSeconds,
    })
    this.isOpen(false)
  }

  count(status: string): void {
    this.#statuses.add(status)
    this.#requests.add({ endpoint: this.#endpoint, status })
  }

  isOpen(isOpen: boolean): void {
    this.#open.set({ endpoint: this.#endpoint }, isOpen ? 1 : 0)
  }

  took(operation: string, durationMs: number): void {
    this.#operations.add(operation)
    this.#durations.observe({ endpoint: this.#endpoint, operation }, durationMs / 1_000)
  }

  forget(): void {
    const endpoint = this.#endpoint
    this.#open.remove({ endpoint })
    for (const status of this.#statuses) this.#requests.remove({ endpoint, status })
    for (const operation of this.#operations) this.#durations.remove({ endpoint, operation })
  }
}
