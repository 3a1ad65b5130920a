// What does a look at the text of a step say, before anything runs? Findings, which refuse it, and blind spots: places where only the
// server will see what is done.
import type { MigrationStep } from './migration-step.ts'

export type FindingCode =
  | 'ParseError'
  | 'EmptyStep'
  /** BEGIN, COMMIT and their like: a step and the mark that it was applied are one transaction. */
  | 'TransactionControlInStep'
  /** The statement runs in no transaction, and the step has `transaction: true`. */
  | 'NotInTransaction'
  /** A step with `transaction: false` holds more than its one statement. */
  | 'MoreThanOneStatement'
  /** Without a name nobody can find what an interrupted CREATE INDEX CONCURRENTLY leaves behind. */
  | 'IndexNameMissing'
  | 'VerifyMissing'
  | 'VerifyNotAQuery'
  /** Programs and files of the server. */
  | 'ServerAccess'
  /** COPY from or to a client that has no rows and takes none. */
  | 'CopyWithClient'
  | 'AlterSystem'
  | 'ClearPassword'
  /** A setting that outlives the transaction. */
  | 'SessionSetting'
  /** Who a step runs as is not for the step to say. */
  | 'RoleChange'
  /** Locks that outlive the transaction; the migration itself is held by one. */
  | 'SessionLock'
  /** The schema `_konverge` is where is written what was applied. */
  | 'ReservedSchema'

export interface Finding {
  readonly code: FindingCode
  readonly message: string
  readonly place: TextPlace
}

/** Cannot be looked into; refuses nothing. */
export interface BlindSpot {
  readonly message: string
  readonly place: TextPlace
}

/** Lines and columns from 1, columns in characters. */
export interface TextPlace {
  readonly step: string
  readonly part: 'sql' | 'verify' | 'down'
  readonly line: number
  readonly column: number
}

export interface StepReview {
  readonly findings: readonly Finding[]
  readonly blindSpots: readonly BlindSpot[]
}

/** Pure. */
export type ReviewSteps = (steps: readonly MigrationStep[], rules: ReviewRules) => StepReview

export interface ReviewRules {
  /** Every step with SQL has to say how it is verified. */
  readonly requiresVerify: boolean
}

/** `step add-index, sql 3:7: …` */
export function findingText({ message, place }: Finding | BlindSpot): string {
  return `step ${place.step}, ${place.part} ${place.line}:${place.column}: ${message}`
}
