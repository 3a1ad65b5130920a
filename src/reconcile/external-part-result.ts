// Result of a reconcile for the external resources and sagas of a resource.
import type { ExternalReport } from '../external/external.ts'
import type { SagaReport } from '../saga/saga.ts'
import type { Outcome } from './outcome.ts'
import type { JournalChange } from './records.ts'

/** Result for one of the two, Externals or sagas. */
export interface PartResult<Report> {
  /** One report per declaration, in the order of declaration. */
  readonly reports: readonly Report[]
  readonly records: JournalChange
  readonly outcome: Outcome
  /** Time until the next observation; absent: none is scheduled. */
  readonly lookMs?: number | undefined
}

export interface ExternalPartResult extends Omit<PartResult<never>, 'reports'> {
  readonly externals: readonly ExternalReport[]
  readonly sagas: readonly SagaReport[]
}
