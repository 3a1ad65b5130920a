// Outcome of a reconcile, and the time of the next one. An Outcome is what the status reports; a Verdict is its meaning
// for the queue. Transient failures are retried with backoff; permanent ones are reported and wait for a change (I10).
import type { Child, ChildFailure } from '../apply/apply-report.ts'
import { AssertionError, unreachable } from '../base/assert.ts'
import { backoffDelayMs, defaultBackoff } from '../base/backoff.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Random } from '../base/random.ts'
import { type KubeErrorCode, rejections } from '../kube/kube-errors.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { Cause } from '../queue/cause.ts'
import type { RetryOptions } from '../queue/work-queue.ts'
import type { Verdict } from '../queue/worker.ts'

export type { Child } from '../apply/apply-report.ts'

/**
 * End of a reconcile, as `status` gets it. `reason` is a CamelCase word, `message` and `on` are sentences, times are in
 * milliseconds.
 */
export type Outcome =
  /** Everything is as declared and ready. */
  | { readonly kind: 'settled' }
  /**
   * Something takes time, without a failure. `on` is a sentence about it; `afterMs` is set if the wait is momentary.
   */
  | { readonly kind: 'waiting'; readonly on: string; readonly afterMs?: number | undefined }
  /** The failure may pass by itself. */
  | {
      readonly kind: 'retry'
      readonly reason: string
      readonly message: string
      readonly retryAfterMs?: number | undefined
      /** The longest delay, whatever the number of failures. */
      readonly atMostMs?: number | undefined
      /** A resource that was ready stays Ready for this time. Absent: until the second failure. */
      readonly graceMs?: number | undefined
    }
  /** The failure stays until the spec or a watched input changes. */
  | {
      readonly kind: 'stopped'
      readonly reason: string
      readonly message: string
      /** Retried after this time, because the cause may pass without an event. */
      readonly retryAfterMs?: number | undefined
    }
  /** The resource is being deleted. */
  | { readonly kind: 'deleting'; readonly on: string; readonly afterMs?: number | undefined }

/**
 * True if the first occurrence of a failure is reported. These are rejections, timeouts, conflicts with another writer,
 * and a Retry-After beyond the first backoff. Other failures may pass before a person reads about them.
 */
export function isReportedAtOnce(outcome: Outcome): boolean {
  if (outcome.kind !== 'retry') return false
  return toldAtOnce.has(outcome.reason) || (isRequestedWait(outcome) && (outcome.retryAfterMs ?? 0) > firstBackoffMs)
}
/** Longest wait after a first failure by the default backoff. */
const firstBackoffMs = 2 * defaultBackoff.baseMs
const toldAtOnce: ReadonlySet<string> = new Set<string>([
  ...rejections,
  'ObserveTimeout',
  'CleanupTimeout',
  'ClusterUnreachable',
  'ConflictingOwner',
  'FieldConflict',
  'NotConverging',
])

/**
 * First recheck of a waiting resource without an event, in milliseconds. Each later interval is at most twice the one
 * before.
 */
export const waitingRecheckMs = 15_000
const longestRecheckMs = 300_000

/** Returns the time until the next recheck of a resource, after this number of rechecks in a row without a change. */
export function recheckMs(waitsBefore: number, random: Random): number {
  const policy = { baseMs: waitingRecheckMs / 2, capMs: longestRecheckMs }
  return backoffDelayMs({ policy, failures: waitsBefore + 1, random })
}

/** True if an event brought a change, as opposed to elapsed time. */
export function hasChanged(causes: readonly Cause[]): boolean {
  return causes.some(({ kind }) => kind === 'self' || kind === 'child' || kind === 'watched' || kind === 'external')
}

/** Wait of a reconcile that decided on deletions while its cache is behind. */
export const cacheCatchUp = {
  on: 'waiting for the caches to catch up before anything is deleted',
  afterMs: 200,
} as const

/** Wait of a reconcile whose journal entries of external resources were not the newest. */
export const recordCatchUp = { on: 'waiting for the cache to catch up with what is recorded', afterMs: 200 } as const

/** True if the wait is over before a person could read about it; then the status is not written. */
export function isMomentary(outcome: Outcome): boolean {
  return (outcome.kind === 'waiting' || outcome.kind === 'deleting') && outcome.afterMs !== undefined
}

/** Longest interval of a momentary wait: a broken watch may be its cause. */
const longestMomentMs = 5_000

/** Returns the outcome after this number of momentary ones in a row: each waits twice as long as the one before. */
export function spaced(outcome: Outcome, momentaryBefore: number): Outcome {
  if (outcome.kind !== 'waiting' && outcome.kind !== 'deleting') return outcome
  if (outcome.afterMs === undefined) return outcome
  return { ...outcome, afterMs: Math.min(outcome.afterMs * 2 ** momentaryBefore, longestMomentMs) }
}

/** Delay of the reconcile that follows one whose `observe` had outdated external resources; grows in a row of them. */
export function followUpMs(before: number): number {
  return Math.min(firstFollowUpMs * 2 ** before, longestMomentMs)
}
const firstFollowUpMs = 50

/** Longest retry interval while the API server is unreachable. Refused connections cost next to nothing. */
const unreachableRetryMs = 5_000
/**
 * A child's kind was just removed or installed. The watch of the kind notices within half a minute, possibly without an
 * event.
 */
const missingKindRetryMs = 30_000
/** With these reasons, the API server requested the wait; with others, the runtime did. */
const overloadReasons: ReadonlySet<string> = new Set<KubeErrorCode>(['TooManyRequests', 'ServiceUnavailable'])

function isRequestedWait({ reason, retryAfterMs }: Extract<Outcome, { kind: 'retry' }>): boolean {
  return retryAfterMs !== undefined && overloadReasons.has(reason)
}

/** Returns the outcome of a reconcile that failed as a whole, for any thrown value. */
export function outcomeOfError(thrown: unknown): Outcome {
  const message = messageOf(thrown)
  if (thrown instanceof CodedError) {
    return thrown.remedy === 'stop'
      ? { kind: 'stopped', reason: thrown.code, message, ...retryTime([thrown]) }
      : { kind: 'retry', reason: thrown.code, message, retryAfterMs: thrown.retryAfterMs }
  }
  const reason = thrown instanceof AssertionError ? 'InvariantBroken' : 'InternalError'
  return { kind: 'retry', reason, message }
}

export interface ReconcileResult {
  /** The resource's own namespace. */
  readonly home: string | undefined
  readonly failures: readonly (Pick<ChildFailure, 'error'> & Partial<ChildFailure>)[]
  /** Sentences about the holds, each with its object. */
  readonly gated: readonly string[]
  readonly children: readonly Child[]
  /** Number of undeclared children that stay until other children are as declared. */
  readonly pruneWaits: number
}

/** One retryable child makes the reconcile a retry, which repeats the permanent failures of others too. */
export function outcomeOfTurn({ home, failures, gated, children, pruneWaits }: ReconcileResult): Outcome {
  const transient = failures.filter(
    ({ error, ref }) => error.remedy === 'retry' && !(isEndOfNamespace(error) && ref?.namespace === home),
  )
  const first = transient[0] ?? failures[0]
  if (first !== undefined) {
    const { code: reason, message } = first.error
    const more = (failures.length > 1 ? ` (and ${failures.length - 1} more)` : '') + pruneSentence(pruneWaits)
    if (transient.length === 0) {
      return { kind: 'stopped', reason, message: message + more, ...retryTime(failures.map(({ error }) => error)) }
    }
    const waits = transient.map(({ error }) => error.retryAfterMs ?? 0)
    const retryAfterMs = Math.max(...waits)
    const soon = reason === 'ResourceNotFound' ? { atMostMs: missingKindRetryMs } : {}
    return { kind: 'retry', reason, message: message + more, ...(retryAfterMs > 0 ? { retryAfterMs } : {}), ...soon }
  }
  const notReady = children.filter(({ readiness }) => readiness.kind !== 'ready')
  const waits = new Set([
    ...gated,
    ...notReady.map(({ object, readiness }) => `${describeRef(refOf(object))}: ${readiness.message}`),
  ])
  return waits.size === 0
    ? { kind: 'settled' }
    : { kind: 'waiting', on: sentencesOf([...waits]) + pruneSentence(pruneWaits) }
}

/** Appended to the wait of the children. */
function pruneSentence(count: number): string {
  if (count === 0) return ''
  return count === 1
    ? '; 1 child that is no longer declared stays until then'
    : `; ${count} children that are no longer declared stay until then`
}

/** Returns the first retry time of these errors, if any has one. */
function retryTime(errors: readonly CodedError[]): { readonly retryAfterMs?: number } {
  const retryAfterMs = earliest(...errors.map((error) => error.retryAfterMs))
  return retryAfterMs === undefined ? {} : { retryAfterMs }
}

/** Number of waits that a message names. */
const namedWaits = 5

function sentencesOf(waits: readonly string[]): string {
  const more = waits.length - namedWaits
  return waits.slice(0, namedWaits).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** A resource in a terminating namespace is deleted with it, which is an event; other namespaces cause no event. */
function isEndOfNamespace({ code }: CodedError): boolean {
  return code === 'NamespaceTerminating'
}

/**
 * Returns the remaining time in which a Ready resource stays Ready although an external system does not respond;
 * undefined if it is over.
 */
export function graceLeftMs(outcome: Outcome, failingForMs: number): number | undefined {
  if (outcome.kind !== 'retry' || outcome.graceMs === undefined) return undefined
  return outcome.graceMs > failingForMs ? outcome.graceMs - failingForMs : undefined
}

export interface DueTimes {
  /** Time until a deferred status write. */
  readonly statusMs?: number | undefined
  /** Longest time until the next reconcile without a failure; absent: at the next event. */
  readonly lookMs?: number | undefined
  /** Time until the reconcile continues work that it began. */
  readonly followMs?: number | undefined
  /** Time until the next reconcile of a waiting resource; default: the first interval. */
  readonly recheckMs?: number | undefined
  /** Time until a withheld failure has to be reported. */
  readonly tellMs?: number | undefined
}

/** Returns the first of the defined times. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const due = times.filter((ms) => ms !== undefined)
  return due.length === 0 ? undefined : Math.min(...due)
}

/** Returns the duration until the first time in the future. Work that failed at a past time does not wait for time. */
export function untilNextMs(timesMs: readonly number[], nowMs: number): number | undefined {
  return earliest(...timesMs.filter((ms) => ms > nowMs).map((ms) => ms - nowMs))
}

function atMostOf({ atMostMs }: Extract<Outcome, { kind: 'retry' }>): Pick<RetryOptions, 'atMostMs'> {
  return atMostMs === undefined ? {} : { atMostMs }
}

/** Returns what the queue does next. */
export function verdictOf(outcome: Outcome, due: DueTimes): Verdict {
  const { statusMs, lookMs, followMs, tellMs, recheckMs: againMs = waitingRecheckMs } = due
  switch (outcome.kind) {
    case 'settled':
    case 'stopped': {
      const lookAgainAfterMs = earliest(lookMs, followMs)
      return { kind: outcome.kind, ...(lookAgainAfterMs === undefined ? {} : { lookAgainAfterMs }) }
    }
    case 'waiting':
    case 'deleting': {
      const goOnMs = earliest(outcome.afterMs, followMs)
      const afterMs = earliest(againMs, statusMs, lookMs, goOnMs) ?? againMs
      return { kind: 'waiting', afterMs, ...(afterMs === goOnMs ? { isFollowUp: true } : {}) }
    }
    case 'retry':
      // A missing response is no fault of this resource, and every resource has to retry soon after the API server
      // returns.
      if (outcome.reason === 'Unreachable') return { kind: 'retry', atMostMs: unreachableRetryMs }
      // Nor is an open breaker: the external system was not called. A retry at its next probe makes no call, and costs
      // nothing.
      if (outcome.reason === 'DependencyUnavailable') {
        return { kind: 'retry', afterMs: outcome.retryAfterMs, byMs: earliest(tellMs, outcome.retryAfterMs) }
      }
      if (tellMs !== undefined) return { kind: 'retry', afterMs: outcome.retryAfterMs, byMs: tellMs }
      if (outcome.retryAfterMs === undefined) return { kind: 'retry', ...atMostOf(outcome) }
      return isRequestedWait(outcome)
        ? { kind: 'retry', notBeforeMs: outcome.retryAfterMs }
        : { kind: 'retry', afterMs: outcome.retryAfterMs }
    default:
      return unreachable(outcome)
  }
}
