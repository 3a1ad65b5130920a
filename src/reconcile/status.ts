// What should the status say, and is it worth a write? The runtime states Ready, Progressing and Degraded from the outcome, and
// kstatus' Reconciling and Stalled only while they are true; a kind's own claims win over the runtime's. Equal is not
// written, and mere progress is written at most every 30 s (I8).
import { unreachable } from '../base/assert.ts'
import { canonicalJson, type Json, type JsonObject } from '../base/json.ts'
import { mergePatchBetween } from '../base/json-patch.ts'
import { type ConditionClaim, mergeConditions } from '../object/condition.ts'
import type { StatusWithConditions } from '../object/object.ts'
import type { EventReport } from './context.ts'
import type { Outcome } from './outcome.ts'
import { type Records, type ResourceStatus, recordFields } from './records.ts'

/** What a controller's status function returns. */
export interface StatusReport<Status> {
  /** The kind's own fields. `inventory`, `external`, `sagas` and those of `StatusWithConditions` are the runtime's. A field left out is removed. */
  readonly fields: Omit<Status, keyof StatusWithConditions | 'external' | 'sagas' | 'inventory'>
  /** The kind's own conditions, and its own words for the runtime's. */
  readonly conditions: readonly ConditionClaim[]
  /** What this status brings to light: told when it is written, so a flip should be the occasion. Lost in a crash between. */
  readonly events?: readonly EventReport[]
  /** When time alone changes something, milliseconds since the epoch: there is a turn at each. Those that have passed ask for none. */
  readonly dueAtMs?: readonly number[]
}

/** The conditions that every kind has, from the outcome alone. Source: kstatus and the API conventions. */
export function standardClaims(outcome: Outcome): readonly ConditionClaim[] {
  switch (outcome.kind) {
    case 'settled':
      return [ready('True', 'Settled', 'everything is as declared'), progressing('False', 'Settled', ''), sound]
    case 'waiting':
      return [
        ready('False', 'Waiting', outcome.on),
        progressing('True', 'Waiting', outcome.on),
        sound,
        { type: 'Reconciling', status: 'True', reason: 'Waiting', message: outcome.on },
      ]
    case 'retry':
      return [
        ready('False', outcome.reason, outcome.message),
        progressing('True', 'Retrying', outcome.message),
        { type: 'Degraded', status: 'True', reason: outcome.reason, message: outcome.message },
        { type: 'Reconciling', status: 'True', reason: 'Retrying', message: outcome.message },
      ]
    case 'stopped':
      return [
        ready('False', outcome.reason, outcome.message),
        noProgress,
        { type: 'Degraded', status: 'True', reason: outcome.reason, message: outcome.message },
        { type: 'Stalled', status: 'True', reason: outcome.reason, message: outcome.message },
      ]
    case 'deleting':
      return [ready('False', 'Deleting', outcome.on), progressing('True', 'Deleting', outcome.on), sound]
    default:
      return unreachable(outcome)
  }
}

export interface NextStatusInput {
  readonly previous: ResourceStatus | undefined
  readonly report: StatusReport<StatusWithConditions> | undefined
  readonly outcome: Outcome
  /** What is kept of what is done outside. */
  readonly records?: Records
  readonly generation: number
  /** RFC 3339, whole seconds. */
  readonly now: string
  /** The reconcile-now that this turn answers. */
  readonly token?: string | undefined
  /** What of the resource's annotations could not be read. */
  readonly complaint?: string | undefined
}

/** The whole status to be written. Without a report (its function threw) the kind's own fields stay as they were. */
export function nextStatus(input: NextStatusInput): ResourceStatus {
  const { previous, report, outcome, generation, now, complaint, records = noRecords } = input
  const {
    conditions: before = [],
    observedGeneration: _,
    lastHandledReconcileAt,
    external: __,
    sagas: ___,
    inventory,
    ...kept
  } = previous ?? {}
  const token = input.token ?? lastHandledReconcileAt
  const own = report?.conditions ?? []
  const claims = withEffectiveReconciling([...own, ...claimsBeside(own, outcome), ...complaining(complaint)])
  return {
    ...(report?.fields ?? kept),
    // Only the parent recorder writes it: unchanged here, it is in no patch.
    ...(inventory === undefined ? {} : { inventory }),
    observedGeneration: generation,
    ...(token === undefined ? {} : { lastHandledReconcileAt: token }),
    ...recordFields(records),
    conditions: mergeConditions({ previous: before, claims, observedGeneration: generation, now }),
  }
}

const noRecords: Records = { external: [], sagas: [] }

/** In kstatus a stalled resource is not reconciling: where the kind says Stalled, whatever takes time beside that is no progress. */
function claimsBeside(own: readonly ConditionClaim[], outcome: Outcome): readonly ConditionClaim[] {
  const standard = standardClaims(outcome)
  const isStalled = own.some(({ type, status }) => type === 'Stalled' && status === 'True')
  if (!isStalled || outcome.kind === 'deleting') return standard
  return standard.flatMap((claim) =>
    claim.type === 'Reconciling' ? [] : claim.type === 'Progressing' ? [noProgress] : [claim],
  )
}

/** Reconciling is Progressing in kstatus' words: where the kind has its own for the one, they hold for the other. */
function withEffectiveReconciling(claims: readonly ConditionClaim[]): readonly ConditionClaim[] {
  const progress = claims.find(({ type }) => type === 'Progressing')
  if (progress === undefined) return claims
  const { reason, message } = progress
  return claims.map((claim) => (claim.type === 'Reconciling' ? { ...claim, reason, message } : claim))
}

export type StatusWrite =
  | { readonly kind: 'none' }
  | { readonly kind: 'now'; readonly patch: JsonObject }
  /** Nothing has flipped, and the last write was too recent. */
  | { readonly kind: 'later'; readonly afterMs: number }

/** While a resource is on its way, news without a flip is written no more often than this. */
export const progressIntervalMs = 30_000

/** Counts that no condition tells of ride along with the next write, or go out alone after this long. */
export const countsIntervalMs = 120_000

export interface StatusWriteInput {
  readonly previous: ResourceStatus | undefined
  readonly next: ResourceStatus
  /** Something takes time and nothing is wrong. */
  readonly isUnderWay: boolean
  /** When this process last wrote it, on the monotonic clock; undefined if it never did. */
  readonly writtenAtMs: number | undefined
  readonly nowMs: number
}

export function statusWrite({ previous, next, isUnderWay, writtenAtMs, nowMs }: StatusWriteInput): StatusWrite {
  // Sound: both came from JSON or go to it.
  const patch = mergePatchBetween((previous ?? {}) as JsonObject, next as unknown as JsonObject)
  if (patch === undefined) return { kind: 'none' }
  if (!isUnderWay || flipsOf(previous) !== flipsOf(next)) return { kind: 'now', patch }
  const intervalMs = wordsOf(previous) === wordsOf(next) ? countsIntervalMs : progressIntervalMs
  const dueMs = (writtenAtMs ?? Number.NEGATIVE_INFINITY) + intervalMs
  return nowMs < dueMs ? { kind: 'later', afterMs: dueMs - nowMs } : { kind: 'now', patch }
}

/** What others act on or wait for: the generation and token that were seen, which conditions hold, why it is not ready; and our own records. */
function flipsOf(status: ResourceStatus | undefined): string {
  const conditions = (status?.conditions ?? []).map(({ type, status: state, reason }) =>
    type === 'Ready' ? `${type}=${state}/${reason}` : `${type}=${state}`,
  )
  const records = [status?.external ?? [], status?.sagas ?? []] as unknown as Json // Records are JSON.
  return `${status?.observedGeneration} ${status?.lastHandledReconcileAt} ${conditions.join(' ')} ${canonicalJson(records)}`
}

/** What people read. */
function wordsOf(status: StatusWithConditions | undefined): string {
  return (status?.conditions ?? []).map(({ type, reason, message }) => `${type}: ${reason}: ${message}`).join('\n')
}

const sound: ConditionClaim = { type: 'Degraded', status: 'False', reason: 'AsExpected', message: '' }

/** Only while it is true, as Reconciling and Stalled. */
function complaining(message: string | undefined): readonly ConditionClaim[] {
  if (message === undefined) return []
  return [{ type: 'AnnotationIgnored', status: 'True', reason: 'InvalidAnnotation', message }]
}

function ready(status: 'True' | 'False', reason: string, message: string): ConditionClaim {
  return { type: 'Ready', status, reason, message }
}

const noProgress = progressing('False', 'Stalled', 'nothing goes on until the spec or an input changes')

function progressing(status: 'True' | 'False', reason: string, message: string): ConditionClaim {
  return { type: 'Progressing', status, reason, message }
}
