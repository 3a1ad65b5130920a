// Prune of an undeclared child while the resource waits for another child, on the embedded server.
import { ApiObject } from 'cdk8s'
import { expect, it } from 'vitest'
import { ConfigMap, defineController, hold, Service } from '../../src/index.ts'
import { startCluster } from '../../src/testing/index.ts'

const sites = defineController(ConfigMap, {
  owns: [Service],
  desired: (chart, { object }) => {
    const labels = object.metadata.labels ?? {}
    const service = (name: string) =>
      new ApiObject(chart, name, { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { clusterIP: 'None' } })
    if (labels['old'] === 'yes') service('old')
    if (labels['held'] === 'yes') hold(service('new'), 'is not due yet')
  },
})

it('makes no request while a hold postpones a prune, and prunes when the hold ends', async () => {
  await using cluster = await startCluster({ controllers: ['garbage-collector'] })
  cluster.run(sites)
  await cluster.create(ConfigMap, { metadata: { name: 'site', labels: { old: 'yes' } } })
  await cluster.settle()
  await cluster.patch(ConfigMap, 'site', { metadata: { labels: { old: 'no', held: 'yes' } } })
  await cluster.advance(60_000)
  const asked = await cluster.requestsDuring(1_200_000)
  expect(asked.filter(({ verb }) => verb !== 'watch').map(({ verb, path }) => `${verb} ${path}`)).toEqual([])
  expect(await cluster.find(Service, 'old')).toBeDefined()
  await cluster.patch(ConfigMap, 'site', { metadata: { labels: { held: 'no' } } })
  await cluster.settle()
  expect(await cluster.find(Service, 'old')).toBeUndefined()
})
