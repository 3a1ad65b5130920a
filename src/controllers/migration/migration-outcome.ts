// How did a run of a migration end, and what is told of it on the way? Values without rows or secrets.
import type { CopyProgress, StepFailure } from '../engines/migration-target.ts'
import type { Finding } from '../engines/step-review.ts'
import type { RefusalReason } from './migration-plan.ts'

export type MigrationOutcome =
  /** Every step is applied, and verified where it says how. */
  | { readonly kind: 'Completed' }
  /** Nothing was run: this is what the steps say that no step may. */
  | { readonly kind: 'Invalid'; readonly findings: readonly Finding[] }
  /** Nothing was run: it was tried in a transaction that was taken back, and this failed there. */
  | { readonly kind: 'RehearsalFailed'; readonly step: string; readonly failure: StepFailure }
  | { readonly kind: 'AwaitingApproval'; readonly plan: string }
  /** The database and the steps disagree about what was applied. */
  | { readonly kind: 'Refused'; readonly reason: RefusalReason; readonly step: string; readonly message: string }
  /** Not tried again until the steps change or somebody asks for it. The mark of the step says so, unless its verification could not be asked. */
  | {
      readonly kind: 'Failed'
      readonly step: string
      readonly failure: StepFailure
      readonly reason?: 'VerifyFailed'
    }
  | { readonly kind: 'LockedByOther'; readonly holder: string }
  /** No step was begun, and nothing follows any more; but for these sentences, each about a source that is not known. */
  | { readonly kind: 'Parted'; readonly left: readonly string[] }

export type MigrationNews =
  | { readonly kind: 'begun' | 'applied' | 'adopted' | 'undone'; readonly step: string }
  | { readonly kind: 'failed'; readonly step: string; readonly failure: StepFailure }
  | ({ readonly kind: 'copied' } & CopyProgress)
  /** The way to the database was lost, and is tried again. */
  | { readonly kind: 'lost'; readonly message: string }
