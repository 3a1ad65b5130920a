// Failures of a store. Each code of this closed union is also the reason of a condition. Messages name the store and
// contain no credential (I11).
import { CodedError } from '../../index.ts'

export type StoreErrorCode =
  | 'AccessDenied'
  /** Another worker stored the key first. */
  | 'AlreadyStored'
  /** It is in an archive, which requires a restore before it can be read. */
  | 'Archived'
  | 'BucketMissing'
  /** The credentials that the worker read at its start have expired. */
  | 'CredentialsExpired'
  | 'CredentialsInvalid'
  /** An object lock prevents the removal. */
  | 'Locked'
  | 'NotStored'
  /** A key that could lead out of its store. */
  | 'InvalidKey'
  | 'SdkMissing'
  | 'StoreFull'
  | 'StoreRefused'
  | 'StoreUnavailable'

/** A failure of a store. */
export class StoreError extends CodedError<StoreErrorCode> {
  override readonly name = 'StoreError'
}
