import { describe, expect, it } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { DiscoveryClient } from '../../src/kube/discovery-client.ts'
import { RestClient } from '../../src/kube/rest-client.ts'
import { ConfigMap, Deployment, Namespace } from '../../src/object/built-in.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { answer, connectionTo, ScriptedServer } from './scripted-server.ts'

const signal = new AbortController().signal
const core = {
  resources: [
    { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
    { name: 'namespaces', kind: 'Namespace', namespaced: false },
  ],
}
const apps = { resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true }] }
const unavailable = { kind: 'Status', message: 'the server is currently unable to handle the request' }

/** Response of the server at each path: a document, or a rejection. */
type Pages = Record<string, { status: number; body: object }>
const ok = (body: object) => ({ status: 200, body })
const legacy = (): Pages => ({
  '/api': ok({ kind: 'APIVersions', versions: ['v1'] }),
  '/apis': ok({ kind: 'APIGroupList', groups: [{ name: 'apps', versions: [{ groupVersion: 'apps/v1' }] }] }),
  '/api/v1': ok(core),
  '/apis/apps/v1': ok(apps),
})

async function withDiscovery(
  pages: Pages,
  test: (tools: { discovery: DiscoveryClient; server: ScriptedServer; clock: SimClock }) => Promise<void>,
): Promise<void> {
  const server = await ScriptedServer.start((response, { path }) => {
    const page = pages[path] ?? { status: 404, body: {} }
    answer(response, page.status, page.body)
  })
  const clock = new SimClock()
  const client = new RestClient({
    connection: connectionTo(server.url),
    clock,
    instruments: silentInstruments,
    userAgent: 'konverge/test',
  })
  try {
    await test({ discovery: new DiscoveryClient({ clock, client }), server, clock })
  } finally {
    await client.close(signal)
    await server.close()
  }
}

describe('DiscoveryClient', () => {
  it('reads discovery once, in the aggregated form, and caches it', async () => {
    const group = (name: string, resources: readonly object[]) =>
      ok({ kind: 'APIGroupDiscoveryList', items: [{ metadata: { name }, versions: [{ version: 'v1', resources }] }] })
    const pages = {
      '/api': group('', [{ resource: 'configmaps', responseKind: { kind: 'ConfigMap' }, scope: 'Namespaced' }]),
      '/apis': group('apps', [{ resource: 'deployments', responseKind: { kind: 'Deployment' }, scope: 'Namespaced' }]),
    }
    await withDiscovery(pages, async ({ discovery, server }) => {
      expect(await discovery.find('apps', 'Deployment', signal)).toEqual(Deployment)
      expect(await discovery.scopeOf('v1', 'ConfigMap', signal)).toBe('Namespaced')
      expect(await discovery.isServed(Namespace, signal)).toBe(false)
      expect(server.requests.map(({ path }) => path).sort()).toEqual(['/api', '/apis'])
      expect(server.requests[0]?.headers.accept).toContain('as=APIGroupDiscoveryList')
    })
  })

  it('falls back to one request per group version', async () => {
    await withDiscovery(legacy(), async ({ discovery, server }) => {
      expect(await discovery.find('apps', 'Deployment', signal)).toEqual(Deployment)
      expect(await discovery.scopeOf('v1', 'Namespace', signal)).toBe('Cluster')
      expect(await discovery.isServed(ConfigMap, signal)).toBe(true)
      expect(server.requests).toHaveLength(4)
    })
  })

  it('sends one request for concurrent callers', async () => {
    await withDiscovery(legacy(), async ({ discovery, server }) => {
      await Promise.all([1, 2, 3].map(() => discovery.find('apps', 'Deployment', signal)))
      expect(server.requests).toHaveLength(4)
    })
  })

  it('reads again for a missing kind, but not more often than the limit', async () => {
    const pages = legacy()
    const crd = { name: 'databases', kind: 'Database', namespaced: true }
    await withDiscovery(pages, async ({ discovery, server, clock }) => {
      expect(await discovery.find('apps', 'Database', signal)).toBeUndefined()
      pages['/apis/apps/v1'] = ok({ resources: [crd] })
      await clock.advance(9_999)
      expect(await discovery.find('apps', 'Database', signal)).toBeUndefined()
      expect(server.requests).toHaveLength(4)
      await clock.advance(1)
      expect((await discovery.find('apps', 'Database', signal))?.plural).toBe('databases')
      expect(server.requests).toHaveLength(8)
    })
  })

  it('reads again after invalidate, within the same limit', async () => {
    const pages = legacy()
    await withDiscovery(pages, async ({ discovery, clock }) => {
      expect(await discovery.isServed(Deployment, signal)).toBe(true)
      pages['/apis/apps/v1'] = ok({ resources: [] })
      discovery.invalidate()
      expect(await discovery.isServed(Deployment, signal)).toBe(true)
      await clock.advance(10_000)
      expect(await discovery.isServed(Deployment, signal)).toBe(false)
    })
  })

  it('reads again after ten minutes, because a kind may be removed', async () => {
    const pages = legacy()
    await withDiscovery(pages, async ({ discovery, clock }) => {
      expect(await discovery.isServed(Deployment, signal)).toBe(true)
      pages['/apis/apps/v1'] = ok({ resources: [] })
      await clock.advance(599_999)
      expect(await discovery.isServed(Deployment, signal)).toBe(true)
      await clock.advance(1)
      expect(await discovery.isServed(Deployment, signal)).toBe(false)
    })
  })

  it('does not report absent what it could not read, at the first read and later', async () => {
    const pages = legacy()
    pages['/apis/apps/v1'] = { status: 503, body: unavailable }
    await withDiscovery(pages, async ({ discovery, clock }) => {
      await expect(discovery.isServed(Deployment, signal)).rejects.toMatchObject({
        code: 'ServiceUnavailable',
        message: expect.stringContaining('cannot tell whether deployments.apps is served'),
      })
      expect(await discovery.isServed(ConfigMap, signal)).toBe(true)

      pages['/apis/apps/v1'] = ok(apps)
      await clock.advance(10_000)
      expect(await discovery.isServed(Deployment, signal)).toBe(true)

      pages['/apis/apps/v1'] = { status: 503, body: unavailable }
      discovery.invalidate()
      await clock.advance(10_000)
      expect(await discovery.isServed(Deployment, signal)).toBe(true)
      await expect(discovery.find('apps', 'StatefulSet', signal)).rejects.toMatchObject({ code: 'ServiceUnavailable' })
    })
  })

  it('reports a group version absent that was removed between two requests', async () => {
    const pages = legacy()
    delete pages['/apis/apps/v1']
    await withDiscovery(pages, async ({ discovery }) => {
      expect(await discovery.isServed(Deployment, signal)).toBe(false)
    })
  })

  it('keeps its index through an outage, reports nothing absent because of it, and does not flood the server', async () => {
    const pages = legacy()
    await withDiscovery(pages, async ({ discovery, server, clock }) => {
      expect(await discovery.find('apps', 'Deployment', signal)).toEqual(Deployment)
      pages['/apis'] = { status: 503, body: unavailable }
      await clock.advance(600_000)
      expect(await discovery.find('apps', 'Deployment', signal)).toEqual(Deployment)
      const asked = server.requests.length
      await expect(discovery.find('apps', 'Database', signal)).rejects.toMatchObject({ code: 'ServiceUnavailable' })
      expect(server.requests).toHaveLength(asked)
      // After the outage, remembered versions are read again as soon as the limit allows.
      pages['/apis'] = ok({ kind: 'APIGroupList', groups: [] })
      await clock.advance(10_000)
      expect(await discovery.find('apps', 'Deployment', signal)).toBeUndefined()
    })
  })

  it("rejects with the server's error if it never read an index, and retries after the limit", async () => {
    const pages = legacy()
    pages['/api'] = { status: 403, body: { kind: 'Status', message: 'no' } }
    await withDiscovery(pages, async ({ discovery, clock }) => {
      await expect(discovery.isServed(ConfigMap, signal)).rejects.toMatchObject({ code: 'Forbidden' })
      pages['/api'] = legacy()['/api'] ?? ok({})
      await expect(discovery.isServed(ConfigMap, signal)).rejects.toMatchObject({ code: 'Forbidden' })
      await clock.advance(10_000)
      expect(await discovery.isServed(ConfigMap, signal)).toBe(true)
    })
  })

  it('rejects with the reason of the signal, and stays usable', async () => {
    await withDiscovery(legacy(), async ({ discovery }) => {
      await expect(discovery.isServed(ConfigMap, AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
      expect(await discovery.isServed(ConfigMap, signal)).toBe(true)
    })
  })
})
