// Failures of a database server, as a closed union of codes that are also reasons of conditions. A message holds the
// SQLSTATE and the server's message, never a value of a statement. It includes `detail` only where the detail cannot
// contain rows (I11).
import { CodedError } from '../../index.ts'

export type EngineErrorCode =
  /** The server does not answer, is starting or stopping, is read-only, or is not PostgreSQL. */
  | 'ServerUnreachable'
  /** The server rejects TLS, or its certificate is untrusted or for another host. */
  | 'TLSVerifyFailed'
  | 'TooManyConnections'
  | 'AdminAuthFailed'
  /** The message names the privilege to grant to the admin. */
  | 'InsufficientPrivilege'
  /** The name is taken. The caller checks who owns it. */
  | 'AlreadyExists'
  | 'NotFound'
  | 'DatabaseInUse'
  | 'SessionsRemain'
  | 'DependentObjects'
  /** Other sessions held a lock in three successive attempts. */
  | 'Contention'
  | 'StorageFull'
  /** The server rejects the statement permanently. */
  | 'StatementFailed'
  /** An extension's script would resolve names in a schema where another role has created objects, or can. */
  | 'UnsafeSchema'
  /** The admin is not the sole owner of the migration markers in the database. No marker is read. */
  | 'UntrustedMarks'
  /** The connection was lost during COMMIT. The transaction may have committed: observe before you decide. */
  | 'OutcomeUnknown'

/** A failure of a database server. */
export class EngineError extends CodedError<EngineErrorCode> {
  override readonly name = 'EngineError'
  /** Undefined if the server did not return an error. */
  readonly sqlState: string | undefined

  constructor(options: EngineErrorOptions) {
    super(options)
    this.sqlState = options.sqlState
  }
}

export interface EngineErrorOptions {
  readonly code: EngineErrorCode
  readonly message: string
  readonly remedy: 'retry' | 'stop'
  readonly retryAfterMs?: number | undefined
  readonly sqlState?: string | undefined
}
