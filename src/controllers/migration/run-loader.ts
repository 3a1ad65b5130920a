// How is a worker doing? Its Job is a child, and its pods are looked up by their label.
import { childNamed, Job, type LiveObject, type LiveReader, Pod } from '../../index.ts'
import { type WorkerRun, workerRun } from './worker-run.ts'

/** On the pods of workers; its value is the name of their Job. */
export const workerLabel = 'data.konverge.dev/migration-worker'
/** On the same: the name of the Migration, which may be too long for a label. */
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
