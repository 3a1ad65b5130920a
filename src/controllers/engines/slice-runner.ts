// Runs long pure work in slices, so that it never blocks the event loop. Invariant: a slice ends at the first `yield`
// after 5 ms. Timers and sockets run between any two slices of one runner.
import type { ExternalTools } from '../../index.ts'

type Clock = ExternalTools['clock']

/** Pure work that may pause at each `yield`. Each part takes at most a few milliseconds. */
export type SlicedWork<T> = Generator<undefined, T, undefined>

const sliceMs = 5

export class SliceRunner {
  readonly #clock: Clock
  /** Last requested pause. Pauses end one after another, so that no two slices run back to back. */
  #lastPause: Promise<void> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns the outcome of the work. Work of less than 5 ms ends without a pause. Rejects with the signal's reason when
   * it aborts.
   */
  async run<T>(work: SlicedWork<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      const endMs = this.#clock.monotonicMs() + sliceMs
      do {
        const { done, value } = work.next()
        if (done === true) return value
      } while (this.#clock.monotonicMs() < endMs)
      await this.pause(signal)
    }
  }

  /** Lets timers and sockets run. Rejects with the signal's reason when it aborts. */
  async pause(signal: AbortSignal): Promise<void> {
    this.#lastPause = this.#lastPause.then(() => new Promise<void>((resolve) => this.#clock.setTimer(0, resolve)))
    await this.#lastPause
    signal.throwIfAborted()
  }
}
