// What can go wrong with a backup or a restore, besides what a server, a tool or a store says? A closed union of codes, which are reasons
// of conditions too.
import { CodedError } from '../../index.ts'

export type BackupErrorCode =
  /** The artifact is not what the manifest says. */
  | 'ChecksumMismatch'
  /** There is no manifest, or none that can be believed. */
  | 'ManifestRefused'
  /** What was restored is not what was saved. */
  | 'ManifestMismatch'
  /** The database is another one than it was. */
  | 'SourceIdentityChanged'
  /** Of a table that is not there no rows can be left out. */
  | 'ExcludedTableMissing'
  /** A database or role of the name that is needed is somebody else's. */
  | 'NameTaken'
  /** A database was to be made from a backup, and is there. */
  | 'DatabaseExists'
  /** Something of a database would stay with what is replaced, and do harm there. */
  | 'NotMovable'
  /** What a restore replaced is not kept any more. */
  | 'PreviousGone'
  /** The disk of whoever restores. */
  | 'WorkFolderFull'
  /** Of the server that is to begin with a backup. */
  | 'VolumeFull'
  /** There is something on it that is not ours to replace. */
  | 'VolumeInUse'
  /** Files of one version cannot be read by another. */
  | 'VersionMismatch'
  /** A query that had to give an answer gave another. */
  | 'QueryFailed'

export class BackupError extends CodedError<BackupErrorCode> {
  override readonly name = 'BackupError'
}
