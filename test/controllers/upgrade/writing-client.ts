// An application that writes one row after the other, each with a number of its own below zero, to where it is led, and notes those that
// it was told are there. Turned away, it tries again. It takes a breath between two rows, as a machine that it keeps busy tells nothing of others.
import { setTimeout as breath } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'

const breathMs = 2

export class WritingClient {
  readonly numbers: number[] = []
  readonly #where: () => ClientConfig
  #isStopped = false
  #longestGapMs = 0
  #lastAt = 0

  /** Asked before each connection. */
  constructor(where: () => ClientConfig) {
    this.#where = where
  }

  get acknowledged(): number {
    return this.numbers.length
  }

  /** Between two rows that it was told of: as long it could not work. */
  get longestGapMs(): number {
    return Math.round(this.#longestGapMs)
  }

  stop(): void {
    this.#isStopped = true
  }

  async run(): Promise<void> {
    for (let n = -1; !this.#isStopped; ) {
      const client = new Client(this.#where())
      client.on('error', () => undefined) // The statement that it breaks says so.
      try {
        await client.connect()
        for (; !this.#isStopped; n -= 1) {
          await client.query('INSERT INTO orders (n) VALUES ($1)', [n])
          this.#note(n)
          await breath(breathMs)
        }
      } catch {
        n -= 1 // Nobody knows whether this one is there.
        await breath(breathMs)
      } finally {
        await client.end().catch(() => undefined)
      }
    }
  }

  #note(n: number): void {
    const now = performance.now()
    if (this.#lastAt !== 0) this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#lastAt)
    this.#lastAt = now
    this.numbers.push(n)
  }
}
