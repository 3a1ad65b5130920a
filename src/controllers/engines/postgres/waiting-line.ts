// Waiting line for places, with a time limit. Invariant: first come, first served, except that a waiter without a
// suitable free place does not block those behind it.
import type { ExternalTools } from '../../../index.ts'

export interface WaitingLineOptions {
  readonly clock: ExternalTools['clock']
  readonly limitMs: number
  /** Returns the error for a waiter whose limit has passed. */
  readonly tooLong: () => Error
}

interface Waiter<Ask, Place> {
  readonly ask: Ask
  give(place: Place): void
  refuse(reason: unknown): void
}

export class WaitingLine<Ask, Place> {
  readonly #options: WaitingLineOptions
  readonly #waiters = new Set<Waiter<Ask, Place>>()

  constructor(options: WaitingLineOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#waiters.size === 0
  }

  /**
   * Joins the end of the line. The owner of the line then calls `serve`. Rejects with the signal's reason when it
   * aborts.
   */
  wait(ask: Ask, signal: AbortSignal): Promise<Place> {
    const { clock, limitMs, tooLong } = this.#options
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const leave = () => {
        timer.cancel()
        signal.removeEventListener('abort', giveUp)
        this.#waiters.delete(waiter)
      }
      const waiter: Waiter<Ask, Place> = {
        ask,
        give: (place) => {
          leave()
          resolve(place)
        },
        refuse: (reason) => {
          leave()
          reject(reason)
        },
      }
      const giveUp = () => waiter.refuse(signal.reason)
      const timer = clock.setTimer(limitMs, () => waiter.refuse(tooLong()))
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiters.add(waiter)
    })
  }

  /** Requests a place for each waiter, in order. Undefined: the waiter stays. */
  serve(placeFor: (ask: Ask) => Place | undefined): void {
    for (const waiter of [...this.#waiters]) {
      const place = placeFor(waiter.ask)
      if (place !== undefined) waiter.give(place)
    }
  }

  /** Rejects all waiters. */
  close(reason: unknown): void {
    for (const waiter of [...this.#waiters]) waiter.refuse(reason)
  }
}
