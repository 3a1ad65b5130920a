// Status parts of other writers stay: conditions and fields, even if they are written concurrently.
import { ApiObject } from 'cdk8s'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type Condition,
  ConfigMap,
  defineController,
  defineResource,
  type StatusWithConditions,
  valueAt,
} from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'

interface SiteSpec {
  readonly page: string
  readonly opens?: boolean
}

interface SiteStatus extends StatusWithConditions {
  readonly page?: string
  readonly counts?: Readonly<Record<string, number>>
}

const Site = defineResource<SiteSpec, SiteStatus>({
  ...{ group: 'example.dev', version: 'v1', kind: 'Site', plural: 'sites', scope: 'Namespaced' },
})

/** Counts reconciles in the status, so that each one has something to write. */
function sites() {
  let reconciles = 0
  return defineController(Site, {
    owns: [ConfigMap],
    observe: () => Promise.resolve({ reconciles: ++reconciles }),
    desired: (chart, { object: { metadata, spec } }) => {
      const { name } = metadata
      new ApiObject(chart, 'page', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { page: spec.page },
      })
    },
    status: ({ object: { spec }, facts }) => ({
      fields: {
        ...(spec.opens === true ? { page: spec.page } : {}),
        counts: spec.opens === true ? { pages: 1, doors: 1 } : { pages: 1 },
      },
      conditions: [
        { type: 'Counted', status: 'True', reason: 'Counted', message: `reconcile ${facts?.reconciles}` },
        ...(spec.opens === true ? [{ type: 'Open', status: 'True', reason: 'Opened', message: '' } as const] : []),
      ],
    }),
  })
}

function definition(isMap: boolean) {
  const text = { type: 'string' }
  const condition = {
    type: 'object',
    required: ['type', 'status'],
    properties: {
      ...{ type: text, status: text, reason: text, message: text, lastTransitionTime: text },
      observedGeneration: { type: 'integer' },
    },
  }
  const listType = isMap ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] } : {}
  const counts = { type: 'object', additionalProperties: { type: 'integer' } }
  const properties = {
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    status: {
      type: 'object',
      properties: {
        ...{ observedGeneration: { type: 'integer' }, page: text, health: text, counts },
        conditions: { type: 'array', items: condition, ...listType },
      },
    },
  }
  return {
    metadata: { name: 'sites.example.dev' },
    spec: {
      ...{ group: 'example.dev', scope: 'Namespaced', names: { kind: 'Site', plural: 'sites', singular: 'site' } },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
          schema: { openAPIV3Schema: { type: 'object', properties } },
        },
      ],
    },
  }
}

let cluster: TestCluster
afterEach(() => cluster.stop())

const signal = new AbortController().signal
const at = { namespace: 'default', name: 'a' }
const status = async () => (await cluster.client.get(Site, at, signal)).status as SiteStatus & { health?: string }
const types = async () => (await status()).conditions?.map(({ type }) => type).sort()
const edit = (spec: object) => cluster.patch(Site, 'a', { spec })

/** Adds a condition and fields to the status, as another controller. */
async function observeHealth(): Promise<void> {
  const lastTransitionTime = '2026-01-01T00:00:00Z'
  const healthy: Condition = {
    type: 'Healthy',
    status: 'True',
    reason: 'Probed',
    message: 'by another',
    lastTransitionTime,
  }
  const conditions = [healthy, ...((await status()).conditions ?? [])]
  const body = JSON.parse(JSON.stringify({ status: { conditions, health: 'good', counts: { probes: 7 } } }))
  const options = { fieldManager: 'prober', subresource: 'status' } as const
  await cluster.client.patch(Site, at, { type: 'merge', body }, options, signal)
}

describe.each([true, false])('a status whose conditions are a list map: %s', (isMap) => {
  async function start() {
    cluster = await startCluster({ definitions: [definition(isMap)] })
    const running = cluster.run(sites())
    await cluster.create(Site, { metadata: { name: 'a' }, spec: { page: 'x', opens: true } })
    await cluster.advance(10_000)
    await observeHealth()
    await cluster.advance(10_000)
    return running
  }

  it('keeps the parts of another controller, without requests', async () => {
    await start()
    expect((await cluster.requestsDuring(240_000)).filter(({ verb }) => verb !== 'watch')).toEqual([])
    await edit({ page: 'y' })
    await cluster.advance(10_000)
    expect(await status()).toMatchObject({ page: 'y', health: 'good', counts: { pages: 1, doors: 1, probes: 7 } })
    expect(await types()).toEqual(['Counted', 'Degraded', 'Healthy', 'Open', 'Progressing', 'Ready'])
    expect((await cluster.requestsDuring(240_000)).filter(({ verb }) => verb !== 'watch')).toEqual([])
  })

  it('loses parts that its controller no longer reports', async () => {
    await start()
    await edit({ opens: null })
    await cluster.advance(10_000)
    expect(await types()).toEqual(['Counted', 'Degraded', 'Healthy', 'Progressing', 'Ready'])
    expect(await status()).toMatchObject({ health: 'good' })
    expect(await status()).not.toHaveProperty('page')
    expect((await status()).counts).toEqual({ pages: 1, probes: 7 })
  })

  it('loses such parts after a restart, if the server records their owner', async () => {
    const running = await start()
    await running.stop()
    await edit({ opens: null })
    cluster.run(sites())
    await cluster.advance(10_000)
    // The API server does not record the owners of items of a list without keys.
    const unknown = isMap ? [] : ['Open']
    expect(await types()).toEqual(['Counted', 'Degraded', 'Healthy', ...unknown, 'Progressing', 'Ready'])
    expect(await status()).not.toHaveProperty('page')
    expect((await status()).counts).toEqual({ pages: 1, probes: 7 })
  })

  it('keeps a condition that the cache does not have yet', async () => {
    cluster = await startCluster({ definitions: [definition(isMap)] })
    cluster.faults.add({ fault: { kind: 'delay-events', ms: 5_000 }, on: { resource: 'sites' } })
    cluster.run(sites())
    await cluster.create(Site, { metadata: { name: 'a' }, spec: { page: 'x' } })
    await cluster.advance(10_000)
    await observeHealth()
    await cluster.delete(ConfigMap, 'a')
    await cluster.advance(30_000)
    expect(await cluster.find(ConfigMap, 'a')).toBeDefined()
    expect(await types()).toContain('Healthy')
    expect(valueAt((await cluster.find(Site, 'a')) as never, 'status', 'conditions')).toContainEqual(
      expect.objectContaining({ type: 'Counted', message: expect.not.stringMatching(/ 1$/) }),
    )
  })
})
