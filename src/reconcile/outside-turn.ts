// How does a turn leave what is done outside of the resource's objects?
import type { ExternalReport } from '../external/external.ts'
import type { SagaReport } from '../saga/saga.ts'
import type { Outcome } from './outcome.ts'
import type { TurnRecords } from './records.ts'

/** The part of one kind, Externals or sagas. */
export interface PartTurn<Report> {
  /** One for each that is declared, in the order of declaration. */
  readonly reports: readonly Report[]
  readonly records: TurnRecords
  readonly outcome: Outcome
  /** When the next look is due; absent: no look is. */
  readonly lookMs?: number | undefined
}

export interface OutsideTurn extends Omit<PartTurn<never>, 'reports'> {
  readonly externals: readonly ExternalReport[]
  readonly sagas: readonly SagaReport[]
}
