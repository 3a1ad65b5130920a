// Who waits for a place, and for how long? Whoever asks stands in line until a place that suits him is given, the limit has passed,
// or he gives up himself. The first goes first, but nobody waits for one in front of him whom no free place suits.
import type { ExternalTools } from '../../../index.ts'

export interface WaitingLineOptions {
  readonly clock: ExternalTools['clock']
  readonly limitMs: number
  /** What is said to who has waited so long. */
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

  /** Stands at the end of the line; whoever keeps it serves it then. Rejects with the signal's reason when that aborts. */
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

  /** Asks for a place for each, the first first; undefined: he waits on. */
  serve(placeFor: (ask: Ask) => Place | undefined): void {
    for (const waiter of [...this.#waiters]) {
      const place = placeFor(waiter.ask)
      if (place !== undefined) waiter.give(place)
    }
  }

  /** All are told that there will be no place. */
  close(reason: unknown): void {
    for (const waiter of [...this.#waiters]) waiter.refuse(reason)
  }
}
