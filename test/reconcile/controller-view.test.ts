// What a controller sees of the cluster, over the model API server: which objects are its children, whom an event wakes, and
// what its own functions read.
import { describe, expect, it } from 'vitest'
import type { LiveReader } from '../../src/index.ts'
import { ConfigMap, Deployment, Secret, Service } from '../../src/object/built-in.ts'
import { ownerReferenceTo } from '../../src/object/ownership.ts'
import type { Watch } from '../../src/reconcile/declared-kinds.ts'
import { at, describeRequest } from '../model-api.ts'
import { live } from '../objects.ts'
import { type LifeOptions, Site, siteController, World } from './life.ts'

/** What the reader gives in the turn of site `a`, and what had to be asked for it. */
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

  it('read a watched kind from memory', async () => {
    const { found, asked } = await observed((world) => world.api.put(ConfigMap, theme), findTheme, {
      watches: [everyTheme],
    })
    expect(found).toMatchObject({ metadata: { name: 'theme' } })
    expect(asked).toEqual([])
  })

  it('read a kind that is owned and not watched from the server, as foreign objects are not in memory', async () => {
    const { found, asked } = await observed((world) => world.api.put(ConfigMap, theme), findTheme)
    expect(found).toMatchObject({ metadata: { name: 'theme' } })
    expect(asked).toEqual(['get configmaps default/theme'])
  })

  it('list by the label that a watch selects on from memory', async () => {
    const { found } = await observed((world) => world.api.put(ConfigMap, theme), listThemes, {
      watches: [labelledThemes],
    })
    expect(found).toMatchObject([{ metadata: { name: 'theme' } }])
  })

  it('see what a watch keeps of an object', async () => {
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

  it('read a kind of which metadata alone is held from the server, beside a watch with content from memory', async () => {
    const metadataOnly: Watch = { ...everyTheme, metadataOnly: true }
    const put = (world: World) => world.api.put(ConfigMap, { ...theme, data: { a: 'b' } })
    const { found, asked } = await observed(put, findTheme, { watches: [metadataOnly] })
    expect(found).toMatchObject({ data: { a: 'b' } })
    expect(asked).toEqual(['get configmaps default/theme'])
    expect((await observed(put, findTheme, { watches: [metadataOnly, everyTheme] })).asked).toEqual([])
  })

  it('do not take an object for absent that lies outside the namespaces in memory', async () => {
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
  /** Counts the turns of each site. */
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

  it('of a child wakes its parent only', async () => {
    const { world, turns } = await counted()
    world.api.edit(ConfigMap, 'default/a-pages', { metadata: { labels: { x: 'y' } } })
    await world.clock.advance(0)
    expect(turns).toEqual(['a'])
  })

  it('of a foreign object with our labels wakes nobody', async () => {
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

  it('of a parent’s status wakes nobody', async () => {
    const { world, turns } = await counted()
    world.api.edit(Site, 'default/a', { status: { pages: 9 } })
    await world.clock.advance(0)
    expect(turns).toEqual([])
  })

  it('of our own writes wakes nobody', async () => {
    const { world, turns } = await counted()
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(60_000)
    expect(turns).toEqual(['a'])
    expect(at(world.api.find(ConfigMap, 'default/a-pages'), 'data')).toEqual({ index: 'new' })
  })

  it('of a watched object wakes those whom an index names', async () => {
    const keysFor: Watch['keysFor'] = ({ metadata }, lookup) => lookup('page', metadata.name)
    const { world, turns } = await counted([{ resource: Deployment, keysFor }])
    world.api.edit(Site, 'default/b', { spec: { page: 'front' } })
    await world.clock.advance(0)
    turns.length = 0
    world.api.put(Deployment, live({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'front' } }))
    await world.clock.advance(0)
    expect(turns).toEqual(['b'])
  })

  it('of a Service’s status counts as far as the declaration says', async () => {
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

describe('a process that looks after one namespace', () => {
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
