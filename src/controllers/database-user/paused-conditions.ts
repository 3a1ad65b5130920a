// Conditions of a DatabaseUser that is suspended or paused. Invariant: after a Database withdrew its consent, the user
// is not Ready until a reconcile has granted its privileges again. The Databases decide this; no server is asked. Pure.
import type { DatabaseUserStatus } from '../../../imports/wire/database-user.ts'
import { type ConditionClaim, findCondition, isBeingDeleted, type LiveObject } from '../../index.ts'
import { unknownSince } from '../engines/unrequested.ts'
import { partTypes } from './user-conditions.ts'
import type { Problem } from './user-target.ts'

type User = LiveObject<unknown, DatabaseUserStatus>

/** `problem`: rejection of its place, from `rejectionOf`. */
export function pausedConditions(object: User, problem: Problem | undefined): readonly ConditionClaim[] {
  const { status } = object
  if (isBeingDeleted(object)) return []
  if (problem?.isShutOut === true) {
    const { reason, message } = problem
    return [
      ...notReady({ reason, message }),
      { type: 'Stalled', status: 'True', reason, message },
      ...unknownSince(status, partTypes, problem),
    ]
  }
  const wasShutOut = findCondition(status?.conditions, 'Ready')?.reason === 'NotAllowed'
  if (problem !== undefined || !wasShutOut) return []
  const message = 'the user is allowed again; the operator gives its rights back when it is no longer suspended'
  const why = { reason: 'Suspended', message }
  return [...notReady(why), ...unknownSince(status, partTypes, why)]
}

function notReady(why: Pick<ConditionClaim, 'reason' | 'message'>): readonly ConditionClaim[] {
  return [
    { type: 'Ready', status: 'False', ...why },
    { type: 'Degraded', status: 'True', ...why },
  ]
}
