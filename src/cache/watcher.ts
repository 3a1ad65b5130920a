// Keeps a store in sync with the API server: performs the decisions of watch-state. It rests, lists pages or reads a
// stream, and passes the results to a sink. Invariant: it ends only with its signal, whatever the server does.
import { assert, unreachable } from '../base/assert.ts'
import { type Clock, deadline, sleep, type Timer } from '../base/clock.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { Slices } from '../base/slices.ts'
import type { KubeClient, Selection, WatchFrame, WatchOptions } from '../kube/client.ts'
import type { LiveObject } from '../object/object.ts'
import { groupResourceOf, type Resource } from '../object/resource.ts'
import { type CacheMetrics, cacheMetrics } from './cache-metrics.ts'
import { describeWatched, selectionText } from './selection-text.ts'
import type { Failure } from './watch-failure.ts'
import {
  type DataFrame,
  shortStreamMs,
  startWatch,
  step,
  type WatchEffect,
  type WatchEvent,
  type WatchPhase,
  type WatchState,
  type WatchStatus,
} from './watch-state.ts'
import { WatchTally } from './watch-tally.ts'

/** Receiver of a watch. Must not throw or reject. Each call waits for the end of the previous one. */
export interface WatchSink {
  /** Adds an object to the next snapshot; the last state of an object counts. */
  collect(object: LiveObject): void
  /** Removes an object from the next snapshot. */
  uncollect(object: LiveObject): void
  /** Restarts the next snapshot. */
  discard(): void
  /**
   * The next snapshot is complete, as of this version: it replaces the content at once. The signal may interrupt it.
   */
  replace(resourceVersion: string, signal: AbortSignal): Promise<void>
  /** One change; its object has the reached version. */
  apply(frame: DataFrame): void
  /** Everything up to this version has been seen. */
  reached(resourceVersion: string): void
  /** The watch or a list failed, and is retried. Default: no effect. */
  failed?(failure: Failure): void
  /**
   * The API server does not serve the kind: no object of it exists, until the next `replace`. The signal may interrupt
   * it.
   */
  absent(signal: AbortSignal): Promise<void>
}

export interface WatcherOptions {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  readonly client: KubeClient
  readonly resource: Resource
  readonly selection: Selection
  /** As in InformersOptions. */
  readonly cluster?: string | undefined
  readonly sink: WatchSink
  /** Objects that it rejects count as not selected: a cached one is reported as deleted. Default: accepts all. */
  readonly keeps?: ((object: LiveObject) => boolean) | undefined
  /** The newest version of an earlier watch of the same selection. Default: none. */
  readonly seen?: string | undefined
  /** Counts this watch with the others of the process, for the log. Default: none to count with. */
  readonly tally?: WatchTally | undefined
  /** Shares the event loop with the other watches of the process. Default: none to share with. */
  readonly slices?: Slices | undefined
}

/** Health of a watch. Times are milliseconds since the epoch. */
export interface WatchHealth {
  readonly state: WatchStatus
  /** Start of this state. */
  readonly sinceMs: number
  /** The last failure since the last success, with its remedy. */
  readonly lastError: string | undefined
  /** Undefined before the first snapshot. */
  readonly lastResourceVersion: string | undefined
  readonly lastFrameAtMs: number | undefined
}

/** Two bookmark intervals: a live stream is never silent for longer. */
const stallLimitMs = 120_000
const pageLimitMs = 60_000
/**
 * Streams end after 5 to 10 minutes, so that load spreads over the API servers again. Source: client-go's reflector.
 */
const streamSeconds = { from: 300, spread: 300 }

/** Runs one list/watch. */
export class Watcher {
  readonly #options: WatcherOptions
  readonly #metrics: CacheMetrics
  readonly #tally: WatchTally
  readonly #slices: Slices
  #state: WatchState
  #statusSinceMs: number
  #lastFrameAtMs: number | undefined
  #isRunning = false

  constructor(options: WatcherOptions) {
    const { clock, instruments, resource, selection, cluster } = options
    this.#options = options
    this.#slices = options.slices ?? new Slices(clock)
    this.#tally = options.tally ?? new WatchTally()
    this.#metrics = cacheMetrics(instruments.metrics, {
      resource: groupResourceOf(resource),
      selection: selectionText(selection, cluster),
    })
    this.#state = startWatch(describeWatched(resource, selection, cluster), options.seen)
    this.#statusSinceMs = clock.now()
  }

  get health(): WatchHealth {
    return {
      state: this.#state.status,
      sinceMs: this.#statusSinceMs,
      lastError: this.#state.lastError,
      lastResourceVersion: this.#state.resourceVersion === '' ? undefined : this.#state.resourceVersion,
      lastFrameAtMs: this.#lastFrameAtMs,
    }
  }

  /** Watches until `signal` aborts; runs once. Rejects only for a bug. */
  async run(signal: AbortSignal): Promise<void> {
    assert(!this.#isRunning, 'a watcher runs once')
    this.#isRunning = true
    this.#tally.begin(this.#state.status)
    while (!signal.aborted) {
      for await (const event of this.#pursue(this.#state.phase, signal)) {
        for (const effect of this.#take(event)) await this.#perform(effect, signal)
        // One stream may outlive a phase: it delivers the snapshot and the changes after it.
        if (!isStreaming(this.#state.phase)) break
      }
    }
    this.#tally.end(this.#state.status)
  }

  /** Performs the phase and yields its events; ends early when `signal` aborts. */
  #pursue(phase: WatchPhase, signal: AbortSignal): AsyncIterable<WatchEvent> {
    switch (phase.kind) {
      case 'resting':
        return this.#rest(phase.delayMs, signal)
      case 'listing':
        return this.#list(phase, signal)
      case 'collecting':
        return this.#stream(
          { resourceVersion: phase.resourceVersion, resourceVersionMatch: 'NotOlderThan', sendInitialEvents: true },
          signal,
        )
      case 'following':
        return this.#stream({ resourceVersion: this.#state.resourceVersion }, signal)
      default:
        return unreachable(phase)
    }
  }

  async *#rest(delayMs: number, signal: AbortSignal): AsyncIterable<WatchEvent> {
    try {
      await sleep(this.#options.clock, delayMs, signal)
    } catch (thrown) {
      if (signal.aborted) return
      throw thrown
    }
    yield { kind: 'rested' }
  }

  async *#list(phase: Extract<WatchPhase, { kind: 'listing' }>, signal: AbortSignal): AsyncIterable<WatchEvent> {
    const { client, clock, resource, selection } = this.#options
    const time = deadline(clock, pageLimitMs, signal)
    const { limit, continueToken } = phase
    // The newest state: a fallback must not read an old one.
    const options = {
      ...selection,
      resourceVersion: '',
      limit,
      ...(continueToken === undefined ? {} : { continueToken }),
      beforeItem: () => (this.#slices.isOver ? this.#slices.nextTurn(time.signal) : undefined),
    }
    let event: WatchEvent
    try {
      const page = await client.list(resource, options, time.signal)
      event = { kind: 'page', page: { ...page, items: page.items.filter((object) => this.#keeps(object)) } }
    } catch (error) {
      event = time.hasPassed() ? { kind: 'stalled' } : { kind: 'failed', error }
    } finally {
      time.clear()
    }
    if (!signal.aborted) yield event
  }

  async *#stream(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent> {
    const { client, clock, random, resource, selection } = this.#options
    const watchdog = new Watchdog(clock, stallLimitMs, signal)
    const timeoutSeconds = streamSeconds.from + Math.floor(random.next() * streamSeconds.spread)
    let standing: Timer | undefined
    // A quiet stream yields nothing to wait for.
    const onAnswered = () => {
      standing = clock.setTimer(shortStreamMs, () => void this.#take({ kind: 'standing' }))
    }
    const asked: WatchOptions = { ...selection, ...options, timeoutSeconds, onAnswered }
    let end: WatchEvent = { kind: 'ended' }
    try {
      for await (const frame of client.watch(resource, asked, watchdog.signal)) {
        if (signal.aborted) return
        watchdog.calm()
        this.#lastFrameAtMs = clock.now()
        this.#metrics.frame(frame.type)
        yield { kind: 'frame', frame: this.#selected(frame) }
      }
    } catch (error) {
      end = watchdog.hasBarked ? { kind: 'stalled' } : { kind: 'failed', error }
    } finally {
      watchdog.stop()
      standing?.cancel()
    }
    if (!signal.aborted) yield end
  }

  /** The API server reports an object that has left the selection, or was never in it, in the same way. */
  #selected(frame: WatchFrame): WatchFrame {
    const isData = frame.type === 'ADDED' || frame.type === 'MODIFIED'
    return isData && !this.#keeps(frame.object) ? { type: 'DELETED', object: frame.object } : frame
  }

  #keeps(object: LiveObject): boolean {
    const { keeps } = this.#options
    return keeps === undefined || keeps(object)
  }

  /** Returns the effects of `event`: none, after `standing`. */
  #take(event: WatchEvent): readonly WatchEffect[] {
    const { clock, random } = this.#options
    const before = this.#state
    const { state, effects } = step(before, { ...event, atMs: clock.monotonicMs(), chance: random.next() })
    this.#state = state
    if (state.status !== before.status) {
      this.#statusSinceMs = clock.now()
      this.#logStatus(before.status)
    }
    return effects
  }

  async #perform(effect: WatchEffect, signal: AbortSignal): Promise<void> {
    const { sink } = this.#options
    switch (effect.kind) {
      case 'collect':
        for (const object of effect.objects) {
          sink.collect(object)
          if (this.#slices.isOver) await this.#slices.nextTurn(signal)
        }
        return
      case 'uncollect':
        sink.uncollect(effect.object)
        return
      case 'discard':
        sink.discard()
        return
      case 'replace':
        await sink.replace(effect.resourceVersion, signal)
        return
      case 'apply':
        sink.apply(effect.frame)
        if (this.#slices.isOver) await this.#slices.nextTurn(signal)
        return
      case 'reached':
        sink.reached(effect.resourceVersion)
        return
      case 'absent':
        await sink.absent(signal)
        return
      case 'restart':
        this.#metrics.restart(effect.failure.kind)
        this.#log.debug(
          { reason: effect.failure.kind, delayMs: effect.delayMs, error: effect.failure.message },
          'watch restarts',
        )
        sink.failed?.(effect.failure)
        return
      default:
        unreachable(effect)
    }
  }

  #logStatus(before: WatchStatus): void {
    const { status, lastError, subject } = this.#state
    const { isNews, inTrouble } = this.#tally.change(before, status)
    const isSynced = status === 'synced'
    // The controller of a kind that is not served knows whether it is required, and logs that.
    const level = !isNews ? 'debug' : isSynced || status === 'waiting' ? 'info' : 'warn'
    const fields = { before, ...(isSynced ? {} : { error: lastError }), watchesInTrouble: inTrouble }
    this.#log[level](fields, `${subject}: ${isSynced ? 'in sync' : status}`)
  }

  get #log() {
    return this.#options.instruments.log
  }
}

function isStreaming(phase: WatchPhase): boolean {
  return phase.kind === 'collecting' || phase.kind === 'following'
}

/**
 * Aborts its signal with the caller's, and when `calm` has not been called within the limit. Unlike a deadline, every
 * frame postpones it, which must cost nothing: there is one timer, renewed only when it fires.
 */
class Watchdog {
  hasBarked = false
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #caller: AbortSignal
  readonly #abort = new AbortController()
  readonly #onAbort = () => this.#abort.abort(this.#caller.reason)
  #calmedAtMs: number
  #timer: Timer

  constructor(clock: Clock, limitMs: number, signal: AbortSignal) {
    this.#clock = clock
    this.#limitMs = limitMs
    this.#caller = signal
    this.#calmedAtMs = clock.monotonicMs()
    this.#timer = this.#wait(limitMs)
    signal.addEventListener('abort', this.#onAbort, { once: true })
    if (signal.aborted) this.#onAbort()
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  calm(): void {
    this.#calmedAtMs = this.#clock.monotonicMs()
  }

  stop(): void {
    this.#timer.cancel()
    this.#caller.removeEventListener('abort', this.#onAbort)
  }

  #wait(delayMs: number): Timer {
    return this.#clock.setTimer(delayMs, () => {
      const restMs = this.#calmedAtMs + this.#limitMs - this.#clock.monotonicMs()
      if (restMs > 0) {
        this.#timer = this.#wait(restMs)
        return
      }
      this.hasBarked = true
      this.#abort.abort(new Error(`nothing came for ${this.#limitMs} ms`))
    })
  }
}
