// Fixture: a client that writes rows with distinct negative numbers to its current server, and records the acknowledged
// ones.
// It reconnects when it is locked out, and pauses between two rows, because a busy machine would affect other tests.
import { setTimeout as breath } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'

const breathMs = 2

export class WritingClient {
  readonly numbers: number[] = []
  readonly #where: () => ClientConfig
  #isStopped = false
  #longestGapMs = 0
  #lastAt = 0

  /** Called before each connection. */
  constructor(where: () => ClientConfig) {
    this.#where = where
  }

  get acknowledged(): number {
    return this.numbers.length
  }

  /** Longest time between two acknowledged rows. */
  get longestGapMs(): number {
    return Math.round(this.#longestGapMs)
  }

  stop(): void {
    this.#isStopped = true
  }

  async run(): Promise<void> {
    for (let n = -1; !this.#isStopped; ) {
      const client = new Client(this.#where())
      client.on('error', () => undefined) // The statement reports the error.
      try {
        await client.connect()
        for (; !this.#isStopped; n -= 1) {
          await client.query('INSERT INTO orders (n) VALUES ($1)', [n])
          this.#note(n)
          await breath(breathMs)
        }
      } catch {
        n -= 1 // The outcome of this row is unknown.
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
