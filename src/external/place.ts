// Shared part of one endpoint for all namespaces: the rate of the calls, and their durations. Invariant: nothing here
// decides whether a namespace may call; each namespace decides that from its own calls.
import type { Histogram, Metrics } from '../base/instrument.ts'
import { TokenBucket, type TokenBucketLimit } from '../base/token-bucket.ts'

export interface PlaceOptions {
  readonly name: string
  readonly metrics: Metrics
  /** Calls per second of all namespaces together, and the burst. */
  readonly limit: TokenBucketLimit
}

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export class Place {
  readonly name: string
  readonly tokens: TokenBucket
  readonly #durations: Histogram
  /** Operations with a series. */
  readonly #operations = new Set<string>()

  constructor({ name, metrics, limit }: PlaceOptions) {
    this.name = name
    this.tokens = new TokenBucket(limit)
    this.#durations = metrics.histogram({
      name: 'external_api_request_duration_seconds',
      help: 'Duration of calls of an external endpoint, in seconds.',
      labels: ['endpoint', 'operation'],
      buckets: bucketsSeconds,
    })
  }

  took(operation: string, durationMs: number): void {
    this.#operations.add(operation)
    this.#durations.observe({ endpoint: this.name, operation }, durationMs / 1_000)
  }

  /** Removes its series. */
  forget(): void {
    for (const operation of this.#operations) this.#durations.remove({ endpoint: this.name, operation })
  }
}
