// Status of a Database while the volume of its server grows, or cannot grow. The database keeps working, so its other
// conditions stay; only the difference is added. Pure.
import type { DatabaseStatus } from '../../../imports/wire/database.ts'
import { type ConditionClaim, type EventReport, isBeingDeleted, type StatusReport } from '../../index.ts'
import { expanding, expansionRejected, stalled } from '../stateful-set/growth-claims.ts'
import type { DatabaseStatusContext } from './database-conditions.ts'

/** Adds the volume's conditions to `status`, which stays unchanged if the volume matches the spec. */
export function withVolume(
  status: StatusReport<DatabaseStatus>,
  { object, facts, outcome }: DatabaseStatusContext,
): StatusReport<DatabaseStatus> {
  const volume = facts?.serverVolume
  const isNews = outcome.kind === 'settled' || outcome.kind === 'waiting'
  if (volume === undefined || !isNews || isBeingDeleted(object)) return status
  const [refusal] = expansionRejected(volume)
  const [growth] = expanding(volume)
  const cause = refusal ?? growth
  if (cause === undefined) return status
  const { fields, conditions, events = [] } = status
  const stalls = refusal !== undefined && outcome.kind === 'settled' ? stalled(refusal) : []
  const own = [...readyOf(conditions, cause), cause, ...stalls]
  return {
    ...status,
    fields: { ...fields, ...(fields.phase === 'Ready' ? { phase: 'Configuring' } : {}) },
    conditions: [...own, ...conditions.filter(({ type }) => !own.some((claim) => claim.type === type))],
    events: [...events, ...(refusal === undefined ? [] : eventsOf(object, refusal))],
  }
}

/** A failure of the database itself takes precedence over the volume. */
function readyOf(conditions: readonly ConditionClaim[], { message }: ConditionClaim): readonly ConditionClaim[] {
  const ready = conditions.find(({ type }) => type === 'Ready')
  if (ready !== undefined && ready.status !== 'True') return []
  return [{ type: 'Ready', status: 'False', reason: 'VolumePending', message }]
}

/** Reported once, when the condition first appears. */
function eventsOf(
  { status }: DatabaseStatusContext['object'],
  { type, reason, message }: ConditionClaim,
): readonly EventReport[] {
  const isTold = status?.conditions?.some((told) => told.type === type && told.reason === reason)
  return isTold ? [] : [{ type: 'Warning', reason, action: 'Expand', note: message }]
}
