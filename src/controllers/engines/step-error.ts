// What is it when a step itself fails, and not the way to its database? Kept apart, as the one is written down and reported, and the
// other passes.
import { CodedError } from '../../index.ts'
import type { StepFailure } from './migration-target.ts'

export type StepErrorCode =
  /** It will fail the same way again. */
  | 'StepFailed'
  /** Others held a lock, or won a race. */
  | 'StepContended'
  /** Another worker has taken the migration over since. */
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
