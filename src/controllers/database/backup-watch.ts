// Databases that a Backup concerns: the one that it backs up, and those that restore from it. Pure.
import { Backup } from '../../../imports/wire/backup.ts'
import { isBeingDeleted, keyFor, type LiveObject, type Watch } from '../../index.ts'
import type { BackupObject } from '../backup/desired-work.ts'
import type { DatabaseObject } from './server-connection.ts'

/** Index of Databases by the Backups that they restore from, as `namespace/name`. */
export const byBackup = 'backup'

export function restoredFrom({ metadata, spec: { bootstrap, restore } }: DatabaseObject): readonly string[] {
  const names = [bootstrap?.restoreFrom, restore?.from].flatMap((from) => from?.backupRef?.name ?? [])
  return names.map((name) => `${metadata.namespace}/${name}`)
}

export const backupWatch: Watch = {
  resource: Backup,
  keysFor: (backup, lookup) => {
    const { namespace, name } = backup.metadata
    return [keyFor(namespace, asBackup(backup).spec.databaseRef.name), ...lookup(byBackup, `${namespace}/${name}`)]
  },
  digest: backupDigest,
}

/** Returns the fields of a Backup that Databases read. */
export function backupDigest(object: LiveObject): string {
  const { spec, status } = asBackup(object)
  const { folder, phase, completedAt, verifiedAt, source } = status ?? {}
  const words = ['Verified', 'Overdue', 'Paused'].map(
    (type) => status?.conditions?.find((known) => known.type === type)?.status,
  )
  const own = [spec.suspend, isBeingDeleted(object)]
  return JSON.stringify([folder, phase, completedAt, verifiedAt, source?.databaseUID, ...words, ...own])
}

/** The CRD requires the spec. */
function asBackup(backup: LiveObject): BackupObject {
  return backup as BackupObject
}
