// Port to the database that a migration changes. Progress is stored in that database, by the same transaction as the
// change. This port reads and writes progress, and runs one step. Invariant: one session holds the migration's lock
// from `take` to `close`, and runs all statements. A lost session therefore requires a new `take`. Every method may
// reject with an EngineError, and methods that run a step's text also with a StepError.
import type { CopyStep, MigrationStep, SqlStep, VerifyQuery } from './migration-step.ts'

/** Applied marker of a step in the database. */
export interface StepMark {
  readonly name: string
  /** Position of the step when it started, from 1. */
  readonly ordinal: number
  readonly state: MarkState
  /** Checksum of the text and kind of the last run. */
  readonly checksum: string
  /** Plan at the start of the step, or of an earlier failure: all steps with limits and rollbacks. */
  readonly plan: string
  /** Number of attempts with this plan and token. */
  readonly attempts: number
  /** The user's token that allows a retry. */
  readonly token: string
  /** Step after which the verification of this step no longer has to hold. */
  readonly supersededBy: string | undefined
  readonly failure: StepFailure | undefined
}

/**
 * - `Running`: an attempt has started. In a transaction it had no effect; outside one the effect is unknown, also after
 * `Failed`.
 * - `Applied`, `Adopted`: a step did it, or found it already done.
 * - `Undone`: rolled back, as if never applied.
 * - `Failed`, `UndoFailed`: not retried with the same plan and token.
 */
export type MarkState = 'Running' | 'Applied' | 'Adopted' | 'Undone' | 'Failed' | 'UndoFailed'

export interface StepFailure {
  readonly sqlState: string | undefined
  /** The server's message, without its detail. */
  readonly message: string
}

/** An attempt. Its start is recorded before any effect. */
export interface StepAttempt<Step extends MigrationStep = MigrationStep> {
  readonly step: Step
  readonly ordinal: number
  readonly checksum: string
  readonly plan: string
  readonly token: string
  readonly attempt: number
  /**
   * Earlier applied steps whose verification still holds. A verification that fails after this step is superseded by
   * it.
   */
  readonly earlier: readonly { readonly name: string; readonly verify: VerifyQuery }[]
}

export type MigrationClaim =
  | { readonly kind: 'held'; readonly target: MigrationTarget }
  /** Another session of this name holds the lock. */
  | { readonly kind: 'lockedByOther'; readonly holder: string }

export interface MigrationTarget {
  marks(): Promise<readonly StepMark[]>
  /** Removes leftovers of interrupted attempts of a step, so that its verification sees only complete effects. */
  clean(step: MigrationStep): Promise<void>
  /** Runs in a read-only transaction. */
  holds(verify: VerifyQuery, limits: { readonly timeoutMs: number; readonly lockTimeoutMs: number }): Promise<boolean>
  begin(attempt: StepAttempt): Promise<void>
  /**
   * Removes replications of earlier attempts that none of these steps would continue, on both servers. Returns a
   * sentence for each replication whose source is unknown, and which therefore leaves objects there.
   */
  forsake(steps: readonly { readonly name: string; readonly checksum: string }[]): Promise<readonly string[]>
  /**
   * Like `forsake`, for all replications. Objects at an unknown source stay recorded, so that they can be removed
   * later.
   */
  part(): Promise<readonly string[]>
  /**
   * Commits effect and marker in one transaction. Outside a transaction: effect, verification, marker. First removes
   * leftovers of an earlier attempt.
   */
  applySql(attempt: StepAttempt<SqlStep>): Promise<void>
  /**
   * Copies from the watermark; each batch and its watermark are one transaction. Or continues an existing replication.
   */
  applyCopy(attempt: StepAttempt<CopyStep>, onProgress: (progress: CopyProgress) => void): Promise<void>
  /** Records a step that is verified already: found done, or asserted. Verifies earlier steps again. */
  adopt(attempt: StepAttempt, as: 'Applied' | 'Adopted'): Promise<void>
  fail(attempt: StepAttempt, failure: StepFailure): Promise<void>
  /** Runs the step's rollback, if it has one, and updates its marker in one transaction. */
  undo(step: MigrationStep): Promise<void>
  /** Records a failed rollback, which is not retried with the same token. */
  failUndo(step: MigrationStep, failure: StepFailure, token: string): Promise<void>
  /** Runs all steps in one transaction and rolls it back. Returns the step that failed, if any. */
  rehearse(steps: readonly SqlStep[]): Promise<{ readonly step: string; readonly failure: StepFailure } | undefined>
  /** Releases the lock. Never rejects. */
  close(): Promise<void>
}

export interface CopyProgress {
  readonly step: string
  readonly rowsCopied: number
  /** 0 to 99, from the source's row estimates. Undefined without an estimate. */
  readonly percent: number | undefined
}
