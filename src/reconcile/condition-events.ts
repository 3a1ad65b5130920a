// Conditions of a resource whose kind has no status to write them into, as an Event. Invariant: saying the same again makes no Event, nor
// does a first observation of what is in order, so that a restart makes none at rest. Pure.
import { findCondition } from '../object/condition.ts'
import type { EventReport } from '../object/event-report.ts'
import type { StatusWithConditions } from '../object/object.ts'

/** `previous`: what this process last observed; undefined at first. */
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
