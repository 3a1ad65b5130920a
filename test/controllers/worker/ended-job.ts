// Fixture: the end of a worker's Job without a node: a pod with a termination message, and the conditions of the Job.
import { exitCodeOf, type WorkReport } from '../../../src/controllers/backup/work-report.ts'
import { reportText } from '../../../src/controllers/worker/termination-message.ts'
import { Job, type LiveObject, Pod, type Resource, valueAt } from '../../../src/index.ts'
import type { TestCluster } from '../../../src/testing/index.ts'

export interface WorkerEnd {
  readonly message: string
  readonly exitCode: number
  /** No retry follows; after exit code 0 none follows anyway. */
  readonly isLast: boolean
  /** The Job exceeded its deadline. */
  readonly isLate?: true
}

/** A worker that requests no retry leaves its Job active, with a failed pod; if it dies, all of its tries fail. */
export function endOf(report: WorkReport | 'dies' | 'late'): WorkerEnd {
  if (report === 'late') return { message: '', exitCode: 143, isLast: true, isLate: true }
  if (report === 'dies') return { message: '', exitCode: 137, isLast: true }
  const exitCode = exitCodeOf(report)
  return { message: reportText(report), exitCode, isLast: exitCode !== 2 }
}

export async function endJob(cluster: TestCluster, job: LiveObject, end: WorkerEnd) {
  const { message, exitCode, isLast, isLate = false } = end
  const { name, namespace = '', uid } = job.metadata
  const finishedAt = new Date(cluster.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  const template = valueAt(job, 'spec', 'template') as { metadata?: object; spec?: object } // A Job has this form.
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }
  const pods = (await cluster.list(Pod, namespace)).filter(({ metadata }) => metadata.name.startsWith(`${name}-`))
  const pod = `${name}-${pods.length + 1}`
  await cluster.create(Pod, {
    metadata: { ...template.metadata, name: pod, namespace, ownerReferences: [owner] },
    spec: {
      ...template.spec,
      initContainers: [],
      containers: [{ name: 'worker', image: 'konverge:test' }],
      volumes: [],
    },
  })
  const terminated = { message, exitCode, finishedAt, startedAt: finishedAt, reason: 'Ended', containerID: '' }
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
  const conditions = (types: readonly string[], reason: string) => ({
    conditions: types.map((type) => ({ type, status: 'True', reason, message: 'm', lastTransitionTime: finishedAt })),
  })
  const failed = pods.length + Number(exitCode !== 0)
  // The first try set it; it stays unchanged.
  const now = (await cluster.find(Job, `${namespace}/${name}`)) ?? job
  const startTime = valueAt(now, 'status', 'startTime') ?? finishedAt
  if (exitCode === 0) {
    const done = conditions(['SuccessCriteriaMet', 'Complete'], 'CompletionsReached')
    await tell(Job, name, { startTime, completionTime: finishedAt, succeeded: 1, ...done })
  } else {
    const reason = isLate ? 'DeadlineExceeded' : 'BackoffLimitExceeded'
    const over = isLast ? conditions(['FailureTarget', 'Failed'], reason) : {}
    await tell(Job, name, { startTime, failed, ...over })
  }
}
