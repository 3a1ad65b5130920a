// Host of the server's own controllers. For each commit, a controller names the keys to reconcile; the host queues them
// in order.
// The host reconciles one key at a time, after the current call stack, and retries a failed key with exponential
// backoff.
import type { Clock, Timer } from '../../base/clock.ts'
import type { LogEntry, ObjectLog } from '../object-log.ts'
import { StatusError } from '../status-error.ts'

/** A controller of kube-controller-manager, inside the server. */
export interface ServerController {
  /** Name in the flag `--controllers`. */
  readonly name: string
  /** Returns the keys to reconcile after a commit. The host calls it for each commit, in order. */
  keysFor(entry: LogEntry): readonly string[]
  /**
   * Moves the objects one step towards their desired state; changes nothing if they have reached it.
   * Returns the milliseconds until the next reconcile without a commit, or undefined. The host retries after a
   * StatusError.
   */
  reconcile(key: string): number | undefined
}

export interface ControllerHostOptions {
  readonly clock: Clock
  readonly log: ObjectLog
  readonly controllers: readonly ServerController[]
  /** Called with each failure of a reconcile. The host retries the key. */
  readonly onError?: (controller: string, key: string, error: StatusError) => void
}

const firstRetryMs = 100
const longestRetryMs = 60_000
/** Keys per pass; requests run between two passes. */
const keysAtOnce = 100

export class ControllerHost {
  readonly #options: ControllerHostOptions
  readonly #lanes: readonly Lane[]
  readonly #stopListening: () => void
  #pass: Timer | undefined

  constructor(options: ControllerHostOptions) {
    this.#options = options
    this.#lanes = options.controllers.map((controller) => ({
      controller,
      keys: new Set(),
      later: new Map(),
      failures: new Map(),
    }))
    this.#stopListening = options.log.listen((entry) => {
      for (const lane of this.#lanes) for (const key of lane.controller.keysFor(entry)) this.#add(lane, key)
    })
  }

  /** Passes all existing objects to the controllers, as created. */
  start(): void {
    for (const shelf of this.#options.log.shelves())
      for (const now of this.#options.log.list(shelf))
        for (const lane of this.#lanes)
          for (const key of lane.controller.keysFor({
            kind: 'created',
            revision: now.revision,
            place: now.place,
            now,
            before: undefined,
          }))
            this.#add(lane, key)
  }

  stop(): void {
    this.#stopListening()
    this.#pass?.cancel()
    for (const { later } of this.#lanes) for (const timer of later.values()) timer.cancel()
  }

  /** True if no key is queued: the controllers wait for a timer or a commit. */
  get isIdle(): boolean {
    return this.#lanes.every(({ keys }) => keys.size === 0)
  }

  #add(lane: Lane, key: string): void {
    lane.keys.add(key)
    this.#pass ??= this.#options.clock.setTimer(0, () => this.#run())
  }

  #run(): void {
    this.#pass = undefined
    let left = keysAtOnce
    for (const lane of this.#lanes)
      for (const key of lane.keys) {
        if (left-- <= 0) break
        lane.keys.delete(key)
        this.#reconcile(lane, key)
      }
    if (!this.isIdle) this.#pass ??= this.#options.clock.setTimer(0, () => this.#run())
  }

  #reconcile(lane: Lane, key: string): void {
    lane.later.get(key)?.cancel()
    lane.later.delete(key)
    try {
      const afterMs = lane.controller.reconcile(key)
      lane.failures.delete(key)
      if (afterMs !== undefined) this.#addLater(lane, key, afterMs)
    } catch (thrown) {
      if (!(thrown instanceof StatusError)) throw thrown
      const failures = (lane.failures.get(key) ?? 0) + 1
      lane.failures.set(key, failures)
      this.#options.onError?.(lane.controller.name, key, thrown)
      this.#addLater(lane, key, Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 20)))
    }
  }

  #addLater(lane: Lane, key: string, afterMs: number): void {
    const timer = this.#options.clock.setTimer(afterMs, () => {
      lane.later.delete(key)
      this.#add(lane, key)
    })
    lane.later.set(key, timer)
  }
}

interface Lane {
  readonly controller: ServerController
  /** In order of arrival. */
  readonly keys: Set<string>
  readonly later: Map<string, Timer>
  readonly failures: Map<string, number>
}
