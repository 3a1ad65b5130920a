// Clean-up of a restore before its Database is deleted. The worker of an unfinished request is stopped, and another
// worker removes its copy. Databases that earlier requests replaced are deleted or stay together with the database.
// Pure.
import { isAbandoned } from '../../../index.ts'
import type { DatabaseObject } from '../server-connection.ts'
import { isUnderWay, type RestoreInput, type RestoreState, restoreState } from './restore-state.ts'

export function restorePreDelete(object: DatabaseObject, input: RestoreInput): RestoreState {
  const { record, problem } = input
  const { provider, deletionPolicy } = object.spec
  // The deletion of a server includes the copy. On an unreachable server nothing can be removed.
  const isOther = provider.server === undefined && deletionPolicy === 'Delete'
  // An instance that is being restored has no copy beside it.
  const goesAlong = isOther || record?.snapshot !== undefined
  if (!isUnderWay(record) || isAbandoned(object) || goesAlong || problem !== undefined) return { record }
  const words = { reason: 'DatabaseDeleted', message: 'the Database was deleted before it came to its end' }
  return restoreState({ ...input, record: { ...record, phase: 'Discarding', ...words } })
}
