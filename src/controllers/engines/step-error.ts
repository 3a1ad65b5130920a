// Failure of a step itself, as opposed to a failure of the connection. The former is recorded and reported, the latter
// is transient.
import { CodedError } from '../../index.ts'
import type { StepFailure } from './migration-target.ts'

export type StepErrorCode =
  /** Permanent: a retry fails the same way. */
  | 'StepFailed'
  /** Another session held a lock or won a race. */
  | 'StepContended'
  /** Another worker has taken over the migration. */
  | 'LeaseLost'

export class StepError extends CodedError<StepErrorCode> {
  override readonly name = 'StepError'
  readonly failure: StepFailure

  constructor(code: StepErrorCode, failure: StepFailure) {
    const { sqlState, message } = failure
    super({
      code,
      message: sqlState === undefined ? message : `${sqlState} ${message}`,
      remedy: code === 'StepFailed' ? 'stop' : 'retry',
    })
    this.failure = failure
  }
}
