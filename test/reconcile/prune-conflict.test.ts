// Repetition of a prune whose request conflicts, on the embedded server.
import { ApiObject } from 'cdk8s'
import { expect, it } from 'vitest'
import { ConfigMap, defineController, Service, valueAt } from '../../src/index.ts'
import { startCluster } from '../../src/testing/index.ts'

const sites = defineController(ConfigMap, {
  owns: [Service],
  desired: (chart, { object }) => {
    if (object.metadata.labels?.['served'] !== 'yes') return
    const spec = { ports: [{ port: 80 }], clusterIP: 'None' }
    new ApiObject(chart, 'service', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'site' }, spec })
  },
})

it('deletes an undeclared child when a delete request conflicts', async () => {
  await using cluster = await startCluster({ controllers: ['garbage-collector'] })
  cluster.run(sites)
  await cluster.create(ConfigMap, { metadata: { name: 'site', labels: { served: 'yes' } } })
  await cluster.settle()
  expect(valueAt((await cluster.find(Service, 'site')) ?? expect.fail('no service'), 'spec', 'clusterIP')).toBe('None')
  const rule = { fault: { kind: 'refuse', code: 409 }, on: { verbs: ['delete'] }, times: 1 } as const
  cluster.faults.add(rule)
  await cluster.patch(ConfigMap, 'site', { metadata: { labels: { served: 'no' } } })
  await cluster.settle()
  expect(cluster.faults.struck(rule)).toBe(1)
  expect(await cluster.find(Service, 'site')).toBeUndefined()
})
