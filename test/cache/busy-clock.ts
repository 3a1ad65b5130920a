// Virtual time in which work takes time, for tests of work in slices.
import type { Timer } from '../../src/base/clock.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

export class BusyClock extends SimClock {
  /** The longest that the event loop was held. */
  longestHeldMs = 0
  /** Called at each turn of the event loop. */
  onTurn: () => void = () => {}
  #workedMs = 0
  #turnedAtMs = 0

  /** Work that takes this long, as the one who does it sees. */
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
