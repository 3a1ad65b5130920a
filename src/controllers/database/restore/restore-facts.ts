// What has to be known of the restores of a Database before its children are made and its status told? Small JSON facts.
import type { LiveObject } from '../../../index.ts'
import type { WorkRun } from '../../backup/work-run.ts'
import type { WorkWish } from '../../backup/work-wish.ts'
import type { RestoreStanding } from './restore-standing.ts'
import type { InstanceOrigin } from './snapshot-restore.ts'

export interface RestoreFacts extends RestoreStanding {
  readonly worker?: RestoreWorker
  /** With what an instance of RDS begins; absent: empty, or it is there. */
  readonly origin?: InstanceOrigin
  /** Other children of a Database that goes, which the worker may need. */
  readonly kept: readonly Pick<LiveObject, 'apiVersion' | 'kind' | 'metadata'>[]
  /** Nothing may be made or looked after before it: the database is only to begin with what is restored. */
  readonly isAwaited: boolean
  /** Nor the server in the cluster: its volume is filled first, or it is not known yet what it begins with. */
  readonly isServerHeld: boolean
  /** There has to be a volume, for it to be filled. */
  readonly isFilled: boolean
}

/** A worker that there is to be. */
export interface RestoreWorker {
  readonly wish: WorkWish
  /** `restore r1` */
  readonly mark: string
  readonly run: WorkRun
  /** Another one is still at work, or this one would say the same again. */
  readonly isSuspended: boolean
}
