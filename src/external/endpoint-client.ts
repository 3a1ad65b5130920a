// Calls one endpoint for one namespace, through a breaker and token buckets, with metrics and a span for every call.
// Invariants: calls of one namespace never affect another namespace, and every wait has a limit (I12).
import { type Clock, sleep, withinLimit } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Counter, Gauge, Instruments, Metrics, Tracer } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { TokenBucket, type TokenBucketLimit } from '../base/token-bucket.ts'
import { type Admission, admissionOf, afterCall, type Breaker, type CallEnd, closedBreaker } from './breaker.ts'
import type { CallLimit, Endpoint } from './endpoint.ts'
import type { Place } from './place.ts'

export interface EndpointClientOptions {
  readonly place: Place
  /** Namespace of the calls. */
  readonly namespace: string
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  /** Rate of this namespace's calls that need no token of the endpoint. */
  readonly share: TokenBucketLimit
}

/** Longest wait for a token before the call is rejected: a later call is better made in a later reconcile. */
const longestWaitMs = 10_000
const defaultLimit: CallLimit = { limitMs: 30_000 }
/** Largest extension of the callers' wait, as a share. */
const spread = 0.2

type Allowed = Extract<Admission, { kind: 'allowed' }>

export class EndpointClient implements Endpoint {
  readonly name: string
  readonly namespace: string
  readonly place: Place
  readonly #clock: Clock
  readonly #random: Random
  readonly #tracer: Tracer
  readonly #metrics: EndpointMetrics
  readonly #share: TokenBucket
  #breaker: Breaker = closedBreaker
  /** Message of the last failed call of this namespace. */
  #complaint = ''
  #usedAtMs: number
  #underWay = 0

  constructor({ place, namespace, clock, random, instruments, share }: EndpointClientOptions) {
    this.name = place.name
    this.namespace = namespace
    this.place = place
    this.#clock = clock
    this.#random = random
    this.#tracer = instruments.tracer
    this.#metrics = new EndpointMetrics(instruments.metrics, { endpoint: place.name, namespace })
    this.#share = new TokenBucket(share)
    this.#usedAtMs = clock.monotonicMs()
  }

  get isOpen(): boolean {
    return this.#breaker.kind !== 'closed'
  }

  /** Time of the end of its last call; undefined while one is in flight. */
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

  /** Removes its series from the exposition. */
  forget(): void {
    this.#metrics.forget()
  }

  async #admitted<T>(operation: string, run: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    // No await before the call, so that only one probe is made.
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
      this.place.took(operation, this.#clock.monotonicMs() - startedMs)
    }
  }

  /** A call without an answer within the limit counts as a failure. */
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

  /** Undefined while calls are allowed. */
  #openForMs(): number | undefined {
    const admission = admissionOf(this.#breaker, this.#clock.monotonicMs())
    return admission.kind === 'refused' ? admission.waitMs : undefined
  }

  /** The wait ends after the next probe, with jitter so that callers do not return at once. */
  #unavailable(waitMs: number, cause?: unknown): CodedError<'DependencyUnavailable'> {
    const message = `${this.name} has failed again and again, and is called again from time to time: ${this.#complaint}`
    const retryAfterMs = waitMs * (1 + spread * this.#random.next())
    return new CodedError({ code: 'DependencyUnavailable', message, remedy: 'retry', retryAfterMs, cause })
  }

  async #takeToken(signal: AbortSignal): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + longestWaitMs
    for (;;) {
      const nowMs = this.#clock.monotonicMs()
      const waitMs = this.#tokenWaitMs(nowMs)
      if (waitMs === 0) return
      if (nowMs + waitMs > untilMs) throw this.#busy(waitMs)
      await sleep(this.#clock, waitMs, signal)
    }
  }

  /** Takes a token of the namespace, or else one that all namespaces share; 0 if there was one. */
  #tokenWaitMs(nowMs: number): number {
    const ownMs = this.#share.take(nowMs)
    return ownMs === 0 ? 0 : Math.min(ownMs, this.place.tokens.take(nowMs))
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

/**
 * A rejection is an answer: the endpoint is reachable. An abort of the caller, or a bug, says nothing about the
 * endpoint.
 */
function verdictOn(thrown: unknown, signal: AbortSignal): { readonly end: CallEnd; readonly status: string } {
  if (signal.aborted) return { end: 'neither', status: 'aborted' }
  if (!(thrown instanceof CodedError)) return { end: 'neither', status: 'InternalError' }
  return { end: thrown.remedy === 'retry' ? 'bad' : 'good', status: thrown.code }
}

interface ClientLabels {
  readonly endpoint: string
  readonly namespace: string
}

/** Series of one client. It remembers them, so that `forget` can remove them. */
class EndpointMetrics {
  readonly #labels: ClientLabels
  readonly #requests: Counter
  readonly #open: Gauge
  readonly #statuses = new Set<string>()

  constructor(metrics: Metrics, { endpoint, namespace }: ClientLabels) {
    this.#labels = { endpoint, namespace }
    this.#requests = metrics.counter({
      name: 'external_api_requests_total',
      help: 'Calls of an external endpoint, by status: ok, an error code, or rejected before the call.',
      labels: ['endpoint', 'namespace', 'status'],
    })
    this.#open = metrics.gauge({
      name: 'external_endpoint_breaker_open',
      help: '1 while the breaker rejects calls of the endpoint for the namespace after repeated failures, else 0.',
      labels: ['endpoint', 'namespace'],
    })
    this.isOpen(false)
  }

  count(status: string): void {
    this.#statuses.add(status)
    this.#requests.add({ ...this.#labels, status })
  }

  isOpen(isOpen: boolean): void {
    this.#open.set({ ...this.#labels }, isOpen ? 1 : 0)
  }

  forget(): void {
    this.#open.remove({ ...this.#labels })
    for (const status of this.#statuses) this.#requests.remove({ ...this.#labels, status })
  }
}
