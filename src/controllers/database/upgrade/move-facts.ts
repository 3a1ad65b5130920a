// What must be known of the cluster besides both servers while a Database moves, step by step? Small JSON facts.
import type { WorkerRun } from '../../migration/worker-run.ts'
import type { OwnBackup, OwnBackupStanding } from '../own-backup.ts'
import type { PrepareJob } from './prepare-job.ts'

export interface MoveFacts {
  /** While the backup before it is due. */
  readonly snapshot?: { readonly backup: OwnBackup | undefined; readonly standing: OwnBackupStanding }
  /** While roles and schema of the new server are due, or all its rows, and both servers can be reached. */
  readonly prepare?: { readonly job: PrepareJob; readonly run: WorkerRun }
  /** Who is at work in the database, so that its schema is not copied yet: `Migration v1`. */
  readonly others: readonly string[]
  /** Is there a volume of the new server? */
  readonly hasNextClaim: boolean
}
