// How does a turn leave the things outside?
import type { ExternalReport } from '../external/external.ts'
import type { TurnRecords } from './external-records.ts'
import type { Outcome } from './outcome.ts'

export interface ExternalsTurn {
  /** One for each External, in the order of declaration. */
  readonly reports: readonly ExternalReport[]
  readonly records: TurnRecords
  readonly outcome: Outcome
  /** When the next look is due; absent: no look is. */
  readonly lookMs?: number | undefined
}
