// Token bucket: it holds `burst` tokens and gains `perSecond` of them each second; every event takes one. It fills at a
// constant rate, so the time at which it is full again is its whole state.

import { assert } from './assert.ts'

/** Rate and burst of a token bucket. */
export interface TokenBucketLimit {
  /** Tokens gained per second; more than 0. */
  readonly perSecond: number
  /** Tokens of a full bucket; at least 1. */
  readonly burst: number
}

export type TokenDecision =
  | { readonly kind: 'allowed'; readonly fullAtMs: number }
  /** A new request after `waitMs` succeeds, if no other caller takes the token in between. */
  | { readonly kind: 'wait'; readonly waitMs: number }

export interface TokenQuestion {
  readonly limit: TokenBucketLimit
  /** Time at which the bucket is full; `-Infinity` for an unused one. */
  readonly fullAtMs: number
  /** On a monotonic clock. */
  readonly nowMs: number
}

/** Pure. Returns the decision, and the bucket after it. */
export function decideToken({ limit, fullAtMs, nowMs }: TokenQuestion): TokenDecision {
  const tokenMs = 1_000 / limit.perSecond
  const filledAtMs = Math.max(fullAtMs, nowMs)
  const lateMs = filledAtMs - nowMs - (limit.burst - 1) * tokenMs
  // Whole milliseconds, and one more than needed: clock values are large and doubles round, and a caller must not loop
  // for the last nanosecond.
  return lateMs > 0
    ? { kind: 'wait', waitMs: Math.ceil(lateMs) + 1 }
    : { kind: 'allowed', fullAtMs: filledAtMs + tokenMs }
}

export function assertRate({ perSecond, burst }: TokenBucketLimit): void {
  const message = `a rate is more than 0 a second with a burst of at least 1, and not ${perSecond} with ${burst}`
  assert(perSecond > 0 && burst >= 1, message)
}

/** A shared bucket: all holders take from the same tokens. Starts full. */
export class TokenBucket {
  readonly #limit: TokenBucketLimit
  #fullAtMs = Number.NEGATIVE_INFINITY

  constructor(limit: TokenBucketLimit) {
    assertRate(limit)
    this.#limit = limit
  }

  /** Takes a token, also a future one, and returns the wait for it in milliseconds. Earlier callers wait less. */
  reserve(nowMs: number): number {
    const { perSecond, burst } = this.#limit
    const tokenMs = 1_000 / perSecond
    const filledAtMs = Math.max(this.#fullAtMs, nowMs)
    this.#fullAtMs = filledAtMs + tokenMs
    return Math.max(0, filledAtMs - nowMs - (burst - 1) * tokenMs)
  }

  /** Returns the milliseconds until a token is available; 0 if one is. */
  waitMs(nowMs: number): number {
    const decision = decideToken({ limit: this.#limit, fullAtMs: this.#fullAtMs, nowMs })
    return decision.kind === 'wait' ? decision.waitMs : 0
  }

  /** Takes a token and returns 0, or takes none and returns the milliseconds until the next attempt. */
  take(nowMs: number): number {
    const decision = decideToken({ limit: this.#limit, fullAtMs: this.#fullAtMs, nowMs })
    if (decision.kind === 'wait') return decision.waitMs
    this.#fullAtMs = decision.fullAtMs
    return 0
  }
}

/** Takes a token of each bucket and returns 0, or takes none and returns the milliseconds until the next attempt. */
export function takeFromAll(buckets: readonly TokenBucket[], nowMs: number): number {
  const waitMs = Math.max(0, ...buckets.map((bucket) => bucket.waitMs(nowMs)))
  if (waitMs === 0) for (const bucket of buckets) bucket.take(nowMs)
  return waitMs
}
