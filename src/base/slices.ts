// Divides long work into slices, so that it never blocks the event loop. Invariant: between two iterations of the loop,
// all work of one Slices takes at most 5 ms plus its current step.
import type { Clock } from './clock.ts'

const sliceMs = 5

export class Slices {
  readonly #clock: Clock
  /** Undefined while no work was done since the last iteration of the loop. */
  #begunAtMs: number | undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * True if the work since the last iteration of the loop has taken a whole slice. Read it after each step; the first
   * read starts a slice.
   */
  get isOver(): boolean {
    const nowMs = this.#clock.monotonicMs()
    this.#begunAtMs ??= this.#begin(nowMs)
    return nowMs - this.#begunAtMs >= sliceMs
  }

  /** Resolves when timers and sockets have run, or when `signal` aborts; never rejects. */
  nextTurn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const goOn = () => {
        signal.removeEventListener('abort', goOn)
        resolve()
      }
      signal.addEventListener('abort', goOn, { once: true })
      void this.#turn.then(goOn)
    })
  }

  #begin(nowMs: number): number {
    this.#turn = new Promise((resolve) => {
      this.#clock.setTimer(0, () => {
        this.#begunAtMs = undefined
        resolve()
      })
    })
    return nowMs
  }
}
