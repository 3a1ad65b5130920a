// What can go wrong when a database or a server is saved or restored as a whole, besides what its server says? Messages hold the first complaint of a
// tool and never a row or a credential (I11).
import { CodedError } from '../../index.ts'

export type LogicalErrorCode =
  /** There is no tool on this machine. */
  | 'LogicalToolMissing'
  /** There is, and it is too old. */
  | 'VersionMismatch'
  /** The server lets nobody copy it. */
  | 'ReplicationRefused'
  /** Its files are in more places than one. */
  | 'TablespacesRefused'
  /** The server has let go of log that a copy of it needs. */
  | 'LogMissing'
  /** Others changed definitions while the database was read; nothing of what was read counts. */
  | 'CatalogChanged'
  | 'DumpFailed'
  | 'RestoreFailed'
  /** Others held a lock. */
  | 'Contention'
  | 'ServerUnreachable'
  | 'StorageFull'

export class LogicalError extends CodedError<LogicalErrorCode> {
  override readonly name = 'LogicalError'
}
