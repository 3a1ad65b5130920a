// What does a node leave of a worker's Job? A pod with the worker's last words, and the conditions of the Job: said by a hand, where no node is.
import { exitCodeOf, type WorkReport } from '../../../src/controllers/backup/work-report.ts'
import { reportText } from '../../../src/controllers/worker/termination-message.ts'
import { Job, type LiveObject, Pod, type Resource, valueAt } from '../../../src/index.ts'
import type { TestCluster } from '../../../src/testing/index.ts'

/** One that asks for no other try leaves its Job at work, with a pod that has failed. */
export async function endJob(cluster: TestCluster, job: LiveObject, report: WorkReport): Promise<void> {
  const { name, namespace = '', uid } = job.metadata
  const finishedAt = new Date(cluster.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  const exitCode = exitCodeOf(report)
  const template = valueAt(job, 'spec', 'template') as { metadata?: object; spec?: object } // A Job's.
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }
  const pod = `${name}-1`
  await cluster.create(Pod, {
    metadata: { ...template.metadata, name: pod, namespace, ownerReferences: [owner] },
    spec: { ...template.spec, containers: [{ name: 'worker', image: 'konverge:test' }], volumes: [] },
  })
  const told = { message: reportText(report), exitCode, finishedAt, startedAt: finishedAt }
  const terminated = { ...told, reason: 'Ended', containerID: '' }
  const container = { name: 'worker', ready: false, restartCount: 0, image: 'i', imageID: 'i', state: { terminated } }
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed'
  const tell = (resource: Resource, of: string, status: object) =>
    cluster.client.patch(
      resource,
      { namespace, name: of },
      { type: 'merge', body: JSON.parse(JSON.stringify({ status })) },
      { fieldManager: 'test', subresource: 'status' },
      new AbortController().signal,
    )
  await tell(Pod, pod, { phase, containerStatuses: [container] })
  if (exitCode !== 0) {
    await tell(Job, name, { startTime: finishedAt, failed: 1 })
    return
  }
  const condition = { status: 'True', reason: 'CompletionsReached', message: 'm', lastTransitionTime: finishedAt }
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ ...condition, type }))
  await tell(Job, name, { startTime: finishedAt, completionTime: finishedAt, succeeded: 1, conditions })
}
