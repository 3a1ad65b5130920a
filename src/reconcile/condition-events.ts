// Events that report the conditions of a resource whose kind has no status. Invariant: neither a repeated condition nor
// a first observation without a problem makes an Event, so a restart of an idle operator makes none. Pure.
import { findCondition } from '../object/condition.ts'
import type { EventReport } from '../object/event-report.ts'
import type { StatusWithConditions } from '../object/object.ts'

/** `previous`: the last observation of this process; undefined before the first one. */
export function conditionEvent(
  previous: StatusWithConditions | undefined,
  next: StatusWithConditions,
): EventReport | undefined {
  const before = findCondition(previous?.conditions, 'Ready')
  const ready = findCondition(next.conditions, 'Ready')
  if (ready === undefined || (before?.status === ready.status && before.reason === ready.reason)) return undefined
  const isTrouble = findCondition(next.conditions, 'Degraded')?.status === 'True'
  if (previous === undefined && !isTrouble) return undefined
  const { reason, message } = ready
  return { type: isTrouble ? 'Warning' : 'Normal', reason, action: 'Reconcile', note: message }
}
