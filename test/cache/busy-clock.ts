// Simulated clock in which work takes time, for tests of sliced work.
import type { Timer } from '../../src/base/clock.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

export class BusyClock extends SimClock {
  /** Longest time for which the event loop was blocked. */
  longestHeldMs = 0
  /** Called in each iteration of the event loop. */
  onTurn: () => void = () => {}
  #workedMs = 0
  #turnedAtMs = 0

  /** Simulates work of this duration. */
  work(ms: number): void {
    this.#workedMs += ms
    this.longestHeldMs = Math.max(this.longestHeldMs, this.#workedMs - this.#turnedAtMs)
  }

  override monotonicMs(): number {
    return super.monotonicMs() + this.#workedMs
  }

  override setTimer(delayMs: number, run: () => void): Timer {
    return super.setTimer(delayMs, () => {
      this.#turnedAtMs = this.#workedMs
      this.onTurn()
      run()
    })
  }
}
