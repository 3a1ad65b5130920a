// When does a process die? At one request or call of one part of its life, before or after it did its work; from then on nothing that it asks
// for has an effect.

export interface Crash {
  readonly part: number
  /** At which request or call of that part, from 1. */
  readonly at: number
  readonly when: 'before' | 'after'
}

/** Makes the process as good as dead from the given request or call on, once. */
export class Fate {
  readonly #crash: Crash | undefined
  #steps = 0
  part = -1
  isDead = false
  hasStruck = false

  constructor(crash: Crash | undefined) {
    this.#crash = crash
  }

  begin(part: number): void {
    this.part = part
    this.#steps = 0
  }

  strikes(when: Crash['when']): boolean {
    if (this.isDead) return true
    if (this.hasStruck || this.#crash?.part !== this.part || this.#crash.when !== when) return false
    this.#steps += 1
    this.isDead = this.#steps === this.#crash.at
    this.hasStruck = this.isDead
    return this.isDead
  }
}
