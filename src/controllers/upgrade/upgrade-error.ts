// Failures on the target server of an upgrade, besides those of servers and tools. Each code of this closed union is
// also the reason of a condition.
import { CodedError } from '../../index.ts'

export type UpgradeErrorCode =
  /** A database or role has the required name, but was not created for this upgrade. */
  | 'NameTaken'
  /** The database has objects that cannot be created on another server. */
  | 'NotMovable'
  /** The connection needs a superuser. */
  | 'InsufficientPrivilege'
  /** A verification query returned an unexpected answer. */
  | 'QueryFailed'

export class UpgradeError extends CodedError<UpgradeErrorCode> {
  override readonly name = 'UpgradeError'
}

export function stopped(code: UpgradeErrorCode, message: string): UpgradeError {
  return new UpgradeError({ code, message, remedy: 'stop' })
}
