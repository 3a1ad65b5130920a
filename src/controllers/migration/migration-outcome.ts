// Outcome and events of a migration run. Invariant: they contain no rows or secrets.
import type { CopyProgress, StepFailure } from '../engines/migration-target.ts'
import type { Finding } from '../engines/step-review.ts'
import type { RejectionReason } from './migration-plan.ts'

export type MigrationOutcome =
  /** Each step is applied, and verified if it has a verification. */
  | { readonly kind: 'Completed' }
  /** No step was run: the findings prevent it. */
  | { readonly kind: 'Invalid'; readonly findings: readonly Finding[] }
  /** No step was run: its test in a transaction that was rolled back failed. */
  | { readonly kind: 'RehearsalFailed'; readonly step: string; readonly failure: StepFailure }
  | { readonly kind: 'AwaitingApproval'; readonly plan: string }
  /** The markers in the database contradict the steps. */
  | { readonly kind: 'Refused'; readonly reason: RejectionReason; readonly step: string; readonly message: string }
  /**
   * It is retried only if the steps change or a user requests it. The marker records it, unless the verification query
   * itself failed.
   */
  | {
      readonly kind: 'Failed'
      readonly step: string
      readonly failure: StepFailure
      readonly reason?: 'VerifyFailed'
    }
  | { readonly kind: 'LockedByOther'; readonly holder: string }
  /**
   * Pre-delete run: no step was started and no replication is left. `left`: sentences about sources that are unknown.
   */
  | { readonly kind: 'Parted'; readonly left: readonly string[] }

export type MigrationEvent =
  | { readonly kind: 'begun' | 'applied' | 'adopted' | 'undone'; readonly step: string }
  | { readonly kind: 'failed'; readonly step: string; readonly failure: StepFailure }
  | ({ readonly kind: 'copied' } & CopyProgress)
  /** The connection to the database was lost; the run retries. */
  | { readonly kind: 'lost'; readonly message: string }
