// When do the server's own controllers run? Each names the keys that a commit concerns and looks at one key at a time; the host
// keeps the keys in order, runs them when the present work has ended, and tries failed ones again later and later.
import type { Clock, Timer } from '../../base/clock.ts'
import type { LogEntry, ObjectLog } from '../object-log.ts'
import { StatusError } from '../status-error.ts'

/** What the control plane does by itself with what is written: one of the controllers of kube-controller-manager. */
export interface ServerController {
  /** As `--controllers` names it. */
  readonly name: string
  /** What a commit gives it to look at. Called for each commit, in order. */
  keysFor(entry: LogEntry): readonly string[]
  /**
   * Brings the world one step nearer to what it should be; must do nothing if it is there. Gives the milliseconds after which
   * to look again though nothing is written, or undefined. A StatusError that it throws is tried again.
   */
  reconcile(key: string): number | undefined
}

export interface ControllerHostOptions {
  readonly clock: Clock
  readonly log: ObjectLog
  readonly controllers: readonly ServerController[]
  /** Hears of what a controller could not do; it is tried again. */
  readonly onError?: (controller: string, key: string, error: StatusError) => void
}

const firstRetryMs = 100
const longestRetryMs = 60_000
/** So many keys in one go; the rest lets requests in between. */
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

  /** Shows the controllers what is there already. */
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

  /** Has nothing to do but wait for time or writes. */
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
  /** In the order in which they came. */
  readonly keys: Set<string>
  readonly later: Map<string, Timer>
  readonly failures: Map<string, number>
}
