// A controller's view of the cluster over the model API server. It contains its children, the resources that an event
// triggers, and the reads of its own functions.
import { describe, expect, it } from 'vitest'
import type { LiveReader } from '../../src/index.ts'
import { ConfigMap, Deployment, Secret, Service } from '../../src/object/built-in.ts'
import { ownerReferenceTo } from '../../src/object/ownership.ts'
import type { Watch } from '../../src/reconcile/declared-kinds.ts'
import { at, describeRequest } from '../model-api.ts'
import { live } from '../objects.ts'
import { type LifeOptions, Site, siteController, World } from './life.ts'

/** Returns the result of a read in the reconcile of site `a`, and the requests that it needed. */
async function observed(
  prepare: (world: World) => void,
  read: (reader: LiveReader) => Promise<unknown>,
  { watches = [], ...options }: LifeOptions & { readonly watches?: readonly Watch[] } = {},
) {
  const world = new World()
  prepare(world)
  world.addSite()
  let found: unknown
  const asked: string[] = []
  const controller = siteController({
    watches,
    observe: async ({ live: reader }) => {
      const before = world.api.requests.length
      found = await read(reader)
      asked.push(...world.api.requests.slice(before).map(describeRequest))
    },
  })
  await world.live(controller, options)
  return { found, asked }
}

const theme = live({ metadata: { name: 'theme', namespace: 'default', labels: { theme: 'dark' } } })
const everyTheme: Watch = { resource: ConfigMap, keysFor: () => [] }
const labelledThemes: Watch = { resource: ConfigMap, labelSelector: 'theme', keysFor: () => [] }

describe('a controller’s own functions', () => {
  const findTheme = (reader: LiveReader) => reader.find(ConfigMap, { namespace: 'default', name: 'theme' })
  const listThemes = (reader: LiveReader) => reader.list(ConfigMap, { labels: { theme: 'dark' } })

  it('read a watched kind from the cache', async () => {
    const { found, asked } = await observed((world) => world.api.put(ConfigMap, theme), findTheme, {
      watches: [everyTheme],
    })
    expect(found).toMatchObject({ metadata: { name: 'theme' } })
    expect(asked).toEqual([])
  })

  it('read an owned kind without a watch from the server, because the cache has no unmanaged objects', async () => {
    const { found, asked } = await observed((world) => world.api.put(ConfigMap, theme), findTheme)
    expect(found).toMatchObject({ metadata: { name: 'theme' } })
    expect(asked).toEqual(['get configmaps default/theme'])
  })

  it('list by the selected label of a watch from the cache', async () => {
    const { found } = await observed((world) => world.api.put(ConfigMap, theme), listThemes, {
      watches: [labelledThemes],
    })
    expect(found).toMatchObject([{ metadata: { name: 'theme' } }])
  })

  it('see the part of an object that a watch keeps', async () => {
    const keep: Watch['keep'] = ({ data: _, ...object }) => object
    const withData = (world: World) => world.api.put(ConfigMap, { ...theme, data: { a: 'b' } })
    const { found } = await observed(withData, findTheme, { watches: [{ ...everyTheme, keep }] })
    expect(found).not.toHaveProperty('data')
  })

  it('read a Secret from the server', async () => {
    const secret = live({ kind: 'Secret', metadata: { name: 's' } })
    const { found, asked } = await observed(
      (world) => world.api.put(Secret, secret),
      (reader) => reader.find(Secret, { namespace: 'default', name: 's' }),
    )
    expect(found).toMatchObject({ metadata: { name: 's' } })
    expect(asked).toEqual(['get secrets default/s'])
  })

  it('read a kind with a metadata watch from the server, and with a content watch from the cache', async () => {
    const metadataOnly: Watch = { ...everyTheme, metadataOnly: true }
    const put = (world: World) => world.api.put(ConfigMap, { ...theme, data: { a: 'b' } })
    const { found, asked } = await observed(put, findTheme, { watches: [metadataOnly] })
    expect(found).toMatchObject({ data: { a: 'b' } })
    expect(asked).toEqual(['get configmaps default/theme'])
    expect((await observed(put, findTheme, { watches: [metadataOnly, everyTheme] })).asked).toEqual([])
  })

  it('do not treat an object outside the cached namespaces as absent', async () => {
    const elsewhere = live({ metadata: { name: 'theme', namespace: 'elsewhere' } })
    const { found } = await observed(
      (world) => world.api.put(ConfigMap, elsewhere),
      (reader) => reader.find(ConfigMap, { namespace: 'elsewhere', name: 'theme' }),
      { watches: [everyTheme], namespaces: ['default'] },
    )
    expect(found).toMatchObject({ metadata: { namespace: 'elsewhere' } })
  })
})

describe('an event', () => {
  /** Counts the reconciles of each site. */
  async function counted(watches: readonly Watch[] = []) {
    const world = new World()
    const turns: string[] = []
    world.addSite('a')
    world.addSite('b')
    await world.live(
      siteController({
        watches,
        indexes: { page: ({ spec }) => [spec.page] },
        observe: ({ object }) => {
          turns.push(object.metadata.name)
          return Promise.resolve(undefined)
        },
      }),
    )
    turns.length = 0
    return { world, turns }
  }

  it('about a child triggers its parent only', async () => {
    const { world, turns } = await counted()
    world.api.edit(ConfigMap, 'default/a-pages', { metadata: { labels: { x: 'y' } } })
    await world.clock.advance(0)
    expect(turns).toEqual(['a'])
  })

  it('about an unmanaged object with the operator’s labels triggers nothing', async () => {
    const { world, turns } = await counted()
    const labels = world.api.find(ConfigMap, 'default/a-pages')?.metadata.labels ?? {}
    const owner = world.api.put(
      Deployment,
      live({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } }),
    )
    const ownerReferences = [ownerReferenceTo(owner)]
    world.api.put(ConfigMap, live({ metadata: { name: 'x', labels, ownerReferences } }))
    await world.clock.advance(0)
    expect(turns).toEqual([])
  })

  it('about a parent’s status triggers nothing', async () => {
    const { world, turns } = await counted()
    world.api.edit(Site, 'default/a', { status: { pages: 9 } })
    await world.clock.advance(0)
    expect(turns).toEqual([])
  })

  it('about the operator’s own writes triggers nothing', async () => {
    const { world, turns } = await counted()
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(60_000)
    expect(turns).toEqual(['a'])
    expect(at(world.api.find(ConfigMap, 'default/a-pages'), 'data')).toEqual({ index: 'new' })
  })

  it('about a watched object triggers the resources that an index names', async () => {
    const keysFor: Watch['keysFor'] = ({ metadata }, lookup) => lookup('page', metadata.name)
    const { world, turns } = await counted([{ resource: Deployment, keysFor }])
    world.api.edit(Site, 'default/b', { spec: { page: 'front' } })
    await world.clock.advance(0)
    turns.length = 0
    world.api.put(Deployment, live({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'front' } }))
    await world.clock.advance(0)
    expect(turns).toEqual(['b'])
  })

  it('about a Service’s status counts only if the controller declares it', async () => {
    const world = new World()
    let turns = 0
    world.addSite()
    await world.live(
      siteController({
        owns: [ConfigMap, { resource: Service, statusMatters: false }],
        observe: () => Promise.resolve(void turns++),
      }),
    )
    const before = turns
    world.api.edit(Service, 'default/a', { status: { loadBalancer: {} } })
    await world.clock.advance(0)
    expect(turns).toBe(before)
  })
})

describe('a process that manages one namespace', () => {
  it('does not touch resources elsewhere', async () => {
    const world = new World()
    world.addSite('a', { page: 'p' }, 'default')
    world.addSite('a', { page: 'p' }, 'elsewhere')
    await world.live(siteController(), { namespaces: ['default'] })
    expect(world.conditions('default/a')).toHaveProperty('Ready')
    expect(world.api.find(Site, 'elsewhere/a')?.metadata.finalizers).toBeUndefined()
    expect(world.api.writes.filter((write) => write.includes('elsewhere'))).toEqual([])
  })
})
