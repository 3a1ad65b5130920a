// Recent history of the reconciles of each resource, as far as the time of the next one depends on it. Invariant: one
// entry per existing resource.
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { Key } from '../object/ref.ts'
import type { Cause } from '../queue/cause.ts'
import { hasChanged, isMomentary, type Outcome, recheckMs } from './outcome.ts'

export interface PaceOptions {
  readonly clock: Clock
  readonly random: Random
}

export class Pace {
  readonly #options: PaceOptions
  /** Number of momentary reconciles in a row. */
  readonly #short = new Map<Key, number>()
  /** Number of reconciles in a row that found the resource waiting, without a change. */
  readonly #waits = new Map<Key, number>()
  /** Start of an unbroken row of failures, on the monotonic clock. */
  readonly #failingSinceMs = new Map<Key, number>()

  constructor(options: PaceOptions) {
    this.#options = options
  }

  /** Call when the resource is gone. */
  forget(key: Key): void {
    this.#short.delete(key)
    this.#waits.delete(key)
    this.#failingSinceMs.delete(key)
  }

  /**
   * Returns the number of momentary reconciles before this one. Their repetition must not delay the reconciles of
   * others.
   */
  shortBefore(key: Key, isShort: boolean): number {
    const before = this.#short.get(key) ?? 0
    if (isShort) this.#short.set(key, before + 1)
    else this.#short.delete(key)
    return before
  }

  /**
   * Returns the time until the next recheck of a waiting resource: it grows, because events trigger the resource.
   * Undefined if it does not wait.
   */
  recheckMs({ key, causes }: { readonly key: Key; readonly causes: readonly Cause[] }, outcome: Outcome) {
    const before = hasChanged(causes) ? 0 : (this.#waits.get(key) ?? 0)
    if (outcome.kind !== 'waiting' && outcome.kind !== 'deleting') {
      this.#waits.delete(key)
      return undefined
    }
    if (!isMomentary(outcome)) this.#waits.set(key, before + 1)
    return recheckMs(before, this.#options.random)
  }

  /** Returns the duration of the unbroken row of failures, this one included. */
  failingForMs(key: Key, outcome: Outcome): number {
    const nowMs = this.#options.clock.monotonicMs()
    const sinceMs = this.#failingSinceMs.get(key) ?? nowMs
    if (outcome.kind === 'retry') this.#failingSinceMs.set(key, sinceMs)
    else this.#failingSinceMs.delete(key)
    return nowMs - sinceMs
  }
}
