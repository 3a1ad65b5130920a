// Failures of a backup or a restore, besides those of servers, tools and stores. Each code of this closed union is also
// the reason of a condition.
import { CodedError } from '../../index.ts'

export type BackupErrorCode =
  /** The artifact does not match its manifest. */
  | 'ChecksumMismatch'
  /** The manifest is missing or invalid. */
  | 'ManifestRefused'
  /** The restored contents differ from the manifest. */
  | 'ManifestMismatch'
  /** The database or server is not the one that the Database recorded. */
  | 'SourceIdentityChanged'
  /** spec.options.excludeTables names a table that does not exist. */
  | 'ExcludedTableMissing'
  /** A database or role has the required name, but was not created for this Backup or Database. */
  | 'NameTaken'
  /** The database to create from a backup exists already. */
  | 'DatabaseExists'
  /** The database has replication slots, publications or subscriptions that a swap would leave behind. */
  | 'NotMovable'
  /** The database that an earlier restore replaced no longer exists. */
  | 'PreviousGone'
  /** The disk of the worker has no room for the artifact. */
  | 'WorkFolderFull'
  /** The volume of the server to bootstrap has no room for the copy. */
  | 'VolumeFull'
  /** The volume holds data that this restore did not write. */
  | 'VolumeInUse'
  /** The data files are of another major version of PostgreSQL. */
  | 'VersionMismatch'
  /** A verification query returned an unexpected answer. */
  | 'QueryFailed'

export class BackupError extends CodedError<BackupErrorCode> {
  override readonly name = 'BackupError'
}
