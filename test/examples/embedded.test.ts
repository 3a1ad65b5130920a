// The example of an embedded operator, on the embedded API server over HTTPS.
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { Website } from '../../examples/01-minimal/website.ts'
import { startSiteServer } from '../../examples/embedded/site-server.ts'
import { startEmbeddedServer } from '../../src/cli/embedded-server.ts'
import { CustomResourceDefinition } from '../../src/index.ts'

const folder = new URL('../../examples/', import.meta.url)
const definition = parse(readFileSync(new URL('01-minimal/website.crd.yaml', folder), 'utf8'))

it('a program lists resources by the client of its operator, and requests reconciles', async () => {
  const cluster = await startEmbeddedServer({ host: '127.0.0.1', port: 0, controllers: [], onFault: () => {} })
  onTestFinished(() => cluster.stop())
  const output = { write: () => {} }
  const { operator, server } = await startSiteServer({ environment: {}, kubeconfig: cluster.kubeconfigPath, output }, 0)
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await operator.stop()
  })
  const { port } = server.address() as AddressInfo // It listens on a port.
  const origin = `http://127.0.0.1:${port}`
  const url = `${origin}/websites`
  const unready = await fetch(`${origin}/readyz`)
  expect([unready.status, await unready.text()]).toEqual([503, expect.stringContaining('websites.example.com')])
  expect(await (await fetch(`${origin}/metrics`)).text()).toContain('operator="sites"')
  await operator.client.create(CustomResourceDefinition, definition)
  const spec = { image: 'registry.example/home:1', replicas: 2 }
  await operator.client.create(Website, { metadata: { namespace: 'default', name: 'home' }, spec })
  expect(await (await fetch(url)).json()).toEqual({ 'default/home': 2 })
  expect((await fetch(`${url}/default/home`, { method: 'POST' })).status).toBe(202)
  expect((await fetch(`${url}/default/home?replicas=3`, { method: 'PUT' })).status).toBe(204)
  await operator.client.create(Website, {
    metadata: { namespace: 'default', name: 'draft', labels: { preview: 'true' } },
    spec,
  })
  expect((await fetch(`${url}/default`, { method: 'DELETE' })).status).toBe(204)
  expect(await (await fetch(url)).json()).toEqual({ 'default/home': 3 })
  expect((await fetch(`${origin}/other`)).status).toBe(404)
})
