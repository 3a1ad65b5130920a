// Gate for a database that is bootstrapped from a backup. Until the backup is restored, the database is neither managed
// nor created, because an empty one would pass for the restored one. Pure.
import type { InvalidSpec } from '../../../index.ts'
import type { RestoreFacts } from './restore-facts.ts'

export interface Gate {
  readonly reason: string
  readonly message: string
}

/** Returns undefined if the database can be managed. */
export function restoreGate(facts: RestoreFacts | undefined): Gate | undefined {
  if (facts?.isAwaited !== true) return undefined
  const { record, problem } = facts
  const { phase, reason = 'Restoring', message = 'the backup that it begins with is to be restored' } = record ?? {}
  if (problem !== undefined) return { reason: problem.reason, message: problem.message }
  return { reason: phase === 'Restoring' ? 'Restoring' : reason, message }
}

/** Returns a rejection if the bootstrap failed and no other restore is requested. */
export function restoreRejection(facts: RestoreFacts | undefined): InvalidSpec | undefined {
  if (facts?.isAwaited !== true || facts.record?.phase !== 'Failed' || facts.worker !== undefined) return undefined
  const { reason = 'RestoreFailed', message = '' } = facts.record
  const help = 'nothing was made; make the Database anew, or give spec.restore another source and a requestID'
  return { reason, message: `the backup that the database begins with could not be restored: ${message}; ${help}` }
}
