// A cleanup that writes, with only the rights that its controller declares.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { Website } from '../../examples/01-minimal/website.ts'
import { ConfigMap, rightsOf } from '../../src/index.ts'
import { startCluster } from '../../src/testing/index.ts'
import { registeredWebsite } from './registered-website.ts'

const path = new URL('../../examples/01-minimal/website.crd.yaml', import.meta.url)
const definition = parse(readFileSync(path, 'utf8'))

it('a cleanup removes its line from a list of other owners', async () => {
  const rights = rightsOf({ name: 'operator', controllers: [registeredWebsite] }).namespaced
  await using cluster = await startCluster({ definitions: [definition], rights })
  cluster.run(registeredWebsite)
  const registry = { metadata: { name: 'registry' }, data: { home: 'team-a', shop: 'team-b' } }
  await cluster.create(ConfigMap, registry)
  for (const name of ['home', 'shop'])
    await cluster.create(Website, { metadata: { name }, spec: { image: 'registry.example/site:1', replicas: 1 } })
  await cluster.settle()
  await cluster.delete(Website, 'home')
  await cluster.settle()
  expect(await cluster.find(Website, 'home')).toBeUndefined()
  expect(await cluster.find(ConfigMap, 'registry')).toMatchObject({ data: { shop: 'team-b' } })
  expect((await cluster.find(ConfigMap, 'registry'))?.['data']).not.toHaveProperty('home')
  await cluster.delete(ConfigMap, 'registry')
  await cluster.delete(Website, 'shop')
  await cluster.settle()
  expect(await cluster.find(Website, 'shop')).toBeUndefined()
})
