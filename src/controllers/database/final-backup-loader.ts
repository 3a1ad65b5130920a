// Reads the state of the final backup of a Database that is being deleted, and whether its namespace is being deleted
// too.
import { Backup } from '../../../imports/wire/backup.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../imports/wire/database.ts'
import { isBeingDeleted, Namespace, type ObserveContext } from '../../index.ts'
import { type FinalBackup, finalBackupOf, neededBeforeDeletion } from './final-backup.ts'

type Observing = ObserveContext<DatabaseSpec, DatabaseStatus>

/** Undefined if no final backup is required. */
export async function loadFinalBackup({ object, children, live }: Observing): Promise<FinalBackup | undefined> {
  const wanted = neededBeforeDeletion(object)
  if (wanted === undefined) return undefined
  const { namespace } = object.metadata
  const found = await live.find(Backup, { namespace, name: wanted.name })
  const home = await live.find(Namespace, { name: namespace ?? '' })
  return finalBackupOf(wanted, { object, children, found, isHomeGoing: home === undefined || isBeingDeleted(home) })
}
