// Work queue of keys. Invariants: a key is in the queue at most once, however often it is added, and no two workers
// have it at once. A key that is added while a worker has it becomes ready when the worker is done. The queue only
// reads the clock; Worker waits.
//
//     add ──▶ ready ──take──▶ taken ──done──▶ out, or ready or delayed again if added meanwhile
//      │        ▲               │
//      └▶ delayed (until due)   └─ add, retry: held until done
import { assert } from '../base/assert.ts'
import { assertBackoff, type BackoffPolicy, backoffDelayMs, cappedBackoff, defaultBackoff } from '../base/backoff.ts'
import type { Clock } from '../base/clock.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { type Cause, type CauseList, noCauses, withCause, withCauses } from './cause.ts'
import { DelayHeap } from './delay-heap.ts'
import { isMoreUrgent, moreUrgent, type Priority, priorities } from './priority.ts'
import { QueueMetrics } from './queue-metrics.ts'
import { type MayServe, ReadyLines } from './ready-lines.ts'

export type { Cause, Priority }

/** Cause and priority of an added key. */
export interface QueueRequest {
  readonly priority: Priority
  readonly cause: Cause
  /** Also ends the `notBeforeMs` wait of the last retry, once. Default: false. */
  readonly overtakesNotBefore?: boolean | undefined
}

/** Exceptions of a retry from the key's backoff. */
export interface RetryOptions {
  /** Shortest delay, up to the backoff's cap. */
  readonly afterMs?: number | undefined
  /** Shortest delay that the API server requested; only an add with `overtakesNotBefore` ends it earlier. */
  readonly notBeforeMs?: number | undefined
  /** Longest delay, whatever the number of failures: all keys share the cause, and recover with it. */
  readonly atMostMs?: number | undefined
  /** Latest retry, whatever else applies, because a report is due then. */
  readonly byMs?: number | undefined
}

/** A key in the hands of a worker. */
export interface WorkItem<K extends string> extends CauseList {
  readonly key: K
  readonly priority: Priority
  /** Number of failures of the key in a row before this reconcile. */
  readonly failures: number
  /** Time in milliseconds for which the key was ready, without intended delays. */
  readonly queuedForMs: number
}

export interface WorkQueueOptions<K extends string = string> {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  /** The `name` label of the metrics: the controller's name. */
  readonly name: string
  /** Default: `defaultBackoff`, 5 s to 300 s. */
  readonly backoff?: BackoffPolicy
  /** Groups, such as namespaces, that are served round-robin within a priority. Default: all keys are in one group. */
  readonly groupOf?: (key: K) => string
}

/** A key that waits for a reconcile. */
interface Entry<K extends string> {
  readonly key: K
  priority: Priority
  causes: CauseList
  /** Time from which the key may be taken. */
  readyAtMs: number
  /** True if an add ends the wait that the API server requested. */
  overtakesNotBefore: boolean
}

/**
 * A keyed, prioritized, delaying queue. Adding merges: the more urgent priority, the earlier time, all causes. Within a
 * priority, groups are served round-robin, and keys of a group in the order in which they became ready. A key with
 * raised priority joins the end of its new line.
 *
 * Memory is bounded by the number of distinct keys, each with at most `maxCauses` causes.
 */
export class WorkQueue<K extends string> {
  readonly #clock: Clock
  readonly #random: Random
  readonly #backoff: BackoffPolicy
  readonly #metrics: QueueMetrics
  /** Every waiting key. A key that no worker has is in exactly one of `#delayed` and `#ready`, any other in neither. */
  readonly #entries = new Map<K, Entry<K>>()
  readonly #delayed = new DelayHeap<K>()
  readonly #ready: ReadyLines<K>
  readonly #groupOf: (key: K) => string
  /** Time at which a worker took each key that is not done. */
  readonly #takenAtMs = new Map<K, number>()
  /** Failures in a row, of the keys that have any. */
  readonly #failures = new Map<K, number>()
  /** End of the wait that the API server requested in the last reconcile of each key. */
  readonly #notBeforeMs = new Map<K, number>()
  readonly #listeners = new Set<() => void>()
  /** Time at which a key was last taken or done, or became ready while none was. */
  #movedAtMs = 0
  #isShutDown = false

  constructor({ clock, random, instruments, name, backoff = defaultBackoff, groupOf = () => '' }: WorkQueueOptions<K>) {
    this.#groupOf = groupOf
    this.#ready = new ReadyLines(groupOf)
    this.#clock = clock
    this.#random = random
    assertBackoff(backoff)
    this.#backoff = backoff
    this.#metrics = new QueueMetrics(instruments.metrics, name)
  }

  get isShutDown(): boolean {
    return this.#isShutDown
  }

  /** Number of waiting keys: ready, delayed, or held until their worker is done. */
  get size(): number {
    return this.#entries.size
  }

  /** Number of keys that workers have. */
  get takenCount(): number {
    return this.#takenAtMs.size
  }

  /** Adds the key to be ready at once. Ends a delay of the key, including the backoff of a retry. */
  add(key: K, wish: QueueRequest): void {
    this.addAfter(key, 0, wish)
  }

  /** Adds the key to be ready after `delayMs`, or earlier if an earlier time is known. */
  addAfter(key: K, delayMs: number, { priority, cause, overtakesNotBefore = false }: QueueRequest): void {
    const causes = withCause(noCauses, cause)
    this.#merge({ key, priority, causes, readyAtMs: this.#after(delayMs), overtakesNotBefore })
  }

  /**
   * Counts a failure of the key and adds it after its backoff, with the priority and causes of the failed reconcile.
   */
  retry({ key, priority, causes, droppedCauses }: WorkItem<K>, wish: RetryOptions = {}): void {
    if (this.#isShutDown) return
    const failures = this.failuresOf(key) + 1
    this.#failures.set(key, failures)
    const { afterMs = 0, notBeforeMs = 0, atMostMs, byMs = Number.POSITIVE_INFINITY } = wish
    const { capMs } = this.#backoff
    const policy = cappedBackoff(this.#backoff, atMostMs)
    const backoffMs = backoffDelayMs({ policy, failures, random: this.#random })
    const delayMs = Math.min(Math.max(backoffMs, Math.min(Math.max(afterMs, notBeforeMs), capMs)), byMs)
    if (notBeforeMs > 0) this.#notBeforeMs.set(key, this.#after(Math.min(notBeforeMs, capMs)))
    this.#metrics.retried()
    const known = withCause({ causes, droppedCauses }, { kind: 'retry' })
    this.#merge({ key, priority, causes: known, readyAtMs: this.#after(delayMs), overtakesNotBefore: false })
  }

  /** Resets the failures of the key: its next failure starts the backoff from its base. */
  forget(key: K): void {
    this.#failures.delete(key)
  }

  failuresOf(key: K): number {
    return this.#failures.get(key) ?? 0
  }

  groupOf(key: K): string {
    return this.#groupOf(key)
  }

  /** True if a key is ready and its group may be served. */
  canTake(mayServe: MayServe): boolean {
    this.#promoteDue(this.#clock.monotonicMs())
    return this.#ready.canServe(mayServe)
  }

  /**
   * Returns the next ready key whose group may be served, by default any; the caller must call `done` later. Undefined
   * if there is none, or after shut-down.
   */
  take(mayServe?: MayServe): WorkItem<K> | undefined {
    const nowMs = this.#clock.monotonicMs()
    this.#promoteDue(nowMs)
    const served = this.#ready.serve(mayServe)
    if (served === undefined) return undefined
    const entry = this.#entries.get(served.key)
    assert(entry !== undefined, 'a key in line is an entry')
    const queuedForMs = nowMs - entry.readyAtMs
    this.#movedAtMs = nowMs
    this.#entries.delete(entry.key)
    this.#notBeforeMs.delete(entry.key)
    this.#takenAtMs.set(entry.key, nowMs)
    this.#metrics.depth(entry.priority, this.#ready.sizeOf(entry.priority))
    this.#metrics.taken(queuedForMs)
    const { key, priority, causes } = entry
    return { key, priority, ...causes, failures: this.failuresOf(key), queuedForMs }
  }

  /** Takes the key from its worker. */
  done(key: K): void {
    const takenAtMs = this.#takenAtMs.get(key)
    assert(takenAtMs !== undefined, 'only a taken key is done')
    this.#takenAtMs.delete(key)
    this.#movedAtMs = this.#clock.monotonicMs()
    this.#metrics.done(this.#movedAtMs - takenAtMs)
    const held = this.#entries.get(key)
    if (held !== undefined) this.#place(held)
  }

  /** Returns the time for which keys have been ready while none was taken or done; 0 if none is ready. */
  idleForMs(): number {
    const nowMs = this.#clock.monotonicMs()
    const dueMs = this.#delayed.peek()?.dueMs ?? Number.POSITIVE_INFINITY
    const readyAtMs = this.#ready.isEmpty ? dueMs : this.#movedAtMs
    return Math.max(0, nowMs - Math.max(readyAtMs, this.#movedAtMs))
  }

  /** Returns the time until a key is ready: 0 if one is, undefined if none will be without an add or done. */
  nextReadyInMs(): number | undefined {
    return this.#ready.isEmpty ? this.nextDueInMs() : 0
  }

  /** Returns the time until the next delayed key is ready; undefined if none is delayed. */
  nextDueInMs(): number | undefined {
    const next = this.#delayed.peek()
    return next === undefined ? undefined : Math.max(0, next.dueMs - this.#clock.monotonicMs())
  }

  /**
   * Calls `listener` whenever a key becomes ready or gets a due time, and on shut-down. It runs inside of the causing
   * call, so it must only take note. Returns a function that removes it.
   */
  onReady(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Updates the metrics that depend on the time. */
  reportRunning(): void {
    const nowMs = this.#clock.monotonicMs()
    this.#metrics.running([...this.#takenAtMs.values()].map((takenAtMs) => nowMs - takenAtMs))
  }

  /**
   * Drops every waiting key and ignores later ones: the next process lists them again. Workers keep their keys until
   * they are done.
   */
  shutDown(): void {
    if (this.#isShutDown) return
    this.#isShutDown = true
    this.#entries.clear()
    this.#delayed.clear()
    this.#ready.clear()
    this.#failures.clear()
    this.#notBeforeMs.clear()
    for (const priority of priorities) this.#metrics.depth(priority, 0)
    this.#notify()
  }

  #after(delayMs: number): number {
    assert(Number.isFinite(delayMs), 'a delay is a finite number of milliseconds')
    return this.#clock.monotonicMs() + Math.max(0, delayMs)
  }

  #merge(added: Entry<K>): void {
    if (this.#isShutDown) return
    const entry = this.#entries.get(added.key)
    const overtakes = added.overtakesNotBefore || entry?.overtakesNotBefore === true
    const notBeforeMs = overtakes ? 0 : (this.#notBeforeMs.get(added.key) ?? 0)
    added.readyAtMs = Math.max(added.readyAtMs, notBeforeMs)
    if (entry === undefined) {
      this.#entries.set(added.key, added)
      this.#metrics.added()
      this.#place(added)
      return
    }
    entry.causes = withCauses(entry.causes, added.causes)
    entry.overtakesNotBefore = overtakes
    const isRaised = isMoreUrgent(added.priority, entry.priority)
    const readyAtMs = Math.max(Math.min(added.readyAtMs, entry.readyAtMs), notBeforeMs)
    if (!isRaised && readyAtMs === entry.readyAtMs) return
    this.#displace(entry)
    entry.priority = moreUrgent(added.priority, entry.priority)
    entry.readyAtMs = readyAtMs
    this.#place(entry)
  }

  /** Puts an entry into `#ready` or `#delayed`; one whose key is taken stays in neither until it is done. */
  #place(entry: Entry<K>): void {
    if (this.#takenAtMs.has(entry.key)) return
    const nowMs = this.#clock.monotonicMs()
    if (entry.readyAtMs > nowMs) {
      this.#delayed.put(entry.key, entry.readyAtMs)
    } else {
      // Keys that became due earlier go first, although no call has promoted them since.
      this.#promoteDue(nowMs)
      this.#join(entry)
    }
    this.#notify()
  }

  #displace({ key, priority }: Entry<K>): void {
    this.#delayed.remove(key)
    if (this.#ready.leave(key, priority)) this.#metrics.depth(priority, this.#ready.sizeOf(priority))
  }

  #promoteDue(nowMs: number): void {
    for (let due = this.#delayed.peek(); due !== undefined && due.dueMs <= nowMs; due = this.#delayed.peek()) {
      this.#delayed.pop()
      const entry = this.#entries.get(due.key)
      assert(entry !== undefined, 'a delayed key is an entry')
      this.#join(entry)
    }
  }

  #join({ key, priority }: Entry<K>): void {
    if (this.#ready.isEmpty) this.#movedAtMs = Math.max(this.#movedAtMs, this.#entries.get(key)?.readyAtMs ?? 0)
    this.#ready.join(key, priority)
    this.#metrics.depth(priority, this.#ready.sizeOf(priority))
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
