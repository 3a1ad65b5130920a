// Test of a runnable, in a cluster of the test's own process. Outside this repository the imports read: from 'konverge'
// and from 'konverge/testing'.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ConfigMap, Namespace, rightsOf } from '../../src/index.ts'
import { startCluster } from '../../src/testing/index.ts'
import { Website } from '../01-minimal/website.ts'
import { report } from './report.ts'

const definition = parse(readFileSync(new URL('../01-minimal/website.crd.yaml', import.meta.url), 'utf8'))

const rights = rightsOf({ name: 'sites', controllers: [], runnables: [report] })

it('reports the replicas of all websites, and each change of them', async () => {
  await using cluster = await startCluster({ definitions: [definition], rights })
  for (const name of ['home', 'shop'])
    await cluster.create(Website, { metadata: { name }, spec: { image: 'registry.example/site:1', replicas: 2 } })
  const operator = cluster.start({ runnables: [report] })
  await cluster.settle()
  expect(await cluster.find(ConfigMap, 'websites')).toMatchObject({ data: { replicas: '4' } })
  await cluster.patch(Website, 'shop', { spec: { replicas: 5 } })
  await cluster.delete(Website, 'home')
  await cluster.settle()
  expect(await cluster.find(ConfigMap, 'websites')).toMatchObject({ data: { replicas: '5' } })
  await operator.stop()
})

it('reports the replicas of each served namespace, with rights in these alone', async () => {
  const namespaces = ['default', 'shop']
  await using cluster = await startCluster({ definitions: [definition], rights, namespaces })
  await cluster.create(Namespace, { metadata: { name: 'other' } })
  for (const namespace of [...namespaces, 'other'])
    await cluster.create(Website, {
      metadata: { namespace, name: 'home' },
      spec: { image: 'registry.example/site:1', replicas: 2 },
    })
  const operator = cluster.start({ runnables: [report] })
  await cluster.settle()
  await cluster.patch(Website, 'shop/home', { spec: { replicas: 3 } })
  await cluster.settle()
  expect(await cluster.find(ConfigMap, 'default/websites')).toMatchObject({ data: { replicas: '2' } })
  expect(await cluster.find(ConfigMap, 'shop/websites')).toMatchObject({ data: { replicas: '3' } })
  expect(await cluster.find(ConfigMap, 'other/websites')).toBeUndefined()
  await operator.stop()
})
