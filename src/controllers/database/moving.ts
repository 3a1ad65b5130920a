// Move of a Database to another server, read from its status. During a move only the upgrade changes the database.
// Pure.
import type { DatabaseStatus } from '../../../imports/wire/database.ts'
import type { SagaReport } from '../../index.ts'
import { upgradeName } from './server-sides.ts'

/** Returns why others wait, as a phrase for messages; undefined if it does not move. */
export function moveOf(status: DatabaseStatus | undefined): string | undefined {
  const { state, from, to, step, progress } = status?.upgrade ?? {}
  // The backup before a move blocks no more than other backups.
  if (step === 'CreateSnapshot') return undefined
  if (state !== 'Running' && state !== 'AwaitingCutover' && state !== 'Compensating') return undefined
  const at = progress === undefined ? '' : ` (${progress})`
  return state === 'Compensating'
    ? `is being led back to its server of version ${from}${at}`
    : `moves from version ${from} to ${to}${at}`
}

/**
 * Returns the problem that a restore waits for. It applies before the status reports the move, and during the backup
 * before it.
 */
export function movingProblem(sagas: readonly SagaReport[]) {
  const record = sagas.find(({ name }) => name === upgradeName)?.record
  const isMoving = record?.state === 'Running' || record?.state === 'Compensating'
  const message = 'the upgrade of the database is under way'
  return isMoving ? ({ kind: 'waiting', reason: 'DatabaseMoving', message } as const) : undefined
}
