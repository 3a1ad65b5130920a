// What can go wrong with a store? A closed union of codes, which are reasons of conditions too. Messages say the place and never a
// credential (I11).
import { CodedError } from '../../index.ts'

export type StoreErrorCode =
  | 'AccessDenied'
  /** Somebody was faster. */
  | 'AlreadyStored'
  /** It is where nobody can read it at once. */
  | 'Archived'
  | 'BucketMissing'
  /** Those that were read when the worker began. */
  | 'CredentialsExpired'
  | 'CredentialsInvalid'
  /** It may not be removed yet: somebody, or a rule, keeps it. */
  | 'Locked'
  | 'NotStored'
  /** A key that could leave its place. */
  | 'InvalidKey'
  | 'SdkMissing'
  | 'StoreFull'
  | 'StoreRefused'
  | 'StoreUnavailable'

/** A failure of a store. */
export class StoreError extends CodedError<StoreErrorCode> {
  override readonly name = 'StoreError'
}
