// Facts about a Database's restores that its children and status depend on, as small JSON values.
import type { LiveObject } from '../../../index.ts'
import type { DesiredWork } from '../../backup/desired-work.ts'
import type { WorkRun } from '../../backup/work-run.ts'
import type { RestoreState } from './restore-state.ts'
import type { InstanceOrigin } from './snapshot-restore.ts'

export interface RestoreFacts extends RestoreState {
  readonly worker?: RestoreWorker
  /** Source of a new RDS instance. Absent: it starts empty, or exists. */
  readonly origin?: InstanceOrigin
  /** Other children of a Database that is being deleted, which the worker may need. */
  readonly kept: readonly Pick<LiveObject, 'apiVersion' | 'kind' | 'metadata'>[]
  /** The database must not be created or managed before the restore it bootstraps from. */
  readonly isAwaited: boolean
  /** The server in the cluster must not start either: its volume is filled first, or its source is not known yet. */
  readonly isServerHeld: boolean
  /** The volume must exist, to be filled. */
  readonly isFilled: boolean
}

/** The required worker. */
export interface RestoreWorker {
  readonly wish: DesiredWork
  /** Example: `restore r1`. */
  readonly mark: string
  readonly run: WorkRun
  /** Another worker is still active, or this one would only fail again. */
  readonly isSuspended: boolean
}
