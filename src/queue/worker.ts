// Works the queue: takes ready keys, at most `maxConcurrent` at once and never one key twice at once, and reconciles
// each with a time limit. It reports the result to the queue. Invariant: no reconcile, however it ends or hangs, stops
// the others or the shutdown.
import { assert, unreachable } from '../base/assert.ts'
import { type Clock, deadline } from '../base/clock.ts'
import { CodedError } from '../base/errors.ts'
import type { Instruments } from '../base/instrument.ts'
import { type TokenBucket, takeFromAll } from '../base/token-bucket.ts'
import { Places } from './places.ts'
import type { MayServe } from './ready-lines.ts'
import type { RetryOptions, WorkItem, WorkQueue } from './work-queue.ts'

/** Meaning of the end of a reconcile for its key. */
export type Verdict =
  /** All is as declared: the next event, or `lookAgainAfterMs`, triggers the next reconcile. */
  | { readonly kind: 'settled'; readonly lookAgainAfterMs?: number }
  /**
   * In progress without a failure: reconcile again after `afterMs`, or at an earlier event. A follow-up continues this
   * reconcile's work at its priority; any other recheck has the lowest priority.
   */
  | { readonly kind: 'waiting'; readonly afterMs: number; readonly isFollowUp?: boolean }
  /** Transient failure: retry after the key's backoff, or as the times say. */
  | ({ readonly kind: 'retry' } & RetryOptions)
  /** Permanent failure: the next event, or `lookAgainAfterMs`, triggers the next reconcile. */
  | { readonly kind: 'stopped'; readonly lookAgainAfterMs?: number }

export interface WorkerOptions<K extends string> {
  readonly clock: Clock
  readonly instruments: Instruments
  readonly queue: WorkQueue<K>
  /** One reconcile. A thrown error is a failure without a verdict: logged here, once, and retried. */
  readonly handle: (item: WorkItem<K>, signal: AbortSignal) => Promise<Verdict>
  /**
   * Concurrent reconciles; at least 1. While groups of the queue compete, one group begins at most half of them,
   * rounded up. If one group holds all slots, the others have half as many more.
   */
  readonly maxConcurrent: number
  /** Each reconcile takes a token of every bucket; workers that share a bucket share its rate. Default: no limit. */
  readonly rateLimits?: readonly TokenBucket[]
  /** Time limit after which a reconcile's signal aborts. Default: 5 minutes. */
  readonly turnTimeoutMs?: number
}

/** A running reconcile. */
interface RunningItem<K extends string> {
  readonly item: WorkItem<K>
  /** True if the reconcile did not end although its signal aborted: it keeps its key, but not its slot. */
  isOverdue: boolean
}

const defaultTurnTimeoutMs = 5 * 60_000
/** Time that a reconcile has to end after its signal has aborted. */
const abortGraceMs = 5_000
/** Longest sleep of the loop: timers of Node end at 24 days, and the metrics of running reconciles need updates. */
const longestSleepMs = 60 * 60_000
const reportIntervalMs = 10_000
/** Reconciles that begin before the worker yields the event loop. */
const turnsPerBreath = 32

/** Runs once; a new run needs a new queue and a new worker. */
export class Worker<K extends string> {
  readonly #options: WorkerOptions<K>
  readonly #turns = new Set<RunningItem<K>>()
  readonly #abortTurns = new AbortController()
  readonly #hasEnded = Promise.withResolvers<void>()
  #state: 'new' | 'working' | 'stopping' = 'new'
  #wake = Promise.withResolvers<void>()
  #drainLimitMs = 0
  #begunSinceBreath = 0

  constructor(options: WorkerOptions<K>) {
    assert(options.maxConcurrent >= 1, 'a worker works at least one key at a time')
    this.#options = options
  }

  /**
   * Works until `drain` is called or the signal aborts; resolves when the reconciles have ended or exceeded their time.
   * An abort of the signal aborts all running reconciles at once.
   */
  async run(signal: AbortSignal): Promise<void> {
    assert(this.#state !== 'working', 'a worker runs once')
    const { queue } = this.#options
    const wake = () => this.#wake.resolve()
    const onAbort = () => this.#stop(0)
    const stopListening = queue.onReady(wake)
    signal.addEventListener('abort', onAbort, { once: true })
    if (this.#state === 'new') this.#state = 'working'
    if (signal.aborted) this.#stop(0)
    try {
      while (this.#state === 'working') {
        await this.#sleep(() => this.#beginTurns())
        if (this.#begunSinceBreath >= turnsPerBreath) await this.#breathe()
      }
      await this.#endTurns(signal)
    } finally {
      stopListening()
      signal.removeEventListener('abort', onAbort)
      this.#hasEnded.resolve()
    }
  }

  /**
   * Takes no more keys and gives running reconciles `limitMs` to end. Then aborts their signals, gives them 5 s more,
   * and abandons those that still run, with a log line. Resolves together with `run`.
   */
  async drain(limitMs: number): Promise<void> {
    if (this.#state === 'new') this.#hasEnded.resolve()
    this.#stop(limitMs)
    await this.#hasEnded.promise
  }

  #stop(limitMs: number): void {
    this.#drainLimitMs = this.#state === 'stopping' ? Math.min(this.#drainLimitMs, limitMs) : limitMs
    this.#state = 'stopping'
    this.#options.queue.shutDown()
    this.#wake.resolve()
  }

  /**
   * Does `work`, then sleeps for the time that it returns, or until a call of `#wake`. A call during `work` is not
   * lost.
   */
  async #sleep(work: () => number): Promise<void> {
    this.#wake = Promise.withResolvers<void>()
    const timer = this.#options.clock.setTimer(Math.min(work(), longestSleepMs), this.#wake.resolve)
    await this.#wake.promise
    timer.cancel()
  }

  /** Lets timers and sockets run, which a chain of reconciles without I/O would block. */
  async #breathe(): Promise<void> {
    await new Promise<void>((resolve) => this.#options.clock.setTimer(0, resolve))
    this.#begunSinceBreath = 0
  }

  /** Begins all reconciles that may begin now; returns the longest time in milliseconds until the next call. */
  #beginTurns(): number {
    const { clock, queue, rateLimits = [] } = this.#options
    queue.reportRunning()
    const idleMs = this.#turns.size === 0 ? longestSleepMs : reportIntervalMs
    for (; this.#begunSinceBreath < turnsPerBreath; this.#begunSinceBreath++) {
      const readyInMs = queue.nextReadyInMs() ?? idleMs
      if (readyInMs > 0) return Math.min(readyInMs, idleMs)
      const places = this.#places()
      const mayServe: MayServe = (request) => places.isFree(request)
      // A key of another group may find a slot as soon as it is due.
      if (!queue.canTake(mayServe)) return Math.min(reportIntervalMs, queue.nextDueInMs() ?? reportIntervalMs)
      const tokenInMs = takeFromAll(rateLimits, clock.monotonicMs())
      if (tokenInMs > 0) return tokenInMs
      const item = queue.take(mayServe)
      if (item === undefined) return idleMs
      void this.#runTurn(item)
    }
    return 0
  }

  /**
   * Overdue reconciles release their slot, so that a stuck key does not slow the others; at most `maxConcurrent` of
   * them.
   */
  #places(): Places {
    const { queue, maxConcurrent } = this.#options
    const turns = [...this.#turns]
    const overdue = turns.filter(({ isOverdue }) => isOverdue)
    const holders = [...turns.filter(({ isOverdue }) => !isOverdue), ...overdue.slice(maxConcurrent)]
    return new Places(
      maxConcurrent,
      holders.map(({ item }) => queue.groupOf(item.key)),
    )
  }

  /** Never rejects. */
  async #runTurn(item: WorkItem<K>): Promise<void> {
    const { clock, queue, handle, turnTimeoutMs = defaultTurnTimeoutMs } = this.#options
    const turn: RunningItem<K> = { item, isOverdue: false }
    this.#turns.add(turn)
    const limit = deadline(clock, turnTimeoutMs, this.#abortTurns.signal)
    const overdue = clock.setTimer(turnTimeoutMs + abortGraceMs, () => this.#reportOverdue(turn))
    try {
      this.#carryOut(item, await handle(item, limit.signal))
    } catch (thrown) {
      this.#reportThrow(item, thrown)
      queue.retry(item, { afterMs: thrown instanceof CodedError ? thrown.retryAfterMs : undefined })
    } finally {
      limit.clear()
      overdue.cancel()
      this.#turns.delete(turn)
      queue.done(item.key)
      this.#wake.resolve()
    }
  }

  #carryOut(item: WorkItem<K>, verdict: Verdict): void {
    const { queue } = this.#options
    switch (verdict.kind) {
      case 'settled':
      case 'stopped':
        queue.forget(item.key)
        if (verdict.lookAgainAfterMs !== undefined) {
          queue.addAfter(item.key, verdict.lookAgainAfterMs, { priority: 'resync', cause: { kind: 'resync' } })
        }
        break
      case 'waiting':
        queue.addAfter(item.key, verdict.afterMs, {
          priority: verdict.isFollowUp === true ? item.priority : 'resync',
          cause: { kind: 'timer' },
        })
        queue.forget(item.key)
        break
      case 'retry':
        queue.retry(item, verdict)
        break
      default:
        unreachable(verdict)
    }
  }

  async #endTurns(signal: AbortSignal): Promise<void> {
    if (await this.#turnsEndWithin(this.#drainLimitMs, signal)) return
    this.#abortTurns.abort(signal.aborted ? signal.reason : new DOMException('the worker shuts down', 'AbortError'))
    // Uses a new signal that never aborts: the grace period bounds this wait.
    if (await this.#turnsEndWithin(abortGraceMs, new AbortController().signal)) return
    const keys = [...this.#turns].map(({ item }) => item.key)
    this.#options.instruments.log.error({ keys }, 'turns ignore their aborted signal and are left behind')
  }

  /** Waits until no reconcile runs, the limit passes or the signal aborts; true if no reconcile runs. */
  async #turnsEndWithin(limitMs: number, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options
    const untilMs = clock.monotonicMs() + limitMs
    for (;;) {
      const leftMs = untilMs - clock.monotonicMs()
      if (this.#turns.size === 0) return true
      if (leftMs <= 0 || signal.aborted) return false
      await this.#sleep(() => leftMs)
    }
  }

  #reportThrow({ key, causes, failures }: WorkItem<K>, thrown: unknown): void {
    // An aborted reconcile may throw.
    if (this.#abortTurns.signal.aborted) return
    this.#options.instruments.log.error(
      { key, causes, failures: failures + 1, err: thrown },
      'the turn threw; it is retried',
    )
  }

  #reportOverdue(turn: RunningItem<K>): void {
    turn.isOverdue = true
    const { key, causes } = turn.item
    this.#options.instruments.log.error(
      { key, causes },
      'the turn ignores its aborted signal; its key waits until it ends, and another key takes its place',
    )
    this.#wake.resolve()
  }
}
