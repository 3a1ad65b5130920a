// Facts about the cluster during a Database's move, besides both servers, as small JSON values.
import type { WorkerRun } from '../../migration/worker-run.ts'
import type { OwnBackup, OwnBackupState } from '../own-backup.ts'
import type { PrepareJob } from './prepare-job.ts'

export interface MoveFacts {
  /** During the backup before the move. */
  readonly snapshot?: { readonly backup: OwnBackup | undefined; readonly standing: OwnBackupState }
  /** During creation of roles and schema on the target server, or of all its rows, if both servers are reachable. */
  readonly prepare?: { readonly job: PrepareJob; readonly run: WorkerRun }
  /** Resources that work in the database, so that its schema is not copied yet, e.g. `Migration v1`. */
  readonly others: readonly string[]
  /** The volume of the target server exists. */
  readonly hasNextClaim: boolean
}
