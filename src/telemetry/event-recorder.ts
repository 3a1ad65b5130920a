// Recorder of Kubernetes Events, written in the background. Invariants: `record` never waits, never fails and never
// floods the API server; Events are dropped rather than late, because the status is authoritative. Namespaces take
// turns and share the queue.
import { assert } from '../base/assert.ts'
import { type Clock, deadline, microTimestampOf } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Counter, Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { TokenBucket, type TokenBucketLimit } from '../base/token-bucket.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError, type KubeErrorCode } from '../kube/kube-errors.ts'
import { Event } from '../object/built-in.ts'
import type { KubeObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'
import { type EventReport, type EventReporter, eventObject } from './event-object.ts'
import { type EventSeries, EventSeriesBook, namespaceOf } from './event-series.ts'
import { NamespaceShares } from './namespace-shares.ts'

export interface EventRecorderOptions {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  readonly client: KubeClient
  readonly reporter: EventReporter
  readonly fieldManager: string
}

/** Event on the server or in the queue, with its unwritten part. */
interface Posting {
  readonly event: KubeObject
  readonly series: EventSeries
  lastObservedTime: string
  /** Count on the server; 0 before the Event exists there. */
  postedCount: number
  attempts: number
  /** Earliest time of the next write; repeats accumulate until then. */
  dueMs: number
}

type DropReason = 'object' | 'memory' | 'refused' | 'unreachable' | 'shutdown'

/** Write interval of an ongoing series. */
const seriesIntervalMs = 30_000
const requestLimitMs = 10_000
const maxAttempts = 4
const retryBaseMs = 1_000
const maxPostings = 1_024
const longestSleepMs = 60 * 60_000
/** Rate limit of all requests together. */
const requestLimit: TokenBucketLimit = { perSecond: 10, burst: 50 }
const passing: readonly KubeErrorCode[] = [
  'ServerError',
  'ServiceUnavailable',
  'Timeout',
  'TooManyRequests',
  'Unauthorized',
  'Unreachable',
]

export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #dropped: Counter
  readonly #book = new EventSeriesBook()
  readonly #requests = new TokenBucket(requestLimit)
  readonly #postingOf = new WeakMap<EventSeries, Posting>()
  /** Postings with unwritten changes, in the order of their arrival. */
  readonly #pending = new Set<Posting>()
  /** Shares of the pending postings. */
  readonly #shares = new NamespaceShares()
  /**
   * Served namespaces, the least recently served first. A namespace that is not in the set was never served. Bounded.
   */
  readonly #served = new Set<string>()
  #isRunning = false
  #wake = Promise.withResolvers<void>()

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#dropped = options.instruments.metrics.counter({
      name: 'konverge_events_dropped_total',
      help: 'Kubernetes Events that were dropped, by reason.',
      labels: ['reason'],
    })
  }

  /** Records the report and returns at once. Never throws. The caller must not pass secrets. */
  record(report: EventReport): void {
    try {
      const decision = this.#book.admit(report, this.#options.clock.monotonicMs())
      if (decision.kind === 'drop') this.#drop(decision.reason)
      else this.#note(decision.series)
    } catch (thrown) {
      this.#options.instruments.log.error({ err: thrown }, 'an event could not be recorded')
    }
  }

  /** Writes Events until the signal aborts; `flush` writes the rest. */
  async run(signal: AbortSignal): Promise<void> {
    assert(!this.#isRunning, 'an event recorder runs once at a time')
    this.#isRunning = true
    const wake = () => this.#wake.resolve()
    signal.addEventListener('abort', wake, { once: true })
    try {
      while (!signal.aborted) {
        this.#wake = Promise.withResolvers<void>()
        const { posting, waitMs } = this.#next()
        if (posting !== undefined) await this.#post(posting, signal)
        else await this.#sleep(waitMs)
      }
    } finally {
      signal.removeEventListener('abort', wake)
      this.#isRunning = false
    }
  }

  /**
   * Tries once to write each pending Event, with accumulated repeats, until the signal aborts. Call it after `run` has
   * ended.
   */
  async flush(signal: AbortSignal): Promise<void> {
    assert(!this.#isRunning, 'events are flushed when the recorder no longer runs')
    for (const posting of [...this.#pending]) {
      if (!signal.aborted) await this.#post(posting, signal)
      if (this.#remove(posting)) this.#drop('shutdown')
    }
  }

  #note(series: EventSeries): void {
    const { clock, random, reporter } = this.#options
    const now = microTimestampOf(clock)
    const known = this.#postingOf.get(series)
    const isWaiting = known !== undefined && this.#pending.has(known)
    if (!isWaiting && !this.#hasRoomFor(namespaceOf(series.first))) {
      this.#drop('memory')
      return
    }
    const posting = known ?? {
      event: eventObject({ report: series.first, reporter, uniqueSuffix: random.uuid().slice(0, 18), eventTime: now }),
      series,
      lastObservedTime: now,
      postedCount: 0,
      attempts: 0,
      dueMs: 0,
    }
    posting.lastObservedTime = now
    this.#postingOf.set(series, posting)
    if (!isWaiting) this.#shares.add(namespaceOf(series.first))
    this.#pending.add(posting)
    this.#wake.resolve()
  }

  /** Returns whether the queue has room. Drops the last posting of a namespace that exceeds its share if necessary. */
  #hasRoomFor(namespace: string): boolean {
    if (this.#pending.size < maxPostings) return true
    const giver = this.#shares.giverFor(namespace)
    const last = [...this.#pending].findLast(({ series }) => namespaceOf(series.first) === giver)
    if (last === undefined) return false
    this.#remove(last)
    this.#drop('memory')
    return true
  }

  /** Removes a posting; false if it was not pending. */
  #remove(posting: Posting): boolean {
    const wasPending = this.#pending.delete(posting)
    if (wasPending) this.#shares.remove(namespaceOf(posting.series.first))
    return wasPending
  }

  /** Returns the next posting if the rate limit allows a request, or the time to wait. Linear in pending postings. */
  #next(): { readonly posting?: Posting; readonly waitMs: number } {
    const nowMs = this.#options.clock.monotonicMs()
    let waitMs = longestSleepMs
    const due = new Map<string, Posting>()
    for (const posting of this.#pending) {
      const namespace = namespaceOf(posting.series.first)
      if (posting.dueMs > nowMs) waitMs = Math.min(waitMs, posting.dueMs - nowMs)
      else if (!due.has(namespace)) due.set(namespace, posting)
    }
    const namespace =
      [...due.keys()].find((waiting) => !this.#served.has(waiting)) ??
      [...this.#served].find((served) => due.has(served)) ??
      ''
    const posting = due.get(namespace)
    if (posting === undefined) return { waitMs }
    const tokenInMs = this.#requests.take(nowMs)
    if (tokenInMs > 0) return { waitMs: tokenInMs }
    this.#serve(namespace)
    return { posting, waitMs: 0 }
  }

  #serve(namespace: string): void {
    this.#served.delete(namespace)
    this.#served.add(namespace)
    const [longestAgo] = this.#served
    if (this.#served.size > maxPostings && longestAgo !== undefined) this.#served.delete(longestAgo)
  }

  async #sleep(waitMs: number): Promise<void> {
    const timer = this.#options.clock.setTimer(waitMs, this.#wake.resolve)
    await this.#wake.promise
    timer.cancel()
  }

  /** Sends one request. Never rejects. */
  async #post(posting: Posting, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const limit = deadline(clock, requestLimitMs, signal)
    const { count } = posting.series
    try {
      await this.#send(posting, count, limit.signal)
      this.#settle(posting, count)
    } catch (thrown) {
      // The caller aborted, and the server did not fail: the posting remains unchanged.
      if (!signal.aborted) this.#fail(posting, thrown, limit.hasPassed())
    } finally {
      limit.clear()
    }
  }

  async #send({ event, lastObservedTime, postedCount }: Posting, count: number, signal: AbortSignal): Promise<void> {
    const { client, fieldManager } = this.#options
    const series = { count, lastObservedTime }
    if (postedCount === 0) {
      // The API server rejects a series with a count of 1.
      await client.create(Event, count === 1 ? event : { ...event, series }, { fieldManager }, signal)
    } else {
      await client.patch(Event, event.metadata, { type: 'merge', body: { series } }, { fieldManager }, signal)
    }
  }

  #settle(posting: Posting, count: number): void {
    posting.postedCount = count
    posting.attempts = 0
    posting.dueMs = this.#options.clock.monotonicMs() + seriesIntervalMs
    if (posting.series.count === count) this.#remove(posting)
  }

  #fail(posting: Posting, thrown: unknown, hasTimedOut: boolean): void {
    const { clock, random, instruments } = this.#options
    const isPosted = posting.postedCount > 0
    // An earlier attempt has arrived, but its response was lost.
    if (!isPosted && isKubeError(thrown, 'AlreadyExists')) {
      this.#settle(posting, 1)
      return
    }
    posting.attempts++
    // The API server deletes Events after an hour by default. A longer series is created again.
    const hasExpired = isPosted && isKubeError(thrown, 'NotFound')
    if (hasExpired) posting.postedCount = 0
    const mayPass = hasExpired || hasTimedOut || isKubeError(thrown, ...passing)
    if (mayPass && posting.attempts < maxAttempts) {
      const backoffMs = retryBaseMs * 2 ** posting.attempts * (0.5 + random.next() / 2)
      const askedMs = isKubeError(thrown) ? (thrown.retryAfterMs ?? 0) : 0
      posting.dueMs = clock.monotonicMs() + Math.max(backoffMs, Math.min(askedMs, seriesIntervalMs))
      return
    }
    this.#remove(posting)
    this.#drop(mayPass ? 'unreachable' : 'refused')
    const { regarding, reason } = posting.series.first
    instruments.log.debug(
      { regarding: describeRef(refOf(regarding)), reason, error: messageOf(thrown) },
      'event dropped',
    )
  }

  #drop(reason: DropReason): void {
    this.#dropped.add({ reason })
  }
}
