// Which objects does a Database need for its move, besides both servers? The backup before it, and the worker that makes the schema, each
// while its step is due. Pure.
import type { Chart } from 'cdk8s'
import { readyWhen } from '../../../index.ts'
import { declareOwnBackup } from '../own-backup.ts'
import type { MoveFacts } from './move-facts.ts'
import { declarePrepareJob } from './prepare-job.ts'

export function desiredMove(chart: Chart, move: MoveFacts | undefined, image: string): void {
  const backup = move?.snapshot?.backup
  // The step waits for it, and tells how it is; the Database does not.
  if (backup !== undefined) readyWhen(declareOwnBackup(chart, backup), () => true)
  if (move?.prepare !== undefined) declarePrepareJob(chart, { ...move.prepare, image })
}
