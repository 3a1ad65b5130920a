// What can go wrong with the new side of an upgrade, besides what servers and tools say? A closed union of codes, which are reasons of
// conditions too.
import { CodedError } from '../../index.ts'

export type UpgradeErrorCode =
  /** A database or role of a name that is needed is somebody else's. */
  | 'NameTaken'
  /** The database has what nobody here can make on another server. */
  | 'NotMovable'
  /** A superuser is needed. */
  | 'InsufficientPrivilege'
  /** A query that had to give an answer gave another. */
  | 'QueryFailed'

export class UpgradeError extends CodedError<UpgradeErrorCode> {
  override readonly name = 'UpgradeError'
}

export function stopped(code: UpgradeErrorCode, message: string): UpgradeError {
  return new UpgradeError({ code, message, remedy: 'stop' })
}
