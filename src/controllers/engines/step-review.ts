// Review of the text of steps before they run. Findings reject a step; blind spots are code that only the server can
// evaluate. Invariant: findings are few and short, however long a text is, because a condition shows them.
import type { MigrationStep } from './migration-step.ts'

export type FindingCode =
  | 'ParseError'
  | 'EmptyStep'
  /** BEGIN, COMMIT and similar statements. A step and its applied marker have to be one transaction. */
  | 'TransactionControlInStep'
  /** The statement cannot run in a transaction, and the step has `transaction: true`. */
  | 'NotInTransaction'
  /** A step with `transaction: false` has more than one statement. */
  | 'MoreThanOneStatement'
  /** Without a name, leftovers of an interrupted CREATE INDEX CONCURRENTLY cannot be found. */
  | 'IndexNameMissing'
  | 'VerifyMissing'
  | 'VerifyNotAQuery'
  /** Programs and files of the server. */
  | 'ServerAccess'
  /** COPY FROM STDIN or TO STDOUT: the client sends and receives no rows. */
  | 'CopyWithClient'
  | 'AlterSystem'
  | 'ClearPassword'
  /** A setting that outlives the transaction. */
  | 'SessionSetting'
  /** SET ROLE and the like: the step may not choose its role. */
  | 'RoleChange'
  /** Locks that outlive the transaction. Such a lock protects the migration itself. */
  | 'SessionLock'
  /** The review of the step exceeds its limit of memory or time. */
  | 'StepTooComplex'
  /** Schema `_konverge` holds the applied markers. */
  | 'ReservedSchema'

export interface Finding {
  readonly code: FindingCode
  readonly message: string
  readonly place: TextPlace
}

/** Code that the review cannot evaluate. It rejects nothing. */
export interface BlindSpot {
  readonly message: string
  readonly place: TextPlace
}

/** Line and column from 1; columns in characters. */
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

/** Pure. The cost depends on the text. */
export type ReviewSteps = (steps: readonly MigrationStep[], rules: ReviewRules) => StepReview

/** Reviews within limits of memory and time. Rejects if the review could not start, which may be transient. */
export type StepReviewer = (
  steps: readonly MigrationStep[],
  rules: ReviewRules,
  signal: AbortSignal,
) => Promise<StepReview>

export interface ReviewRequest {
  /** Namespaces are served in turn. */
  readonly namespace: string
  readonly steps: readonly MigrationStep[]
  readonly rules: ReviewRules
  /** The user requested a repetition, despite a remembered review. */
  readonly isRepeated: boolean
}

/** Undefined: the review is running or queued; ask again later. Rejects like a StepReviewer. */
export type QueuedReviewer = (request: ReviewRequest, signal: AbortSignal) => Promise<StepReview | undefined>

/** Maximum number of findings, and of blind spots, in each text of a step. */
export const mostFindings = 20
/** Characters. Messages quote the text. */
const longestMessage = 300

export interface ReviewRules {
  /** Requires every step with SQL to have `verify`. */
  readonly requiresVerify: boolean
}

/** Example: `step add-index, sql 3:7: …`. */
export function findingText({ message, place }: Finding | BlindSpot): string {
  return `step ${place.step}, ${place.part} ${place.line}:${place.column}: ${message}`
}

export function shortMessage(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage).toWellFormed()}…`
}

/** Returns the first few findings of one text. */
export function findingsText(findings: readonly Finding[]): string {
  const shown = findings.slice(0, mostFindings).map(findingText).join('; ')
  return findings.length > mostFindings ? `${shown}; and ${findings.length - mostFindings} more` : shown
}
