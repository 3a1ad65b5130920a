// What can go wrong with a database server? A closed union of codes, which are the reasons of conditions too. Messages hold the
// SQLSTATE and the server's own message and never a value of a statement; `detail` only where it cannot show rows (I11).
import { CodedError } from '../../index.ts'

export type EngineErrorCode =
  /** It does not answer, is starting or stopping, is read only, or is no PostgreSQL. */
  | 'ServerUnreachable'
  /** It refuses TLS, or shows a certificate that is not trusted or not its own. */
  | 'TLSVerifyFailed'
  | 'TooManyConnections'
  | 'AdminAuthFailed'
  /** The message names what has to be granted to the admin. */
  | 'InsufficientPrivilege'
  /** Somebody has the name already; who asked looks whose it is. */
  | 'AlreadyExists'
  | 'NotFound'
  | 'DatabaseInUse'
  | 'SessionsRemain'
  | 'DependentObjects'
  /** Others held a lock, three times in a row. */
  | 'Contention'
  | 'StorageFull'
  /** The server does not take the statement, and will not the next time either. */
  | 'StatementFailed'
  /** A script of an extension would look into a schema in which somebody else has made something, or may. */
  | 'UnsafeSchema'
  /** The marks of migrations in a database are not, or not alone, the administrator's: nothing of them is read. */
  | 'UntrustedMarks'
  /** The connection was lost while a transaction was being committed: nobody knows whether it was. Look, then decide. */
  | 'OutcomeUnknown'

/** A failure of a database server. */
export class EngineError extends CodedError<EngineErrorCode> {
  override readonly name = 'EngineError'
  /** Undefined if the server did not get to say anything. */
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
