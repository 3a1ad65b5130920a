// Children of a restore: the Job of its current worker, with the worker's job spec.
import { ApiObject, type Chart } from 'cdk8s'
import { databaseUserId, WorkerJob } from '../../../../constructs/index.ts'
import { hold, initialOnly, readyWhen } from '../../../index.ts'
import { firstWork } from '../../backup/desired-work.ts'
import type { DatabaseObject } from '../server-connection.ts'
import { jobAnnotation, workAnnotation, workerLabel } from './desired-restore-work.ts'
import type { RestoreFacts } from './restore-facts.ts'

export function addRestoreWorker(
  chart: Chart,
  { worker }: RestoreFacts,
  { object, image }: { readonly object: DatabaseObject; readonly image: string },
): ApiObject | undefined {
  if (worker === undefined) return undefined
  const { wish, mark, isSuspended } = worker
  const {
    name,
    work,
    text: order,
    digest: orderDigest,
    credentials,
    storeClaim,
    dataClaim,
    deadlineSeconds,
    scratchLimit,
    sealedWork,
  } = wish
  const { job } = new WorkerJob(chart, work, {
    ...{ name, image, work: firstWork(wish), order, orderDigest, credentials, deadlineSeconds, isSuspended },
    ...(storeClaim === undefined ? {} : { storeClaim }),
    ...(dataClaim === undefined ? {} : { dataClaim, userId: databaseUserId }),
    scratchLimit,
    ...(sealedWork === undefined ? {} : { sealedWork }),
    retries: 6,
    labels: { [workerLabel]: object.metadata.uid },
    annotations: { [jobAnnotation]: name, [workAnnotation]: mark },
  })
  // A Job's template is immutable, and another image does not justify another run.
  initialOnly(job, 'spec.template')
  // Always ready: the database serves meanwhile, and the worker's report says what happened.
  readyWhen(job, () => true)
  return job
}

/** Declares the children before the deletion of a Database: its server stays unchanged meanwhile. */
export function declareRestorePreDelete(
  chart: Chart,
  facts: RestoreFacts,
  context: { readonly object: DatabaseObject; readonly image: string },
): void {
  for (const { apiVersion, kind, metadata } of facts.kept) {
    const { name } = metadata
    const child = new ApiObject(chart, `${kind}-${name}`, { apiVersion, kind, metadata: { name } })
    hold(child, 'stays until what a restore has left is removed')
  }
  addRestoreWorker(chart, facts, context)
}
