// Clock of one process life of an embedded operator. Invariant: after the end of the process no timer runs. While the
// process sleeps, as by SIGSTOP, its timers wait and the time of the world continues.
import type { Clock, Timer } from '../../src/base/clock.ts'

export class LifeClock implements Clock {
  readonly #world: Clock
  readonly #timers = new Set<Timer>()
  #state: 'awake' | 'asleep' | 'dead' = 'awake'
  #waiting: (() => void)[] = []

  constructor(world: Clock) {
    this.#world = world
  }

  now(): number {
    return this.#world.now()
  }

  monotonicMs(): number {
    return this.#world.monotonicMs()
  }

  setTimer(delayMs: number, run: () => void): Timer {
    if (this.#state === 'dead') return { cancel: () => {} }
    let isCancelled = false
    const timer = this.#world.setTimer(delayMs, () => {
      this.#timers.delete(timer)
      this.whenAwake(() => isCancelled || run())
    })
    this.#timers.add(timer)
    return {
      cancel: () => {
        isCancelled = true
        this.#timers.delete(timer)
        timer.cancel()
      },
    }
  }

  get isDead(): boolean {
    return this.#state === 'dead'
  }

  /** Runs the callback now, or when the process wakes; never after its end. */
  whenAwake(run: () => void): void {
    if (this.#state === 'asleep') this.#waiting.push(run)
    else if (this.#state === 'awake') run()
  }

  sleep(): void {
    if (this.#state === 'awake') this.#state = 'asleep'
  }

  wake(): void {
    if (this.#state !== 'asleep') return
    this.#state = 'awake'
    for (const run of this.#waiting.splice(0)) run()
  }

  end(): void {
    this.#state = 'dead'
    this.#waiting = []
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
  }
}
