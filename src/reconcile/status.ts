// Content of the status, and the decision to write it. The runtime derives Ready, Progressing and Degraded from the
// outcome, and Reconciling and Stalled of kstatus only while they are true. A kind's own claims override the runtime's.
// An equal status is not written, and mere progress at most every 30 s (I8).
import { unreachable } from '../base/assert.ts'
import { canonicalJson, type Json, type JsonObject } from '../base/json.ts'
import { mergePatchBetween } from '../base/json-patch.ts'
import { type ConditionClaim, mergeConditions } from '../object/condition.ts'
import type { StatusWithConditions } from '../object/object.ts'
import type { EventReport } from './context.ts'
import type { Outcome } from './outcome.ts'
import { type Records, type ResourceStatus, recordFields } from './records.ts'

/** Result of a controller's status function. */
export interface StatusReport<Status> {
  /**
   * The kind's own fields. `inventory`, `external`, `sagas` and those of `StatusWithConditions` belong to the runtime.
   * An omitted field is removed.
   */
  readonly fields: Omit<Status, keyof StatusWithConditions | 'external' | 'sagas' | 'inventory'>
  /** The kind's own conditions, which override the runtime's of the same type. */
  readonly conditions: readonly ConditionClaim[]
  /**
   * Events recorded when this status is written, so report them with a change of a condition. A crash between the two
   * loses them.
   */
  readonly events?: readonly EventReport[]
  /**
   * Times at which the status changes without an event, in milliseconds since the epoch: a reconcile follows at each.
   * Past times cause none.
   */
  readonly dueAtMs?: readonly number[]
}

/** Returns the conditions that every kind has, from the outcome alone. Source: kstatus and the API conventions. */
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
  /** Journal entries to keep. */
  readonly records?: Records
  readonly generation: number
  /** RFC 3339, whole seconds. */
  readonly now: string
  /** The reconcile-now token that this reconcile answers. */
  readonly token?: string | undefined
  /** Problem of the resource's annotations. */
  readonly complaint?: string | undefined
}

/** Returns the whole status to write. Without a report, because its function threw, the kind's own fields stay. */
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

/** In kstatus a stalled resource is not reconciling: if the kind claims Stalled, other pending work is no progress. */
function claimsBeside(own: readonly ConditionClaim[], outcome: Outcome): readonly ConditionClaim[] {
  const standard = standardClaims(outcome)
  const isStalled = own.some(({ type, status }) => type === 'Stalled' && status === 'True')
  if (!isStalled || outcome.kind === 'deleting') return standard
  return standard.flatMap((claim) =>
    claim.type === 'Reconciling' ? [] : claim.type === 'Progressing' ? [noProgress] : [claim],
  )
}

/** Reconciling is the kstatus form of Progressing: the kind's own reason and message for one apply to the other. */
function withEffectiveReconciling(claims: readonly ConditionClaim[]): readonly ConditionClaim[] {
  const progress = claims.find(({ type }) => type === 'Progressing')
  if (progress === undefined) return claims
  const { reason, message } = progress
  return claims.map((claim) => (claim.type === 'Reconciling' ? { ...claim, reason, message } : claim))
}

export type StatusWrite =
  | { readonly kind: 'none' }
  | { readonly kind: 'now'; readonly patch: JsonObject }
  /** No condition has flipped, and the last write was too recent. */
  | { readonly kind: 'later'; readonly afterMs: number }

/** Shortest interval of writes without a flipped condition while a resource is in progress. */
export const progressIntervalMs = 30_000

/** Longest delay of changed fields without a changed condition message; an earlier write includes them. */
export const countsIntervalMs = 120_000

export interface StatusWriteInput {
  readonly previous: ResourceStatus | undefined
  readonly next: ResourceStatus
  /** True if something takes time and nothing failed. */
  readonly isUnderWay: boolean
  /** Time of the last write by this process, on the monotonic clock; undefined if there is none. */
  readonly writtenAtMs: number | undefined
  readonly nowMs: number
}

export function statusWrite({ previous, next, isUnderWay, writtenAtMs, nowMs }: StatusWriteInput): StatusWrite {
  // Sound: both come from JSON or become JSON.
  const patch = mergePatchBetween((previous ?? {}) as JsonObject, next as unknown as JsonObject)
  if (patch === undefined) return { kind: 'none' }
  if (!isUnderWay || flipsOf(previous) !== flipsOf(next)) return { kind: 'now', patch }
  const intervalMs = wordsOf(previous) === wordsOf(next) ? countsIntervalMs : progressIntervalMs
  const dueMs = (writtenAtMs ?? Number.NEGATIVE_INFINITY) + intervalMs
  return nowMs < dueMs ? { kind: 'later', afterMs: dueMs - nowMs } : { kind: 'now', patch }
}

/**
 * State that clients act on: the observed generation and token, the condition statuses, the reason of Ready; and the
 * journal entries.
 */
function flipsOf(status: ResourceStatus | undefined): string {
  const conditions = (status?.conditions ?? []).map(({ type, status: state, reason }) =>
    type === 'Ready' ? `${type}=${state}/${reason}` : `${type}=${state}`,
  )
  const records = [status?.external ?? [], status?.sagas ?? []] as unknown as Json // Journal entries are JSON.
  return `${status?.observedGeneration} ${status?.lastHandledReconcileAt} ${conditions.join(' ')} ${canonicalJson(records)}`
}

/** The text that people read. */
function wordsOf(status: StatusWithConditions | undefined): string {
  return (status?.conditions ?? []).map(({ type, reason, message }) => `${type}: ${reason}: ${message}`).join('\n')
}

const sound: ConditionClaim = { type: 'Degraded', status: 'False', reason: 'AsExpected', message: '' }

/** Set only while true, as Reconciling and Stalled. */
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
