// Review of the text of steps, before anything runs: findings reject a step; blind spots are places where only the server sees what
// is done. Invariant: however long a text is, its findings are few and short, as they are shown in a condition.
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
  /** The review of the step exceeds its limit of memory or time. */
  | 'StepTooComplex'
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

/** Pure, and as expensive as the text makes it. */
export type ReviewSteps = (steps: readonly MigrationStep[], rules: ReviewRules) => StepReview

/** The same within limits of memory and time. Rejects if the review could not be started, which may pass. */
export type StepReviewer = (
  steps: readonly MigrationStep[],
  rules: ReviewRules,
  signal: AbortSignal,
) => Promise<StepReview>

export interface ReviewRequest {
  /** Namespaces take turns. */
  readonly namespace: string
  readonly steps: readonly MigrationStep[]
  readonly rules: ReviewRules
  /** The user asked to repeat it, whatever is remembered of it. */
  readonly isRepeated: boolean
}

/** Undefined: the review is under way, or others come first; ask again later. Rejects as a StepReviewer does. */
export type QueuedReviewer = (request: ReviewRequest, signal: AbortSignal) => Promise<StepReview | undefined>

/** For each text of a step: most findings, and most blind spots. */
export const mostFindings = 20
/** Characters. Messages quote the text. */
const longestMessage = 300

export interface ReviewRules {
  /** Every step with SQL has to say how it is verified. */
  readonly requiresVerify: boolean
}

/** `step add-index, sql 3:7: …` */
export function findingText({ message, place }: Finding | BlindSpot): string {
  return `step ${place.step}, ${place.part} ${place.line}:${place.column}: ${message}`
}

export function shortMessage(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage).toWellFormed()}…`
}

/** Findings in one text, of which the first few are shown. */
export function findingsText(findings: readonly Finding[]): string {
  const shown = findings.slice(0, mostFindings).map(findingText).join('; ')
  return findings.length > mostFindings ? `${shown}; and ${findings.length - mostFindings} more` : shown
}
