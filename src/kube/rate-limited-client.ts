// Transport that limits the rate of requests, including watches. Invariant: requests leave in the order of their calls,
// and the wait does not count toward the time limit of a request.
import { type Clock, sleep } from '../base/clock.ts'
import type { Histogram, Instruments } from '../base/instrument.ts'
import { TokenBucket, type TokenBucketLimit } from '../base/token-bucket.ts'
import type { HttpExchange, HttpRequest } from './http-client.ts'

export interface RateLimitedClientOptions {
  readonly http: HttpExchange
  readonly clock: Clock
  readonly instruments: Pick<Instruments, 'metrics'>
  readonly requestRate: TokenBucketLimit
}

const waitBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]

export class RateLimitedClient implements HttpExchange {
  readonly #http: HttpExchange
  readonly #clock: Clock
  readonly #bucket: TokenBucket
  readonly #waitSeconds: Histogram

  constructor({ http, clock, instruments, requestRate }: RateLimitedClientOptions) {
    this.#http = http
    this.#clock = clock
    this.#bucket = new TokenBucket(requestRate)
    this.#waitSeconds = instruments.metrics.histogram({
      name: 'rest_client_rate_limiter_duration_seconds',
      help: 'Time that requests waited for the client-side rate limit, in seconds.',
      labels: ['verb', 'resource'],
      buckets: waitBuckets,
    })
  }

  async exchange(request: HttpRequest, signal: AbortSignal): Promise<string> {
    await this.#wait(request, signal)
    return await this.#http.exchange(request, signal)
  }

  async *stream(request: HttpRequest, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    await this.#wait(request, signal)
    yield* this.#http.stream(request, signal)
  }

  close(signal: AbortSignal): Promise<void> {
    return this.#http.close(signal)
  }

  async #wait({ verb, resource }: HttpRequest, signal: AbortSignal): Promise<void> {
    const waitMs = this.#bucket.reserve(this.#clock.monotonicMs())
    this.#waitSeconds.observe({ verb, resource }, waitMs / 1_000)
    if (waitMs > 0) await sleep(this.#clock, waitMs, signal)
  }
}
