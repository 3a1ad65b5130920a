// Long work of a process in slices, so that it never holds the event loop. Invariant: between two turns of the loop, all work that asks one
// Slices takes 5 ms at most, and the step that it was in.
import type { Clock } from './clock.ts'

const sliceMs = 5

export class Slices {
  readonly #clock: Clock
  /** Undefined while no work has been done since the loop turned. */
  #begunAtMs: number | undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Has the work since the event loop last turned taken as long as a slice may? Asked after each step; the first question begins a slice. */
  get isOver(): boolean {
    const nowMs = this.#clock.monotonicMs()
    this.#begunAtMs ??= this.#begin(nowMs)
    return nowMs - this.#begunAtMs >= sliceMs
  }

  /** Resolves when timers and sockets have had the event loop, or when `signal` aborts; never rejects. */
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
