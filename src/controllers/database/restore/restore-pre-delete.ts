// What of a restore has to go before its Database may? The copy of a request that has not come to its end: its worker is ended, and another
// one removes what it has made. What earlier ones have replaced goes with the database, or stays with it. Pure.
import { isAbandoned } from '../../../index.ts'
import type { DatabaseObject } from '../server-connection.ts'
import { isUnderWay, type RestoreInput, type RestoreState, restoreState } from './restore-state.ts'

export function restorePreDelete(object: DatabaseObject, input: RestoreInput): RestoreState {
  const { record, problem } = input
  const { provider, deletionPolicy } = object.spec
  // A server that goes takes everything along; of one that nobody finds the way to nothing can be removed.
  const isOther = provider.server === undefined && deletionPolicy === 'Delete'
  // An instance that is being restored has no copy beside it.
  const goesAlong = isOther || record?.snapshot !== undefined
  if (!isUnderWay(record) || isAbandoned(object) || goesAlong || problem !== undefined) return { record }
  const words = { reason: 'DatabaseDeleted', message: 'the Database was deleted before it came to its end' }
  return restoreState({ ...input, record: { ...record, phase: 'Discarding', ...words } })
}
