// Objects of a Database's move besides its servers: the Backup before it, and the worker that creates the schema, each
// during its step. Pure.
import type { ApiObject, Chart } from 'cdk8s'
import { readyWhen, waitForReady } from '../../../index.ts'
import { declareOwnBackup } from '../own-backup.ts'
import type { MoveFacts } from './move-facts.ts'
import { declarePrepareJob } from './prepare-job.ts'

export interface DesiredMove {
  readonly move: MoveFacts | undefined
  readonly image: string
  /** The serving server. */
  readonly server: ApiObject | undefined
}

export function desiredMove(chart: Chart, { move, image, server }: DesiredMove): void {
  const backup = move?.snapshot?.backup
  if (backup !== undefined) {
    const child = declareOwnBackup(chart, backup)
    // The step waits for it and reports its state. The Database does not wait.
    readyWhen(child, () => true)
    // A new version may restart the server, which would end attempts of its worker.
    if (server !== undefined) waitForReady(child, server)
  }
  if (move?.prepare !== undefined) declarePrepareJob(chart, { ...move.prepare, image })
}
