// How did a turn end, and when is the next one? An Outcome is what the status tells people; a Verdict is what it means for
// the queue. Transient failures are retried with backoff, permanent ones are reported and wait for a change (I10).
import type { Child, ChildFailure } from '../apply/apply-report.ts'
import { AssertionError, unreachable } from '../base/assert.ts'
import { backoffDelayMs, defaultBackoff } from '../base/backoff.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Random } from '../base/random.ts'
import { type KubeErrorCode, rejections } from '../kube/kube-errors.ts'
import { describeRef, refOf } from '../object/ref.ts'
import type { Cause } from '../queue/cause.ts'
import type { RetryWish } from '../queue/work-queue.ts'
import type { Verdict } from '../queue/worker.ts'

export type { Child } from '../apply/apply-report.ts'

export type Outcome =
  /** Everything is as declared and ready. */
  | { readonly kind: 'settled' }
  /** Nothing is wrong, something takes time. `on` says what, as a sentence; `afterMs` is set where it is over in no time. */
  | { readonly kind: 'waiting'; readonly on: string; readonly afterMs?: number | undefined }
  /** It may pass by itself. */
  | {
      readonly kind: 'retry'
      readonly reason: string
      readonly message: string
      readonly retryAfterMs?: number | undefined
      /** The longest delay, however often it failed. */
      readonly atMostMs?: number | undefined
      /** For so long a resource that was ready goes on being called so. Absent: until the second failure. */
      readonly graceMs?: number | undefined
    }
  /** It will not pass until the spec or a watched input changes. */
  | {
      readonly kind: 'stopped'
      readonly reason: string
      readonly message: string
      /** Tried again after this time, because the cause may pass where nothing is watched. */
      readonly retryAfterMs?: number | undefined
    }
  /** On its way out. */
  | { readonly kind: 'deleting'; readonly on: string; readonly afterMs?: number | undefined }

/**
 * True if a failure is reported when it comes for the first time: a rejection, what hung for long, a conflict with another writer, which is retried after
 * minutes, and what is retried only after a Retry-After beyond the first backoff. Other failures may be over before a person reads of them.
 */
export function isToldAtOnce(outcome: Outcome): boolean {
  if (outcome.kind !== 'retry') return false
  return toldAtOnce.has(outcome.reason) || (isAskedWait(outcome) && (outcome.retryAfterMs ?? 0) > firstBackoffMs)
}
/** The longest wait after a first failure by the default backoff. */
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

/** While something takes time, and no event comes, the first look comes within 15 s, and each later one within twice the time before it. */
export const waitingRecheckMs = 15_000
const longestRecheckMs = 300_000

/** When to look again at a resource after so many looks in a row that found it waiting and nothing new. */
export function recheckMs(waitsBefore: number, random: Random): number {
  const policy = { baseMs: waitingRecheckMs / 2, capMs: longestRecheckMs }
  return backoffDelayMs({ policy, failures: waitsBefore + 1, random })
}

/** Did an event bring something new, as opposed to time that has passed? */
export function hasNews(causes: readonly Cause[]): boolean {
  return causes.some(({ kind }) => kind === 'self' || kind === 'child' || kind === 'watched' || kind === 'external')
}

/** What a turn that decided on deletes waits for, while its cache is behind. */
export const cacheCatchUp = {
  on: 'waiting for the caches to catch up before anything is deleted',
  afterMs: 200,
} as const

/** What a turn waits for whose records of things outside were not the newest. */
export const recordCatchUp = { on: 'waiting for the cache to catch up with what is recorded', afterMs: 200 } as const

/** Is it over before anybody could read of it? Then the status is not written. */
export function isMomentary(outcome: Outcome): boolean {
  return (outcome.kind === 'waiting' || outcome.kind === 'deleting') && outcome.afterMs !== undefined
}

/** A wait that was to be over in no time is looked at this often in the end: what keeps it may be a broken watch. */
const longestMomentMs = 5_000

/** The outcome after so many momentary ones in a row: each waits twice as long as the one before. */
export function spaced(outcome: Outcome, momentaryBefore: number): Outcome {
  if (outcome.kind !== 'waiting' && outcome.kind !== 'deleting') return outcome
  if (outcome.afterMs === undefined) return outcome
  return { ...outcome, afterMs: Math.min(outcome.afterMs * 2 ** momentaryBefore, longestMomentMs) }
}

/** A turn that leaves things outside otherwise than its `observe` was told is followed by another; a row of them slows down. */
export function followUpMs(before: number): number {
  return Math.min(firstFollowUpMs * 2 ** before, longestMomentMs)
}
const firstFollowUpMs = 50

/** While the API server cannot be reached, try again at least this often. Refused connections cost next to nothing. */
const unreachableRetryMs = 5_000
/** The kind of a child has just gone or come: the watch of the kind knows which within half a minute, and no event may tell. */
const missingKindRetryMs = 30_000
/** A wait that comes with these was asked for by the API server; one that comes with others is a rule of ours. */
const overloadReasons: ReadonlySet<string> = new Set<KubeErrorCode>(['TooManyRequests', 'ServiceUnavailable'])

function isAskedWait({ reason, retryAfterMs }: Extract<Outcome, { kind: 'retry' }>): boolean {
  return retryAfterMs !== undefined && overloadReasons.has(reason)
}

/** The failure of a whole turn: whatever was thrown, as an outcome. */
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

export interface TurnResult {
  /** The resource's own namespace. */
  readonly home: string | undefined
  readonly failures: readonly (Pick<ChildFailure, 'error'> & Partial<ChildFailure>)[]
  /** Sentences: which declared gate holds back which object. */
  readonly gated: readonly string[]
  readonly children: readonly Child[]
  /** How many children that are no longer declared stay until others are as declared. */
  readonly pruneWaits: number
}

/** One child that can be retried makes the turn a retry: the permanent failures of others come round again with it. */
export function outcomeOfTurn({ home, failures, gated, children, pruneWaits }: TurnResult): Outcome {
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

/** Appended to what the children wait for. */
function pruneSentence(count: number): string {
  if (count === 0) return ''
  return count === 1
    ? '; 1 child that is no longer declared stays until then'
    : `; ${count} children that are no longer declared stay until then`
}

/** The first time at which one of these is tried again, if any is. */
function retryTime(errors: readonly CodedError[]): { readonly retryAfterMs?: number } {
  const retryAfterMs = earliest(...errors.map((error) => error.retryAfterMs))
  return retryAfterMs === undefined ? {} : { retryAfterMs }
}

/** Of many that wait, those named. */
const namedWaits = 5

function sentencesOf(waits: readonly string[]): string {
  const more = waits.length - namedWaits
  return waits.slice(0, namedWaits).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** A resource whose own namespace is being deleted goes with it, and that is an event; of other namespaces we hear nothing. */
function isEndOfNamespace({ code }: CodedError): boolean {
  return code === 'NamespaceTerminating'
}

/** What was ready is not called otherwise for a moment without an answer from outside: for how long yet; undefined: no longer. */
export function graceLeftMs(outcome: Outcome, failingForMs: number): number | undefined {
  if (outcome.kind !== 'retry' || outcome.graceMs === undefined) return undefined
  return outcome.graceMs > failingForMs ? outcome.graceMs - failingForMs : undefined
}

export interface DueTimes {
  /** When a deferred status write is due. */
  readonly statusMs?: number | undefined
  /** When to look again, at the latest, at a resource that no failure brings back; absent: when an event comes. */
  readonly lookMs?: number | undefined
  /** When to go on with what this turn began. */
  readonly followMs?: number | undefined
  /** When to look again at a resource that waits; default: as at the first time. */
  readonly recheckMs?: number | undefined
  /** When a failure that is kept back has to be told. */
  readonly tellMs?: number | undefined
}

/** What comes first, of those that come at all. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const due = times.filter((ms) => ms !== undefined)
  return due.length === 0 ? undefined : Math.min(...due)
}

/** How long it is until the first of them that is to come: what could not be done at one that has passed does not wait for time. */
export function untilNextMs(timesMs: readonly number[], nowMs: number): number | undefined {
  return earliest(...timesMs.filter((ms) => ms > nowMs).map((ms) => ms - nowMs))
}

function atMostOf({ atMostMs }: Extract<Outcome, { kind: 'retry' }>): Pick<RetryWish, 'atMostMs'> {
  return atMostMs === undefined ? {} : { atMostMs }
}

/** What the queue does next. */
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
      // No answer is no fault of this resource, and every resource has to be back soon after the API server is.
      if (outcome.reason === 'Unreachable') return { kind: 'retry', atMostMs: unreachableRetryMs }
      // Nor is it that a place outside was not even called; who asks again at its next probe is not called either, and costs nothing.
      if (outcome.reason === 'DependencyUnavailable') {
        return { kind: 'retry', afterMs: outcome.retryAfterMs, byMs: earliest(tellMs, outcome.retryAfterMs) }
      }
      if (tellMs !== undefined) return { kind: 'retry', afterMs: outcome.retryAfterMs, byMs: tellMs }
      if (outcome.retryAfterMs === undefined) return { kind: 'retry', ...atMostOf(outcome) }
      return isAskedWait(outcome)
        ? { kind: 'retry', notBeforeMs: outcome.retryAfterMs }
        : { kind: 'retry', afterMs: outcome.retryAfterMs }
    default:
      return unreachable(outcome)
  }
}
