// Time that moves only when told to: the clock of every test that has to do with delays.
import type { Clock, Timer } from '../base/clock.ts'

interface Pending {
  readonly dueMs: number
  readonly sequence: number
  readonly run: () => void
}

/** Starts at 2026-01-01T00:00:00Z. Timers due at the same time run in the order they were set. */
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

  /** How long until the next timer is due, or undefined when none is set. */
  nextTimerMs(): number | undefined {
    const next = this.#next()
    return next === undefined ? undefined : next.dueMs - this.#elapsedMs
  }

  /** Moves time on by `ms`, running every timer that falls due at its own time, with all work it causes. */
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

/** Lets promise chains run to rest. A macrotask turn is needed for streams; ten cover every chain in our code. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
}
