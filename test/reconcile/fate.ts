// Injected crash of a process: at one request or call of one part of a scenario, before or after its effect. Later
// requests of the process have no effect.

export interface Crash {
  readonly part: number
  /** Number of the request or call in that part, from 1. */
  readonly at: number
  readonly when: 'before' | 'after'
}

/** Makes all requests and calls of the process fail from the given one on, once. */
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
