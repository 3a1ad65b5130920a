// Delay of a key after its nth consecutive failure: exponential, with jitter so that keys that failed together do not
// retry together. Invariant: a delay is within [baseMs, capMs].
import { assert } from './assert.ts'
import type { Random } from './random.ts'

export interface BackoffPolicy {
  /** The shortest delay, in milliseconds. */
  readonly baseMs: number
  /** The longest delay, in milliseconds; not less than `baseMs`. */
  readonly capMs: number
}

/** Throws unless delays can grow from the shortest to the longest. */
export function assertBackoff({ baseMs, capMs }: BackoffPolicy): void {
  assert(
    baseMs > 0 && baseMs <= capMs && Number.isFinite(capMs),
    `a backoff has a positive baseMs and a capMs that is not below it, and not ${baseMs} and ${capMs}`,
  )
}

export const defaultBackoff: BackoffPolicy = { baseMs: 5_000, capMs: 300_000 }

/** Returns the policy with no delay longer than `atMostMs`. */
export function cappedBackoff(policy: BackoffPolicy, atMostMs: number | undefined): BackoffPolicy {
  if (atMostMs === undefined || atMostMs >= policy.capMs) return policy
  return { baseMs: Math.min(policy.baseMs, atMostMs / 2), capMs: atMostMs }
}

export interface BackoffInput {
  readonly policy: BackoffPolicy
  /** Consecutive failures of the key, including the latest; at least 1. */
  readonly failures: number
  readonly random: Random
}

/**
 * Returns the delay in milliseconds: uniform over [base × 2^(n-1), base × 2^n], cut at the cap. With the default: 5–10
 * s, 10–20 s, …, 150–300 s from the sixth failure on.
 *
 * This is "equal jitter" (M. Brooker, Exponential Backoff And Jitter, AWS Architecture Blog, 2015): half is fixed, half
 * is random. Full jitter would spread a little better but may retry at once, and a reconcile costs more than a request.
 */
export function backoffDelayMs({ policy: { baseMs, capMs }, failures, random }: BackoffInput): number {
  assert(failures >= 1, 'a delay follows a failure')
  assert(baseMs > 0 && baseMs <= capMs, 'the backoff base is positive and not above the cap')
  const longestMs = Math.min(capMs, baseMs * 2 ** failures)
  const shortestMs = Math.max(baseMs, longestMs / 2)
  return shortestMs + random.next() * (longestMs - shortestMs)
}
