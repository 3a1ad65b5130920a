// Circuit breaker of one endpoint, as a pure state machine. Closed: calls pass. After five consecutive failures of the
// endpoint it opens. After a wait, one call passes as a probe: success closes it, failure doubles the wait. Invariant:
// an endpoint that is down costs one call per wait, however many resources need it.
//
//   closed ──5 failures──▶ open ──wait over──▶ probing ──good──▶ closed
//                           ▲                     │
//                           └──bad: wait longer───┘
import { unreachable } from '../base/assert.ts'
import type { Random } from '../base/random.ts'

export type Breaker =
  | { readonly kind: 'closed'; readonly failures: number }
  | { readonly kind: 'open'; readonly waitMs: number; readonly untilMs: number }
  /** One call is in flight; all others are rejected until it has ended. */
  | { readonly kind: 'probing'; readonly waitMs: number }

export type Admission =
  | { readonly kind: 'allowed'; readonly isProbe: boolean; readonly breaker: Breaker }
  | { readonly kind: 'refused'; readonly waitMs: number }

/** Outcome of an admitted call. `neither`: it says nothing about the endpoint, e.g. because the caller aborted. */
export type CallEnd = 'good' | 'bad' | 'neither'

export const closedBreaker: Breaker = { kind: 'closed', failures: 0 }

const failuresToOpen = 5
const firstWaitMs = 10_000
const longestWaitMs = 120_000
/** Largest extension of a wait, as a share, so that many processes do not probe at once. */
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
      // The probe may end soon, and successfully.
      return { kind: 'refused', waitMs: Math.min(breaker.waitMs, firstWaitMs) }
    default:
      return unreachable(breaker)
  }
}

export interface EndedCall {
  readonly end: CallEnd
  readonly isProbe: boolean
  /** On a monotonic clock. */
  readonly nowMs: number
  readonly random: Random
}

export function afterCall(breaker: Breaker, { end, isProbe, nowMs, random }: EndedCall): Breaker {
  if (end === 'good') return closedBreaker
  if (breaker.kind === 'closed') {
    const failures = breaker.failures + (end === 'bad' ? 1 : 0)
    return failures < failuresToOpen ? { kind: 'closed', failures } : opened(firstWaitMs, { nowMs, random })
  }
  // A call from before the breaker opened adds no information.
  if (!isProbe) return breaker
  return end === 'bad'
    ? opened(Math.min(breaker.waitMs * 2, longestWaitMs), { nowMs, random })
    : { kind: 'open', waitMs: breaker.waitMs, untilMs: nowMs }
}

function opened(waitMs: number, { nowMs, random }: Pick<EndedCall, 'nowMs' | 'random'>): Breaker {
  return { kind: 'open', waitMs, untilMs: nowMs + waitMs * (1 + jitter * random.next()) }
}
