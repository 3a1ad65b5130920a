// Kinds of failures of a list/watch, and the delay before the next attempt. Delays are short enough to recover within
// ten seconds of the network's return, and jittered so that thousands of watches do not reconnect at once.
import { unreachable } from '../base/assert.ts'
import { messageOf } from '../base/errors.ts'
import { isKubeError, type KubeError } from '../kube/kube-errors.ts'

export type FailureKind =
  /** The stream ended normally. */
  | 'ended'
  | 'shortStream'
  | 'stalled'
  /** The server does not know WatchList. */
  | 'noInitialEvents'
  /** The version or the continue token is too old: HTTP 410, as a response or inside a stream. */
  | 'expired'
  /** The server has not reached the version yet. */
  | 'versionTooLarge'
  /** The stream contained a server error instead of an event. */
  | 'lostEvent'
  /** A snapshot was older than a seen version. */
  | 'behind'
  | 'unreachable'
  | 'overloaded'
  | 'denied'
  | 'notServed'
  /** The request can never succeed, e.g. because of its field selector. */
  | 'rejected'

export interface Failure {
  readonly kind: FailureKind
  readonly message: string
  /** The error of a request that the API server rejected. */
  readonly error?: KubeError | undefined
  readonly retryAfterMs?: number | undefined
}

/** Recent failures. */
export interface Strain {
  readonly failures: number
  readonly lastFailureAtMs: number
}

export const unstrained: Strain = { failures: 0, lastFailureAtMs: Number.NEGATIVE_INFINITY }

/** Classifies the error of a request. */
export function failureOf(thrown: unknown): Failure {
  // Not a KubeError: a bug in a lower layer. It is retried and reported like a server error, because a watch never
  // ends.
  if (!isKubeError(thrown)) return { kind: 'overloaded', message: messageOf(thrown) }
  return { kind: kindOf(thrown), message: thrown.message, error: thrown, retryAfterMs: thrown.retryAfterMs }
}

function kindOf(error: KubeError): FailureKind {
  switch (error.code) {
    case 'Expired':
      return 'expired'
    case 'Timeout':
      return isVersionTooLarge(error) ? 'versionTooLarge' : 'unreachable'
    case 'Unreachable':
      return 'unreachable'
    case 'TooManyRequests':
    case 'ServiceUnavailable':
      return 'overloaded'
    case 'ServerError':
      return isVersionTooLarge(error) ? 'versionTooLarge' : 'overloaded'
    case 'Forbidden':
    case 'Unauthorized':
      return 'denied'
    case 'NotFound':
    case 'ResourceNotFound':
      return 'notServed'
    default:
      return 'rejected'
  }
}

/** Servers before 1.20 report the text only, without a cause. */
function isVersionTooLarge(error: KubeError): boolean {
  return (
    error.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge') ||
    error.message.includes('Too large resource version')
  )
}

const baseMs = 800
const resetAfterMs = 120_000
const retryAfterLimitMs = 60_000

/** `growing`: full jitter under a ceiling that doubles from 0.8 s up to the cap. `steady`: uniform between the two. */
/** `widening`: uniform between the two, which grow by half with each failure until the upper one reaches the cap. */
type Pace =
  | { readonly kind: 'growing'; readonly capMs: number }
  | { readonly kind: 'steady'; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: 'widening'; readonly fromMs: number; readonly toMs: number; readonly capMs: number }

/** Leaves two of the ten seconds for connecting and reading. */
const quick: Pace = { kind: 'growing', capMs: 8_000 }
const patient: Pace = { kind: 'growing', capMs: 30_000 }
const slow: Pace = { kind: 'steady', fromMs: 10_000, toMs: 30_000 }

const paces: Readonly<Record<FailureKind, Pace>> = {
  ended: quick,
  shortStream: patient,
  stalled: quick,
  noInitialEvents: quick,
  expired: patient,
  versionTooLarge: quick,
  lostEvent: patient,
  behind: quick,
  unreachable: quick,
  overloaded: patient,
  denied: slow,
  notServed: { kind: 'widening', fromMs: 2_000, toMs: 5_000, capMs: 30_000 },
  rejected: slow,
}

interface DelayInput {
  readonly failure: Failure
  readonly strain: Strain
  readonly atMs: number
  /** In [0, 1). */
  readonly chance: number
}

/**
 * Returns the delay before the next attempt. Two minutes without a failure reset the count. Source: client-go's
 * reflector.
 */
export function delayAfter({ failure, strain, atMs, chance }: DelayInput): {
  readonly delayMs: number
  readonly strain: Strain
} {
  const failures = atMs - strain.lastFailureAtMs >= resetAfterMs ? 1 : strain.failures + 1
  const [fromMs, toMs] = rangeOf(paces[failure.kind], failures)
  const drawnMs = fromMs + chance * (toMs - fromMs)
  const askedMs = Math.min(failure.retryAfterMs ?? 0, retryAfterLimitMs)
  return { delayMs: Math.max(drawnMs, askedMs), strain: { failures, lastFailureAtMs: atMs } }
}

function rangeOf(pace: Pace, failures: number): readonly [fromMs: number, toMs: number] {
  switch (pace.kind) {
    case 'growing':
      return [0, Math.min(pace.capMs, baseMs * 2 ** (failures - 1))]
    case 'steady':
      return [pace.fromMs, pace.toMs]
    case 'widening': {
      const factor = Math.min(1.5 ** (failures - 1), pace.capMs / pace.toMs)
      return [pace.fromMs * factor, pace.toMs * factor]
    }
    default:
      return unreachable(pace)
  }
}
