// May a place outside be called now? A state machine: closed; after five failures in a row that speak about the place, open; after
// a wait, one call goes through as a probe. A probe that succeeds closes it, one that fails doubles the wait. So a place that
// is down costs one call per wait, however many resources need it.
//
//   closed ──5 failures──▶ open ──wait over──▶ probing ──good──▶ closed
//                           ▲                     │
//                           └──bad: wait longer───┘
import { unreachable } from '../base/assert.ts'
import type { Random } from '../base/random.ts'

export type Breaker =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly waitMs: number; readonly untilMs: number }
  /** One call is on its way; all others stay away until it has ended. */
  | { readonly kind: 'probing'; readonly waitMs: number }

export type Admission =
  | { readonly kind: 'allowed'; readonly isProbe: boolean; readonly breaker: Breaker }
  | { readonly kind: 'refused'; readonly waitMs: number }

/** What came of an allowed call. `neither`: it says nothing about the place, as when the caller gave up. */
export type CallEnd = 'good' | 'bad' | 'neither'

export const closedBreaker: Breaker = { kind: 'closed', failures: 0 }

const failuresToOpen = 5
const firstWaitMs = 10_000
const longestWaitMs = 120_000
/** How much longer than that it may be, as a share, so that many processes do not probe at once. */
const jitter = 0.2

export function admissionOf(breaker: Breaker, nowMs: number): Admission {
  switch (breaker.kind) {
    case 'closed':
      return { kind: 'allowed', isProbe: false, breaker }
    case 'open':
      return nowMs < breaker.untilMs
        ? { kind: 'refused', waitMs: breaker.untilMs - nowMs }
        : { kind: 'allowed', isProbe: true, breaker: { kind: 'probing', waitMs: breaker.waitMs } }
    case 'probing':
      // It may be over soon, and well.
      return { kind: 'refused', waitMs: Math.min(breaker.waitMs, firstWaitMs) }
    default:
      return unreachable(breaker)
  }
}

export interface EndedCall {
  readonly end: CallEnd
  readonly isProbe: boolean
  /** On a clock that never goes back. */
  readonly nowMs: number
  readonly random: Random
}

export function afterCall(breaker: Breaker, { end, isProbe, nowMs, random }: EndedCall): Breaker {
  if (end === 'good') return closedBreaker
  if (breaker.kind === 'closed') {
    const failures = breaker.failures + (end === 'bad' ? 1 : 0)
    return failures < failuresToOpen ? { kind: 'closed', failures } : opened(firstWaitMs, { nowMs, random })
  }
  // Calls from before it opened tell nothing new.
  if (!isProbe) return breaker
  return end === 'bad'
    ? opened(Math.min(breaker.waitMs * 2, longestWaitMs), { nowMs, random })
    : { kind: 'open', waitMs: breaker.waitMs, untilMs: nowMs }
}

function opened(waitMs: number, { nowMs, random }: Pick<EndedCall, 'nowMs' | 'random'>): Breaker {
  return { kind: 'open', waitMs, untilMs: nowMs + waitMs * (1 + jitter * random.next()) }
}
