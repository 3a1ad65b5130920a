// How the reconciles of each resource went of late, as far as the time of the next one goes by it. Invariant: one entry per living resource.
import type { Clock } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { Key } from '../object/ref.ts'
import type { Cause } from '../queue/cause.ts'
import { hasNews, isMomentary, type Outcome, recheckMs } from './outcome.ts'

export interface PaceOptions {
  readonly clock: Clock
  readonly random: Random
}

export class Pace {
  readonly #options: PaceOptions
  /** How many turns in a row were to be over in no time. */
  readonly #short = new Map<Key, number>()
  /** How many turns in a row found it waiting, with nothing new. */
  readonly #waits = new Map<Key, number>()
  /** Since when every turn has failed, on the monotonic clock. */
  readonly #failingSinceMs = new Map<Key, number>()

  constructor(options: PaceOptions) {
    this.#options = options
  }

  /** The resource is gone. */
  forget(key: Key): void {
    this.#short.delete(key)
    this.#waits.delete(key)
    this.#failingSinceMs.delete(key)
  }

  /** How many turns before this one were to be over in no time: what they wait for must not take the turns of others. */
  shortBefore(key: Key, isShort: boolean): number {
    const before = this.#short.get(key) ?? 0
    if (isShort) this.#short.set(key, before + 1)
    else this.#short.delete(key)
    return before
  }

  /** When to look again at what waits: ever more rarely, as its events wake it. Undefined if it does not wait. */
  recheckMs({ key, causes }: { readonly key: Key; readonly causes: readonly Cause[] }, outcome: Outcome) {
    const before = hasNews(causes) ? 0 : (this.#waits.get(key) ?? 0)
    if (outcome.kind !== 'waiting' && outcome.kind !== 'deleting') {
      this.#waits.delete(key)
      return undefined
    }
    if (!isMomentary(outcome)) this.#waits.set(key, before + 1)
    return recheckMs(before, this.#options.random)
  }

  /** For how long every turn has failed, this one included. */
  failingForMs(key: Key, outcome: Outcome): number {
    const nowMs = this.#options.clock.monotonicMs()
    const sinceMs = this.#failingSinceMs.get(key) ?? nowMs
    if (outcome.kind === 'retry') this.#failingSinceMs.set(key, sinceMs)
    else this.#failingSinceMs.delete(key)
    return nowMs - sinceMs
  }
}
