import { expect, it } from 'vitest'
import { Node, rightsOf } from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { nodeLabels, sizeLabel } from './node-labels.ts'

async function start(): Promise<TestCluster> {
  const { namespaced, cluster: clusterWide } = rightsOf({ name: 'operator', controllers: [nodeLabels] })
  const cluster = await startCluster({ rights: [...namespaced, ...clusterWide] })
  cluster.run(nodeLabels)
  await cluster.create(Node, { metadata: { name: 'a', labels: { zone: '1' } } })
  return cluster
}

/** Sets the CPUs as the kubelet does; null: removes them. */
async function reportCpus(cluster: TestCluster, cpu: string | null): Promise<void> {
  const patch = { type: 'merge', body: { status: { capacity: { cpu } } } } as const
  const options = { fieldManager: 'kubelet', subresource: 'status' } as const
  await cluster.client.patch(Node, { name: 'a' }, patch, options, AbortSignal.timeout(5_000))
  await cluster.settle()
}

const labels = async (cluster: TestCluster) => (await cluster.find(Node, 'a'))?.metadata.labels

it('labels a Node by its CPUs, and takes the label off when they are unknown', async () => {
  await using cluster = await start()
  await reportCpus(cluster, '4')
  expect(await labels(cluster)).toEqual({ zone: '1', [sizeLabel]: 'small' })
  await reportCpus(cluster, '64')
  expect(await labels(cluster)).toEqual({ zone: '1', [sizeLabel]: 'large' })
  await reportCpus(cluster, null)
  expect(await labels(cluster)).toEqual({ zone: '1' })
})

it('is at rest with the label, needs no other rights than it declares, and restores the label', async () => {
  await using cluster = await start()
  await reportCpus(cluster, '4')
  expect(await cluster.requestsDuring(60_000)).toEqual([])
  expect(cluster.requests().filter(({ code }) => code === 403)).toEqual([])
  await cluster.patch(Node, 'a', { metadata: { labels: { [sizeLabel]: 'large' } } })
  await cluster.settle()
  expect(await labels(cluster)).toEqual({ zone: '1', [sizeLabel]: 'small' })
})
