// May one more happen now? A token bucket holds `burst` tokens and gains `perSecond` of them each second; every event takes
// one. Since it fills at a steady rate, the moment at which it is full again says all there is to know of it.

import { assert } from './assert.ts'

export interface TokenBucketLimit {
  /** Tokens gained a second; more than 0. */
  readonly perSecond: number
  /** Tokens a full bucket holds; at least 1. */
  readonly burst: number
}

export type TokenDecision =
  | { readonly kind: 'allowed'; readonly fullAtMs: number }
  /** Asking again after `waitMs`, with nobody else asking in between, is allowed. */
  | { readonly kind: 'wait'; readonly waitMs: number }

export interface TokenQuestion {
  readonly limit: TokenBucketLimit
  /** When the bucket is full again, or was; `-Infinity` for one never used. */
  readonly fullAtMs: number
  /** On a clock that never goes back. */
  readonly nowMs: number
}

/** Pure: the answer, and the bucket after it. */
export function decideToken({ limit, fullAtMs, nowMs }: TokenQuestion): TokenDecision {
  const tokenMs = 1_000 / limit.perSecond
  const filledAtMs = Math.max(fullAtMs, nowMs)
  const lateMs = filledAtMs - nowMs - (limit.burst - 1) * tokenMs
  // A whole number of milliseconds and more than one beyond the need: clocks are large and doubles round, and a caller must not
  // ask in circles for the last nanosecond.
  return lateMs > 0
    ? { kind: 'wait', waitMs: Math.ceil(lateMs) + 1 }
    : { kind: 'allowed', fullAtMs: filledAtMs + tokenMs }
}

export function assertRate({ perSecond, burst }: TokenBucketLimit): void {
  const message = `a rate is more than 0 a second with a burst of at least 1, and not ${perSecond} with ${burst}`
  assert(perSecond > 0 && burst >= 1, message)
}

/** A bucket to share: everybody who holds it takes from the same tokens. Starts full. */
export class TokenBucket {
  readonly #limit: TokenBucketLimit
  #fullAtMs = Number.NEGATIVE_INFINITY

  constructor(limit: TokenBucketLimit) {
    assertRate(limit)
    this.#limit = limit
  }

  /** Takes a token, maybe one that is gained later, and returns how many milliseconds to wait for it. Who comes first, waits least. */
  reserve(nowMs: number): number {
    const { perSecond, burst } = this.#limit
    const tokenMs = 1_000 / perSecond
    const filledAtMs = Math.max(this.#fullAtMs, nowMs)
    this.#fullAtMs = filledAtMs + tokenMs
    return Math.max(0, filledAtMs - nowMs - (burst - 1) * tokenMs)
  }

  /** How many milliseconds to wait before asking for a token; 0 where one can be taken. */
  waitMs(nowMs: number): number {
    const decision = decideToken({ limit: this.#limit, fullAtMs: this.#fullAtMs, nowMs })
    return decision.kind === 'wait' ? decision.waitMs : 0
  }

  /** Takes a token and returns 0, or takes none and returns how many milliseconds to wait before asking again. */
  take(nowMs: number): number {
    const decision = decideToken({ limit: this.#limit, fullAtMs: this.#fullAtMs, nowMs })
    if (decision.kind === 'wait') return decision.waitMs
    this.#fullAtMs = decision.fullAtMs
    return 0
  }
}

/** Takes a token of each bucket and returns 0, or takes none and returns how many milliseconds to wait before asking again. */
export function takeFromAll(buckets: readonly TokenBucket[], nowMs: number): number {
  const waitMs = Math.max(0, ...buckets.map((bucket) => bucket.waitMs(nowMs)))
  if (waitMs === 0) for (const bucket of buckets) bucket.take(nowMs)
  return waitMs
}
