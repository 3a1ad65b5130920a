// Two clusters in the test's own process, on one clock: the hub has the resources, the edge has their children. Outside this repository the
// imports read: from 'konverge' and from 'konverge/testing'.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { Deployment, rightsOf } from '../../src/index.ts'
import { startCluster } from '../../src/testing/index.ts'
import { Storefront, storefront } from './storefront.ts'

const definition = parse(readFileSync(new URL('storefront.crd.yaml', import.meta.url), 'utf8'))
const spec = { image: 'registry.example/shop:1', replicas: 2 }

function rights(cluster?: 'edge') {
  const { namespaced, cluster: clusterWide } = rightsOf({ name: 'storefronts', controllers: [storefront], cluster })
  return [...namespaced, ...clusterWide]
}

it('runs a storefront in the edge cluster, reports an outage, and cleans up', async () => {
  await using edge = await startCluster({ seed: 1, simulatedNodes: 1, rights: rights('edge') })
  await using hub = await startCluster({ seed: 2, clusters: { edge }, definitions: [definition], rights: rights() })
  hub.run(storefront)
  await hub.create(Storefront, { metadata: { name: 'shop' }, spec })
  await hub.settle()
  expect(await hub.condition(Storefront, 'shop', 'Ready')).toMatchObject({ status: 'True' })
  expect(await edge.find(Deployment, 'shop')).toMatchObject({ spec: { replicas: 2 } })
  expect(await hub.find(Deployment, 'shop')).toBeUndefined()

  const endOutage = edge.faults.add({ fault: { kind: 'cut', when: 'before' } })
  await hub.advance(60_000)
  expect(await hub.condition(Storefront, 'shop', 'Ready')).toMatchObject({ reason: 'ClusterUnreachable' })
  endOutage()
  await hub.settle()
  expect(await hub.condition(Storefront, 'shop', 'Ready')).toMatchObject({ status: 'True' })

  await hub.delete(Storefront, 'shop')
  await hub.settle()
  expect(await edge.find(Deployment, 'shop')).toBeUndefined()
  expect(await hub.find(Storefront, 'shop')).toBeUndefined()
})
