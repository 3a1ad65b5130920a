// Test: the official Node.js client cannot distinguish our server from the real one.
// On both, its informer must report the same changes and end with the content of a list.
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitUntil } from '../../control-plane/wait-until.ts'
import { type ComparedServer, startTwoServers, type TwoServers } from './two-servers.ts'

const namespace = 'default'
const limitMs = 30_000

let servers: TwoServers

beforeAll(async () => {
  servers = await startTwoServers()
})

afterAll(() => servers?.[Symbol.asyncDispose]())

it('keeps an informer’s cache equal to a list', async () => {
  const [theirs, told] = await Promise.all([servers.real, servers.ours].map(toldBy))
  expect(told).toEqual(theirs)
  expect(told).toEqual(['add early', 'add late', 'update late', 'delete early'])
})

/** Returns the informer's events for a few writes, in order. */
async function toldBy({ kubeconfig }: ComparedServer): Promise<readonly string[]> {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfig)
  const api = config.makeApiClient(CoreV1Api)
  const list = () => api.listNamespacedConfigMap({ namespace, labelSelector: 'of=node' })
  const create = (name: string) =>
    api.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { of: 'node' } } } })
  await create('early')
  const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, list, 'of=node')
  const told: string[] = []
  for (const verb of ['add', 'update', 'delete'] as const)
    informer.on(verb, (object) => told.push(`${verb} ${object.metadata?.name}`))
  await informer.start()
  const tells = (count: number) => waitUntil({ what: `${count} changes`, limitMs }, async () => told.length >= count)
  await tells(1)
  const late = await create('late')
  await tells(2)
  await api.replaceNamespacedConfigMap({ namespace, name: 'late', body: { ...late, data: { a: '1' } } })
  await tells(3)
  await api.deleteNamespacedConfigMap({ namespace, name: 'early' })
  await tells(4)
  const versions = (maps: readonly V1ConfigMap[]) => maps.map(({ metadata }) => metadata?.resourceVersion)
  expect(versions(informer.list())).toEqual(versions((await list()).items))
  await informer.stop()
  return told
}
