// Where is written how far a migration came? In the database that it changes, by the transaction that changed it; this port reads and
// writes that truth, and carries out one step. One session holds a migration's lock from `take` to `close`, and everything goes
// through it, so that what comes after a lost session can only be another `take`. Every method may reject with an
// EngineError, and those that run a step's text with a StepError.
import type { CopyStep, MigrationStep, SqlStep, VerifyQuery } from './migration-step.ts'

/** What the database knows of a step. */
export interface StepMark {
  readonly name: string
  /** Its place when it was begun, from 1. */
  readonly ordinal: number
  readonly state: MarkState
  /** Of what was run last: text and kind. */
  readonly checksum: string
  /** The plan that it was begun for, or failed for before that: all steps, with their limits and their ways back. */
  readonly plan: string
  /** Begun so often for the same plan and token. */
  readonly attempts: number
  /** The user's word that it may be tried again. */
  readonly token: string
  /** The step since which its verification need not hold any more. */
  readonly supersededBy: string | undefined
  readonly failure: StepFailure | undefined
}

/**
 * - `Running`: an attempt has begun. In a transaction, it had no effect; outside one, nobody knows, nor of `Failed`.
 * - `Applied`, `Adopted`: done by a step, or found done, by whomever.
 * - `Undone`: taken back; as if it had never been.
 * - `Failed`, `UndoFailed`: not tried again for the same plan and token.
 */
export type MarkState = 'Running' | 'Applied' | 'Adopted' | 'Undone' | 'Failed' | 'UndoFailed'

export interface StepFailure {
  readonly sqlState: string | undefined
  /** The server's own, without its detail. */
  readonly message: string
}

/** Begun, and written down as such before anything else happens. */
export interface StepAttempt<Step extends MigrationStep = MigrationStep> {
  readonly step: Step
  readonly ordinal: number
  readonly checksum: string
  readonly plan: string
  readonly token: string
  readonly attempt: number
  /** Applied before it, and still held to their word. Those that no longer hold after it are superseded by it. */
  readonly earlier: readonly { readonly name: string; readonly verify: VerifyQuery }[]
}

export type Taken =
  | { readonly kind: 'held'; readonly target: MigrationTarget }
  /** By another session of this name. */
  | { readonly kind: 'lockedByOther'; readonly holder: string }

export interface MigrationTarget {
  marks(): Promise<readonly StepMark[]>
  /** Removes what interrupted attempts of a step left behind, so that its verification sees only what is whole. */
  clean(step: MigrationStep): Promise<void>
  /** In a transaction that only reads. */
  holds(verify: VerifyQuery, limits: { readonly timeoutMs: number; readonly lockTimeoutMs: number }): Promise<boolean>
  begin(attempt: StepAttempt): Promise<void>
  /**
   * Replications that earlier attempts began, and with which none of these steps would go on, are removed on both sides. Gives a sentence
   * for each whose source is not known any more, and of which a part is left there.
   */
  forsake(steps: readonly { readonly name: string; readonly checksum: string }[]): Promise<readonly string[]>
  /** As `forsake`, of all of them. What is left at a source that is not known stays written down, so that it can be removed once it is. */
  part(): Promise<readonly string[]>
  /** Effect and mark in one transaction; outside of one, effect, verification, mark. What an earlier attempt left is removed first. */
  applySql(attempt: StepAttempt<SqlStep>): Promise<void>
  /** From the watermark on; each batch and its watermark are one transaction. Or goes on with the replication that is there. */
  applyCopy(attempt: StepAttempt<CopyStep>, onProgress: (progress: CopyProgress) => void): Promise<void>
  /** Found done, or asserted: it is verified already, and only the mark is written. Earlier ones are asked again. */
  adopt(attempt: StepAttempt, as: 'Applied' | 'Adopted'): Promise<void>
  fail(attempt: StepAttempt, failure: StepFailure): Promise<void>
  /** The step's way back, if it has one, and its mark in one transaction. */
  undo(step: MigrationStep): Promise<void>
  /** Not tried again for the same token. */
  failUndo(step: MigrationStep, failure: StepFailure, token: string): Promise<void>
  /** All in one transaction, which is rolled back. Says which one failed. */
  rehearse(steps: readonly SqlStep[]): Promise<{ readonly step: string; readonly failure: StepFailure } | undefined>
  /** Lets the lock go. Never rejects. */
  close(): Promise<void>
}

export interface CopyProgress {
  readonly step: string
  readonly rowsCopied: number
  /** 0 to 99, by what the source believes to hold; undefined if it has no idea. */
  readonly percent: number | undefined
}
