// Long pure work in slices, so that it never holds the operator's thread. Invariant: a slice ends at the first `yield` after 5 ms, and
// timers and sockets get the thread between two slices of all work of one runner.
import type { ExternalTools } from '../../index.ts'

type Clock = ExternalTools['clock']

/** Pure work that may pause at each `yield`. Between two of them it takes a few milliseconds at most. */
export type SlicedWork<T> = Generator<undefined, T, undefined>

const sliceMs = 5

export class SliceRunner {
  readonly #clock: Clock
  /** The last pause asked for: they end one after another, so that two slices never follow each other at once. */
  #lastPause: Promise<void> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the outcome of the work. Work of less than 5 ms ends without a pause. Rejects with the signal's reason when it aborts. */
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

  /** Gives the thread to timers and sockets. Rejects with the signal's reason when it aborts. */
  async pause(signal: AbortSignal): Promise<void> {
    this.#lastPause = this.#lastPause.then(() => new Promise<void>((resolve) => this.#clock.setTimer(0, resolve)))
    await this.#lastPause
    signal.throwIfAborted()
  }
}
