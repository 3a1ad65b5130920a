// Failures of a backup or restore of a whole database or server, other than errors of its server. A message has the
// first error line of a tool, never a row or a credential (I11).
import { CodedError } from '../../index.ts'

export type LogicalErrorCode =
  /** The tool is not installed on this machine. */
  | 'LogicalToolMissing'
  /** The tool is too old. */
  | 'VersionMismatch'
  /** The server does not admit replication connections for the login. */
  | 'ReplicationRefused'
  /** The server has tablespaces outside its data directory. */
  | 'TablespacesRefused'
  /** The server has removed WAL that the copy needs. */
  | 'LogMissing'
  /** Another client changed definitions during the read. Discard all that was read. */
  | 'CatalogChanged'
  | 'DumpFailed'
  | 'RestoreFailed'
  /** Other sessions held a lock. */
  | 'Contention'
  | 'ServerUnreachable'
  | 'StorageFull'

export class LogicalError extends CodedError<LogicalErrorCode> {
  override readonly name = 'LogicalError'
}
