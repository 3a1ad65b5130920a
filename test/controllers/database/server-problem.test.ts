// Problems of an in-cluster server that does not start, from its pod; and a failed rollout that continues after a
// change of the spec.
// The cluster has no nodes: the test writes what a kubelet or a scheduler would write into the pod.
import { expect, it, onTestFinished } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { fastClass } from '../../../src/cli/dev/sample-objects.ts'
import { database } from '../../../src/controllers/database/database.ts'
import { schedulingGraceMs } from '../../../src/controllers/stateful-set/pod-problem.ts'
import { Pod, StatefulSet, StorageClass } from '../../../src/index.ts'
import { startCluster, type TestCluster } from '../../../src/testing/index.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { noServer } from './databases.ts'

const [db, server, pod] = ['default/own', 'default/own-postgres', 'default/own-postgres-0']
const signal = new AbortController().signal

async function clusterWithDatabase(image?: string): Promise<TestCluster> {
  const cluster = await startCluster({ definitions: await flagshipDefinitions() })
  onTestFinished(() => cluster.stop())
  cluster.run(database(() => noServer))
  const storage = { size: '1Gi', storageClassName: 'fast' }
  const provider = { inCluster: { storage, ...(image === undefined ? {} : { image }) } }
  await cluster.create(Database, { metadata: { name: 'own' }, spec: { version: '18', provider } })
  return cluster
}

async function clusterWithPod(image?: string): Promise<TestCluster> {
  const cluster = await clusterWithDatabase(image)
  await cluster.create(StorageClass, fastClass)
  await cluster.advance(10_000)
  expect(await cluster.find(Pod, pod)).toBeDefined()
  return cluster
}

async function writeStatus(cluster: TestCluster, status: object): Promise<void> {
  const body = JSON.parse(JSON.stringify({ status }))
  const options = { fieldManager: 'kubelet', subresource: 'status' } as const
  const place = { namespace: 'default', name: 'own-postgres-0' }
  await cluster.client.patch(Pod, place, { type: 'merge', body }, options, signal)
}

const waiting = (reason: string, message: string) => ({
  containerStatuses: [
    {
      ...{ name: 'postgres', image: 'postgres:18', imageID: '', ready: false, restartCount: 0 },
      state: { waiting: { reason, message } },
    },
  ],
})

async function told(cluster: TestCluster, type: string): Promise<string> {
  const { status, reason, message } = (await cluster.condition(Database, db, type)) ?? {}
  return `${status} ${reason}: ${message}`
}

it.each([
  {
    title: 'whose image cannot be pulled',
    status: waiting('ImagePullBackOff', 'not found'),
    reason: 'ImagePullFailed',
    message: 'pod own-postgres-0 cannot get image postgres:18: not found',
  },
  {
    title: 'that crashes again and again',
    status: waiting('CrashLoopBackOff', 'back-off 5m0s'),
    reason: 'ServerCrashLooping',
    message: 'pod own-postgres-0 crashes again and again: back-off 5m0s',
  },
])('a Database reports a pod $title', async ({ status, reason, message }) => {
  const cluster = await clusterWithPod()
  expect(await told(cluster, 'Ready')).toMatch(/^False Creating: /)
  await writeStatus(cluster, status)
  await cluster.advance(2_000)
  expect(await told(cluster, 'Ready')).toBe(`False ${reason}: the server is not ready: ${message}`)
  expect(await told(cluster, 'Provisioned')).toBe(`False ${reason}: the server is not ready: ${message}`)
  await writeStatus(cluster, { containerStatuses: [] })
  await cluster.advance(2_000)
  expect(await told(cluster, 'Ready')).toMatch(/^False Creating: /)
})

it('a Database reports a pod that fits on no node, after a delay', async () => {
  const cluster = await clusterWithPod()
  const lastTransitionTime = new Date(cluster.clock.now()).toISOString().replace(/\.\d+/, '')
  const message = '0/3 nodes are available: 3 Insufficient cpu.'
  const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime }
  await writeStatus(cluster, { conditions: [unscheduled] })
  await cluster.advance(schedulingGraceMs / 2)
  expect(await told(cluster, 'Ready')).toMatch(/^False Creating: /)
  await cluster.advance(schedulingGraceMs)
  expect(await told(cluster, 'Ready')).toBe(
    `False Unschedulable: the server is not ready: pod own-postgres-0 cannot be scheduled: ${message}`,
  )
})

it('a Database reports a missing StorageClass, and continues when it exists', async () => {
  const cluster = await clusterWithDatabase()
  await cluster.advance(10_000)
  expect(await told(cluster, 'Ready')).toBe(`False InvalidSpec: StorageClass 'fast' not found`)
  expect(await told(cluster, 'Stalled')).toMatch(/^True InvalidSpec: /)
  expect(await cluster.find(StatefulSet, server)).toBeUndefined()
  await cluster.create(StorageClass, fastClass)
  await cluster.advance(5_000)
  expect(await cluster.find(StatefulSet, server)).toBeDefined()
  // Its volume is bound or is being bound, so the class is no longer needed.
  await cluster.delete(StorageClass, 'fast')
  await cluster.advance(5_000)
  expect(await told(cluster, 'Ready')).toMatch(/^False Creating: /)
})

it('a Database replaces a pod with a bad image once the image is corrected', async () => {
  const cluster = await clusterWithPod('mirror.example/postgres:typo')
  await writeStatus(cluster, waiting('ImagePullBackOff', 'not found'))
  await cluster.patch(Database, db, { spec: { provider: { inCluster: { image: 'mirror.example/postgres:18' } } } })
  await cluster.advance(120_000)
  const found = await cluster.find(Pod, pod)
  expect(found).toMatchObject({ spec: { containers: [{ image: 'mirror.example/postgres:18' }] } })
})
