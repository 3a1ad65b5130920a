// Is a Database on its move to another server, so that nobody but its upgrade changes what is in it? Read from its status. Pure.
import type { DatabaseStatus } from '../../../imports/wire/database.ts'
import type { SagaReport } from '../../index.ts'
import { upgradeName } from './server-sides.ts'

/** Why others wait, in a phrase for people; undefined: it does not move. */
export function moveOf(status: DatabaseStatus | undefined): string | undefined {
  const { state, from, to, step, progress } = status?.upgrade ?? {}
  // The backup before it is a backup as any other.
  if (step === 'CreateSnapshot') return undefined
  if (state !== 'Running' && state !== 'AwaitingCutover' && state !== 'Compensating') return undefined
  const at = progress === undefined ? '' : ` (${progress})`
  return state === 'Compensating'
    ? `is being led back to its server of version ${from}${at}`
    : `moves from version ${from} to ${to}${at}`
}

/** What a restore waits for: also before the status tells of it, and while the backup before it is made. */
export function movingProblem(sagas: readonly SagaReport[]) {
  const record = sagas.find(({ name }) => name === upgradeName)?.record
  const isMoving = record?.state === 'Running' || record?.state === 'Compensating'
  const message = 'the upgrade of the database is under way'
  return isMoving ? ({ kind: 'waiting', reason: 'DatabaseMoving', message } as const) : undefined
}
