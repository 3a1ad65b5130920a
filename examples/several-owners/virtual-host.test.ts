import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ConfigMap } from '../../src/index.ts'
import { startCluster } from '../../src/testing/index.ts'
import { VirtualHost, virtualHost } from './virtual-host.ts'

const definition = parse(readFileSync(new URL('virtual-host.crd.yaml', import.meta.url), 'utf8'))
const hostNamed = (name: string, host: string, backend = 'http://backend') => ({
  metadata: { name },
  spec: { host, backend },
})

it('keeps one file for each VirtualHost in the ConfigMap, which goes with the last of them', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  cluster.run(virtualHost)
  const files = async () => Object.keys((await cluster.find(ConfigMap, 'virtual-hosts'))?.['data'] ?? {}).sort()
  await cluster.create(VirtualHost, hostNamed('shop', 'shop.example.com'))
  await cluster.create(VirtualHost, hostNamed('blog', 'blog.example.com'))
  await cluster.settle()
  expect(await files()).toEqual(['blog.example.com.conf', 'shop.example.com.conf'])
  await cluster.delete(VirtualHost, 'shop')
  await cluster.settle()
  expect(await files()).toEqual(['blog.example.com.conf'])
  await cluster.delete(VirtualHost, 'blog')
  await cluster.settle()
  expect(await cluster.find(ConfigMap, 'virtual-hosts')).toBeUndefined()
})

it('serves a host for the first VirtualHost that declares it, and reports the other one', async () => {
  await using cluster = await startCluster({ definitions: [definition] })
  cluster.run(virtualHost)
  await cluster.create(VirtualHost, hostNamed('first', 'shop.example.com', 'http://first'))
  await cluster.settle()
  await cluster.create(VirtualHost, hostNamed('second', 'shop.example.com', 'http://second'))
  await cluster.advance(10_000)
  expect(await cluster.condition(VirtualHost, 'first', 'Ready')).toMatchObject({ status: 'True' })
  expect(await cluster.condition(VirtualHost, 'second', 'Ready')).toMatchObject({
    status: 'False',
    reason: 'FieldConflict',
    message: expect.stringContaining('data.shop.example.com.conf otherwise than VirtualHost first'),
  })
})
