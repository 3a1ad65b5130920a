// Which objects does a Database need for its move, besides both servers? The backup before it, and the worker that makes the schema, each
// while its step is due. Pure.
import type { ApiObject, Chart } from 'cdk8s'
import { readyWhen, waitForReady } from '../../../index.ts'
import { declareOwnBackup } from '../own-backup.ts'
import type { MoveFacts } from './move-facts.ts'
import { declarePrepareJob } from './prepare-job.ts'

export interface DesiredMove {
  readonly move: MoveFacts | undefined
  readonly image: string
  /** The server that serves. */
  readonly server: ApiObject | undefined
}

export function desiredMove(chart: Chart, { move, image, server }: DesiredMove): void {
  const backup = move?.snapshot?.backup
  if (backup !== undefined) {
    const child = declareOwnBackup(chart, backup)
    // The step waits for it, and tells how it is; the Database does not.
    readyWhen(child, () => true)
    // With the version comes what may have the server begin anew, which would end its worker's tries.
    if (server !== undefined) waitForReady(child, server)
  }
  if (move?.prepare !== undefined) declarePrepareJob(chart, { ...move.prepare, image })
}
