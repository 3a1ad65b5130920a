// Which Backups does a Database need, as it is being restored from them or is to be? Those that it names and has not come to an end with. Pure.
import { isBeingDeleted } from '../../../index.ts'
import type { DatabaseObject } from '../server-connection.ts'
import { isUnderWay } from './restore-standing.ts'

/** Names, of its own namespace. */
export function awaitedBackups(database: DatabaseObject): readonly string[] {
  const { spec, status } = database
  if (isBeingDeleted(database)) return []
  const { bootstrap, restore } = spec
  const record = status?.restore
  // What it begins with is wanted until there is a database, as another try may be.
  const first = status?.identity === undefined ? bootstrap?.restoreFrom.backupRef : undefined
  const isOver =
    restore !== undefined &&
    ((record?.requestID === restore.requestID && !isUnderWay(record)) ||
      record?.earlierRequests?.includes(restore.requestID) === true)
  const next = isOver ? undefined : restore?.from.backupRef
  return [first, next].flatMap((ref) => ref?.name ?? [])
}
