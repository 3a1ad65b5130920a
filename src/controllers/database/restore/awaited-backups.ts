// Backups that a Database needs for its restore: those that it names and whose restore has not ended. Pure.
import { isBeingDeleted } from '../../../index.ts'
import type { DatabaseObject } from '../server-connection.ts'
import { isUnderWay } from './restore-state.ts'

/** Returns names in its own namespace. */
export function awaitedBackups(database: DatabaseObject): readonly string[] {
  const { spec, status } = database
  if (isBeingDeleted(database)) return []
  const { bootstrap, restore } = spec
  const record = status?.restore
  // The bootstrap source is needed until the database exists, because another attempt may follow.
  const first = status?.identity === undefined ? bootstrap?.restoreFrom.backupRef : undefined
  const isOver =
    restore !== undefined &&
    ((record?.requestID === restore.requestID && !isUnderWay(record)) ||
      record?.earlierRequests?.includes(restore.requestID) === true)
  const next = isOver ? undefined : restore?.from.backupRef
  return [first, next].flatMap((ref) => ref?.name ?? [])
}
