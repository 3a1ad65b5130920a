// What does a Database tell of the Backups of it? One condition, by which nothing else goes. Pure.
import type { DatabaseStatus } from '../../../imports/wire/database.ts'
import { type ConditionClaim, findCondition, type StatusReport } from '../../index.ts'
import type { BackedUp } from './backed-up.ts'
import type { DatabaseStatusContext } from './database-conditions.ts'

/** `status` as the database alone has it. What cannot be looked up now stands as it was told. */
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
