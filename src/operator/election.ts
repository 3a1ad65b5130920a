// Who leads? One candidate's view, decided from what it saw and when it saw it, on its own monotonic clock. Never two at once, as
// long as no candidate's clock runs faster than another's by the factor duration / renew deadline (1.5 by default):
//
//   the leader    stops its writes at  (sent its last successful claim) + renew deadline
//   the others    claim not before     (saw the last change)           + duration
//
// The claim is sent before it is seen, and renew deadline < duration. The lease's own timestamps decide nothing.
import type { LiveObject } from '../object/object.ts'
import { holderOf, isReleased, leaseSpecOf } from './lease.ts'

/** Whole times in milliseconds; `timingProblem` says what they must fulfil. */
export interface ElectionTiming {
  /** How long others wait for a leader that is silent. */
  readonly durationMs: number
  /** How long a leader acts after its last renewal; then it has lost. */
  readonly renewDeadlineMs: number
  /** From one renewal, or look at the lease, to the next. */
  readonly retryPeriodMs: number
}

export interface Candidate {
  /** Unique in time and space: no later process may have the same. */
  readonly identity: string
  readonly timing: ElectionTiming
}

export const defaultTiming: ElectionTiming = { durationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 }

/** A version of the lease, as this process saw it. */
interface Sighting {
  /** Undefined: there is none. */
  readonly lease: LiveObject | undefined
  /** When this process first saw this version. */
  readonly atMs: number
  /** How long after that somebody else may still take it for his. */
  readonly heldForMs: number
}

/** What a candidate knows. All times are of its monotonic clock. */
export interface Election {
  readonly sighting: Sighting | undefined
  /** A claim was refused, or nobody knows what became of it: look before the next one. */
  readonly isStale: boolean
  /** Present while this candidate leads, or has lost. */
  readonly leadsUntilMs: number | undefined
  /** Who took the lease from this candidate. */
  readonly takenBy: string | undefined
  /** Nothing to do before. */
  readonly dueMs: number
}

export type ElectionStep =
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'read' }
  /** Take it, or renew it, against this version; create it where there is none. */
  | { readonly kind: 'claim'; readonly lease: LiveObject | undefined }
  /** For good: the process ends. `to` is who has it now, if that is known. */
  | { readonly kind: 'lost'; readonly to: string | undefined }

/** What came of a step, and when; `jitter` in [0, 1) keeps candidates from moving in step. */
export interface Moment {
  readonly nowMs: number
  readonly jitter: number
}

/** How much longer than the period a wait may be, as a factor; from client-go, where renew deadlines allow for it. */
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

/** A look at the lease was answered; undefined: there is none. */
export function afterRead(
  election: Election,
  lease: LiveObject | undefined,
  { identity, timing }: Candidate,
  { nowMs, jitter }: Moment,
): Election {
  const sighting = sightingOf(election.sighting, lease, { identity, timing }, nowMs)
  const seen = { ...election, sighting, isStale: false }
  if (election.leadsUntilMs === undefined) {
    const lookAgainMs = nowMs + jittered(timing.retryPeriodMs, jitter)
    return { ...seen, dueMs: Math.max(nowMs, Math.min(freeAtMs(sighting), lookAgainMs)) }
  }
  const holder = lease === undefined ? undefined : holderOf(lease)
  return { ...seen, dueMs: nowMs, takenBy: holder === identity ? undefined : holder }
}

/** A claim was accepted and this is the lease now. It counts from before it was sent. */
export function afterClaim(
  election: Election,
  lease: LiveObject,
  { timing }: Candidate,
  { sentMs, nowMs }: { readonly sentMs: number; readonly nowMs: number },
): Election {
  const leadsUntilMs = sentMs + timing.renewDeadlineMs
  // The answer to a first claim took so long that it is worth nothing: the lease is ours, but has to be renewed first.
  const isTooLate = election.leadsUntilMs === undefined && nowMs >= leadsUntilMs
  return {
    ...election,
    sighting: { lease, atMs: nowMs, heldForMs: 0 },
    isStale: false,
    leadsUntilMs: isTooLate ? undefined : leadsUntilMs,
    dueMs: isTooLate ? nowMs : sentMs + timing.retryPeriodMs,
  }
}

/** Somebody else wrote first, so our claim was refused: look again soon, but never in circles. */
export function afterConflict(election: Election, { timing }: Candidate, { nowMs }: Pick<Moment, 'nowMs'>): Election {
  return { ...election, isStale: true, dueMs: nowMs + timing.retryPeriodMs / 10 }
}

/** No answer, or a refusal: a claim may have happened all the same. */
export function afterFailure(election: Election, { timing }: Candidate, { nowMs, jitter }: Moment): Election {
  return { ...election, isStale: true, dueMs: nowMs + jittered(timing.retryPeriodMs, jitter) }
}

/** One sentence on what is wrong with the three times; undefined if they fit. Source of the rule: client-go. */
export function timingProblem({ durationMs, renewDeadlineMs, retryPeriodMs }: ElectionTiming): string | undefined {
  const isInOrder = durationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs * jitterFactor && retryPeriodMs > 0
  if (isInOrder) return undefined
  const seconds = (ms: number) => `${ms / 1000} s`
  return `leader election needs lease duration > renew deadline > ${jitterFactor} × retry period > 0, but they are ${seconds(durationMs)}, ${seconds(renewDeadlineMs)} and ${seconds(retryPeriodMs)}; give times such as 15, 10 and 2`
}

function sightingOf(
  before: Sighting | undefined,
  lease: LiveObject | undefined,
  candidate: Candidate,
  nowMs: number,
): Sighting {
  const isUnchanged = before !== undefined && before.lease?.metadata.resourceVersion === lease?.metadata.resourceVersion
  return isUnchanged ? before : { lease, atMs: nowMs, heldForMs: heldForMs(before, lease, candidate) }
}

/** A lease that went, or lost its holder, by hand has a holder all the same: one that will notice, or that runs out. */
function heldForMs(
  before: Sighting | undefined,
  lease: LiveObject | undefined,
  { identity, timing: { durationMs } }: Candidate,
): number {
  if (lease === undefined) return before === undefined ? 0 : Math.max(durationMs, before.heldForMs)
  if (isReleased(lease) || holderOf(lease) === identity) return 0
  return Math.max(durationMs, (leaseSpecOf(lease).leaseDurationSeconds ?? 0) * 1000)
}

function freeAtMs({ atMs, heldForMs }: Sighting): number {
  return atMs + heldForMs
}

function jittered(periodMs: number, jitter: number): number {
  return periodMs * (1 + jitter * (jitterFactor - 1))
}
