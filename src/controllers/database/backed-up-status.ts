// Condition BackedUp of a Database. Invariant: no other condition depends on it. Pure.
import type { DatabaseStatus } from '../../../imports/wire/database.ts'
import { type ConditionClaim, findCondition, type StatusReport } from '../../index.ts'
import type { BackedUp } from './backed-up.ts'
import type { DatabaseStatusContext } from './database-conditions.ts'

/** Adds the condition to `status`. Keeps the previous condition while Backups cannot be read. */
export function withBackups(
  status: StatusReport<DatabaseStatus>,
  { object, facts }: DatabaseStatusContext,
): StatusReport<DatabaseStatus> {
  const known: BackedUp | undefined = facts?.backedUp ?? findCondition(object.status?.conditions, 'BackedUp')
  if (known === undefined) return status
  const { reason, message, dueAtMs } = known
  const claim: ConditionClaim = { type: 'BackedUp', status: known.status, reason, message }
  const due = dueAtMs === undefined ? [] : [dueAtMs]
  return { ...status, conditions: [...status.conditions, claim], dueAtMs: [...(status.dueAtMs ?? []), ...due] }
}
