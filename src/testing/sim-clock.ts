// Simulated clock for tests. Invariant: time moves only when the test advances it.
import type { Clock, Timer } from '../base/clock.ts'

interface Pending {
  readonly dueMs: number
  readonly sequence: number
  readonly run: () => void
}

/**
 * Clock that starts at 2026-01-01T00:00:00Z. Timers with the same time run in the order in which they were set.
 *
 * @example
 * const clock = new SimClock()
 * await clock.advance(30_000)
 */
export class SimClock implements Clock {
  #elapsedMs = 0
  #sequence = 0
  readonly #startMs: number
  readonly #pending = new Set<Pending>()

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#startMs = startMs
  }

  now(): number {
    return this.#startMs + this.#elapsedMs
  }

  monotonicMs(): number {
    return this.#elapsedMs
  }

  setTimer(delayMs: number, run: () => void): Timer {
    const pending = { dueMs: this.#elapsedMs + Math.max(0, delayMs), sequence: this.#sequence++, run }
    this.#pending.add(pending)
    return { cancel: () => void this.#pending.delete(pending) }
  }

  /** Returns the milliseconds until the next timer, or undefined if none is set. */
  nextTimerMs(): number | undefined {
    const next = this.#next()
    return next === undefined ? undefined : next.dueMs - this.#elapsedMs
  }

  /** Advances the time by `ms`. Runs every timer at its own time, with all work that it causes. */
  async advance(ms: number): Promise<void> {
    const until = this.#elapsedMs + ms
    await settle()
    for (let next = this.#next(); next !== undefined && next.dueMs <= until; next = this.#next()) {
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs)
      this.#pending.delete(next)
      next.run()
      await settle()
    }
    this.#elapsedMs = until
  }

  #next(): Pending | undefined {
    let first: Pending | undefined
    for (const pending of this.#pending) {
      if (
        first === undefined ||
        pending.dueMs < first.dueMs ||
        (pending.dueMs === first.dueMs && pending.sequence < first.sequence)
      )
        first = pending
    }
    return first
  }
}

/** Lets promise chains finish. Streams need a macrotask; ten cover every chain in konverge. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
}
