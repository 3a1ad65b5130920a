// Loads the state of a worker: its Job is a child, and its pods are found by label.
import { childNamed, Job, type LiveObject, type LiveReader, Pod } from '../../index.ts'
import { type WorkerRun, workerRun } from './worker-run.ts'

/** Label on worker pods; its value is the name of their Job. */
export const workerLabel = 'data.konverge.dev/migration-worker'
/** Annotation on worker pods: the name of the Migration, which may be too long for a label. */
export const workerAnnotation = 'data.konverge.dev/migration'

interface RunPlace {
  readonly object: Pick<LiveObject, 'metadata'>
  readonly children: readonly LiveObject[]
  readonly live: LiveReader
  readonly nowMs: number
}

export async function loadRun({ children, live, object, nowMs }: RunPlace, name: string): Promise<WorkerRun> {
  const job = childNamed({ object, children }, Job, name)
  if (job === undefined) return { kind: 'none' }
  const { namespace } = object.metadata
  return workerRun(job, await live.list(Pod, { namespace, labels: { [workerLabel]: name } }), nowMs)
}
