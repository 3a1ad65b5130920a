// Test of a controller, against a whole cluster in the test's own process, in a few milliseconds and with a simulated
// clock. Outside this repository the imports read: from 'konverge' and from 'konverge/testing'.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { Deployment, rightsOf } from '../../src/index.ts'
import { startCluster } from '../../src/testing/index.ts'
import { Website, website } from './website.ts'

const definition = parse(readFileSync(new URL('website.crd.yaml', import.meta.url), 'utf8'))

it('runs a website, follows its spec, and takes back what somebody else changed', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  cluster.run(website)
  await cluster.create(Website, {
    metadata: { name: 'shop', namespace: 'default' },
    spec: { image: 'registry.example/shop:1', replicas: 2 },
  })
  await cluster.settle()
  expect(await cluster.find(Deployment, 'shop')).toMatchObject({ spec: { replicas: 2 } })

  cluster.faults.add({ fault: { kind: 'refuse', code: 500 }, on: { verbs: ['patch'] }, times: 3 })
  await cluster.patch(Deployment, 'shop', { spec: { replicas: 9 } })
  await cluster.patch(Website, 'shop', { spec: { image: 'registry.example/shop:2' } })
  await cluster.settle()
  const template = { spec: { containers: [{ image: 'registry.example/shop:2' }] } }
  expect(await cluster.find(Deployment, 'shop')).toMatchObject({ spec: { replicas: 2, template } })
})

it('becomes ready with its pods, asks for nothing when nothing is to do, and needs only the rights that it declares', async () => {
  const { namespaced, cluster: clusterWide } = rightsOf({ name: 'websites', controllers: [website] })
  await using cluster = await startCluster({
    definitions: [definition],
    simulatedNodes: 1,
    rights: [...namespaced, ...clusterWide],
  })
  cluster.run(website)
  await cluster.create(Website, { metadata: { name: 'shop' }, spec: { image: 'registry.example/shop:1', replicas: 2 } })
  await cluster.settle()
  expect(await cluster.condition(Website, 'shop', 'Ready')).toMatchObject({ status: 'True' })
  expect(await cluster.requestsDuring(60_000)).toEqual([])
  expect(cluster.requests().filter(({ code }) => code === 403)).toEqual([])

  await cluster.patch(Website, 'shop', { spec: { image: 'registry.example/shop:missing' } })
  await cluster.advance(30_000)
  expect(await cluster.condition(Website, 'shop', 'Ready')).toMatchObject({ status: 'False' })
})
