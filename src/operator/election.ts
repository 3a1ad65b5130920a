// Leader election: the pure decisions of one candidate, from its observations of the Lease and its own monotonic clock.
// Invariant: at most one leader acts. It holds while no candidate's clock runs faster than another's by the factor
// duration / renew deadline (1.5 by default):
//
//   the leader    stops its writes at  (sent its last successful claim) + renew deadline
//   the others    claim not before     (observed the last change)      + duration
//
// A candidate sends a claim before others observe it, and renew deadline < duration. No decision reads the Lease's own
// timestamps.
import type { LiveObject } from '../object/object.ts'
import { holderOf, isReleased, leaseSpecOf } from './lease.ts'

/** Times in whole milliseconds; `timingProblem` checks their order. */
export interface ElectionTiming {
  /** Time without a renewal after which others take the Lease. */
  readonly durationMs: number
  /** Time after its last renewal when a leader has lost the Lease and stops. */
  readonly renewDeadlineMs: number
  /** Interval of renewals, or of reads of the Lease by a standby. */
  readonly retryPeriodMs: number
}

export interface Candidate {
  /** Unique name of this process; no later process may have the same. */
  readonly identity: string
  readonly timing: ElectionTiming
}

export const defaultTiming: ElectionTiming = { durationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 }

/** Observation of one version of the Lease by this process. */
interface LeaseObservation {
  /** Undefined: the Lease does not exist. */
  readonly lease: LiveObject | undefined
  /** Time of the first observation of this version. */
  readonly atMs: number
  /** Time after `atMs` during which another process may still act as the holder. */
  readonly heldForMs: number
}

/** State of a candidate. All times are of its monotonic clock. */
export interface Election {
  readonly sighting: LeaseObservation | undefined
  /** A claim was rejected or its outcome is unknown: read the Lease before the next claim. */
  readonly isStale: boolean
  /** Present while this candidate leads, and after it has lost. */
  readonly leadsUntilMs: number | undefined
  /** Identity of the process that took the Lease from this candidate. */
  readonly takenBy: string | undefined
  /** Earliest time of the next step. */
  readonly dueMs: number
}

export type ElectionStep =
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'read' }
  /** Take or renew the Lease, against this version; create it if undefined. */
  | { readonly kind: 'claim'; readonly lease: LiveObject | undefined }
  /** Final: the process ends. `to` is the new holder, if known. */
  | { readonly kind: 'lost'; readonly to: string | undefined }

/** Time of a step's end. `jitter` in [0, 1) desynchronizes candidates. */
export interface Moment {
  readonly nowMs: number
  readonly jitter: number
}

/** Maximum factor by which a wait exceeds the period. Source: client-go, whose renew deadlines allow for it. */
export const jitterFactor = 1.2

export const notYetElected: Election = {
  sighting: undefined,
  isStale: false,
  leadsUntilMs: undefined,
  takenBy: undefined,
  dueMs: Number.NEGATIVE_INFINITY,
}

export function nextStep(election: Election, nowMs: number): ElectionStep {
  const { sighting, isStale, leadsUntilMs, takenBy, dueMs } = election
  if (leadsUntilMs !== undefined && (takenBy !== undefined || nowMs >= leadsUntilMs))
    return { kind: 'lost', to: takenBy }
  if (nowMs < dueMs) return { kind: 'wait', untilMs: Math.min(dueMs, leadsUntilMs ?? dueMs) }
  if (sighting === undefined || isStale) return { kind: 'read' }
  if (leadsUntilMs !== undefined || nowMs >= freeAtMs(sighting)) return { kind: 'claim', lease: sighting.lease }
  return { kind: 'read' }
}

/** Returns the state after a read of the Lease; `lease` is undefined if it does not exist. */
export function afterRead(
  election: Election,
  lease: LiveObject | undefined,
  { identity, timing }: Candidate,
  { nowMs, jitter }: Moment,
): Election {
  const sighting = observationOf(election.sighting, lease, { identity, timing }, nowMs)
  const seen = { ...election, sighting, isStale: false }
  if (election.leadsUntilMs === undefined) {
    const lookAgainMs = nowMs + jittered(timing.retryPeriodMs, jitter)
    return { ...seen, dueMs: Math.max(nowMs, Math.min(freeAtMs(sighting), lookAgainMs)) }
  }
  const holder = lease === undefined ? undefined : holderOf(lease)
  return { ...seen, dueMs: nowMs, takenBy: holder === identity ? undefined : holder }
}

/** Returns the state after an accepted claim. Leadership counts from the time at which the claim was sent. */
export function afterClaim(
  election: Election,
  lease: LiveObject,
  { timing }: Candidate,
  { sentMs, nowMs }: { readonly sentMs: number; readonly nowMs: number },
): Election {
  const leadsUntilMs = sentMs + timing.renewDeadlineMs
  // The response to a first claim came after the renew deadline. This process holds the Lease, but must renew it first.
  const isTooLate = election.leadsUntilMs === undefined && nowMs >= leadsUntilMs
  return {
    ...election,
    sighting: { lease, atMs: nowMs, heldForMs: 0 },
    isStale: false,
    leadsUntilMs: isTooLate ? undefined : leadsUntilMs,
    dueMs: isTooLate ? nowMs : sentMs + timing.retryPeriodMs,
  }
}

/**
 * Returns the state after a rejected claim, because another process wrote first. The next read comes soon, with a
 * minimum delay.
 */
export function afterConflict(election: Election, { timing }: Candidate, { nowMs }: Pick<Moment, 'nowMs'>): Election {
  return { ...election, isStale: true, dueMs: nowMs + timing.retryPeriodMs / 10 }
}

/** Returns the state after a failed request. A claim may have succeeded nevertheless. */
export function afterFailure(election: Election, { timing }: Candidate, { nowMs, jitter }: Moment): Election {
  return { ...election, isStale: true, dueMs: nowMs + jittered(timing.retryPeriodMs, jitter) }
}

/**
 * Returns the problem of the three times as one sentence; undefined if they are valid. Source of the rule: client-go.
 */
export function timingProblem({ durationMs, renewDeadlineMs, retryPeriodMs }: ElectionTiming): string | undefined {
  const isInOrder = durationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs * jitterFactor && retryPeriodMs > 0
  if (isInOrder) return undefined
  const seconds = (ms: number) => `${ms / 1000} s`
  return `leader election needs lease duration > renew deadline > ${jitterFactor} × retry period > 0, but they are ${seconds(durationMs)}, ${seconds(renewDeadlineMs)} and ${seconds(retryPeriodMs)}; give times such as 15, 10 and 2`
}

function observationOf(
  before: LeaseObservation | undefined,
  lease: LiveObject | undefined,
  candidate: Candidate,
  nowMs: number,
): LeaseObservation {
  const isUnchanged = before !== undefined && before.lease?.metadata.resourceVersion === lease?.metadata.resourceVersion
  return isUnchanged ? before : { lease, atMs: nowMs, heldForMs: heldForMs(before, lease, candidate) }
}

/**
 * Returns how long a holder may still act. After a deletion of the Lease or its holder by hand, the holder keeps its
 * full time, because it may not know yet.
 */
function heldForMs(
  before: LeaseObservation | undefined,
  lease: LiveObject | undefined,
  { identity, timing: { durationMs } }: Candidate,
): number {
  if (lease === undefined) return before === undefined ? 0 : Math.max(durationMs, before.heldForMs)
  if (isReleased(lease) || holderOf(lease) === identity) return 0
  return Math.max(durationMs, (leaseSpecOf(lease).leaseDurationSeconds ?? 0) * 1000)
}

function freeAtMs({ atMs, heldForMs }: LeaseObservation): number {
  return atMs + heldForMs
}

function jittered(periodMs: number, jitter: number): number {
  return periodMs * (1 + jitter * (jitterFactor - 1))
}
