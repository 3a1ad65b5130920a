// Backup before steps change a database. With `spec.preBackup`, each list of steps gets a Backup of the whole database.
// The worker starts when the Backup is complete. The Backup is not deleted afterwards. Pure.
import type { MigrationSpec } from '../../../imports/wire/migration.ts'
import { type OwnBackup, type OwnBackupState, ownBackup } from '../database/own-backup.ts'
import type { DatabaseObject } from '../database/server-connection.ts'
import type { Problem } from './migration-place.ts'

export interface PreBackup {
  readonly backup: OwnBackup
  readonly standing: OwnBackupState
}

export interface PreBackupAsk {
  readonly metadata: { readonly uid: string }
  readonly spec: Pick<MigrationSpec, 'preBackup'>
}

/** Returns the desired backup; undefined if the spec requires none. `plan`: digest of the steps. */
export function desiredPreBackup(
  { metadata, spec }: PreBackupAsk,
  plan: string,
  database: DatabaseObject,
): OwnBackup | Problem | undefined {
  if (spec.preBackup?.required !== true) return undefined
  const proof = spec.preBackup.verified ? 'Restore' : 'None'
  const wish = ownBackup(database, 'before', { key: `${metadata.uid} ${plan}`, proof })
  const message = `Database ${database.metadata.name} has no spec.snapshotTarget, which says where the backup before the steps is kept; set one, or leave spec.preBackup out`
  return wish ?? { kind: 'refused', reason: 'SnapshotTargetMissing', message }
}
