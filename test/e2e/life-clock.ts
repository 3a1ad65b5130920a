// Whose time is it? The clock of one life of an operator in this process. When the life ends, none of its timers runs any more; while it
// sleeps, as by SIGSTOP, they wait, and the world's time goes on.
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

  /** Does it now, or once the life is awake again; never where it is dead. */
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
