// Contributions to objects of other owners, and held objects. Both leave all other fields unchanged, and postpone only
// their dependents.
import { ApiObject, type Chart } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { addObject, defineController, objectOf } from '../../src/index.ts'
import { ConfigMap, PersistentVolumeClaim, Secret, Service } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { keyFor } from '../../src/object/ref.ts'
import type { Watch } from '../../src/reconcile/declared-kinds.ts'
import { contribute, hold, waitForReady } from '../../src/synth/field-policies.ts'
import { startCluster } from '../../src/testing/index.ts'
import { at } from '../model-api.ts'
import { Site, siteController, World } from './life.ts'
import { pages, settled } from './sites.ts'

const claimKey = 'default/data-a'
const claim = (storage: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data-a', namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...more },
})
const claims: Watch = {
  resource: PersistentVolumeClaim,
  keysFor: () => [keyFor('default', 'a')],
  contributes: true,
}

function contributeStorage(chart: Chart, storage: string) {
  const made = new ApiObject(chart, 'claim', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data-a' },
    spec: { resources: { requests: { storage } } },
  })
  contribute(made)
  return made
}

const configMap = (chart: Chart, name: string) =>
  new ApiObject(chart, name, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } })

/** A site that requests as much storage as its page says; an empty page requests none. */
const growing = () =>
  siteController({
    watches: [claims],
    desired: (chart, { object }) => {
      if (object.spec.page !== '') contributeStorage(chart, object.spec.page)
    },
  })

describe('a contribution', () => {
  it('sets its fields, leaves no other trace, and is in sync after one apply, also after a restart', async () => {
    const world = new World()
    world.api.put(PersistentVolumeClaim, claim('1Gi'))
    world.addSite('a', { page: '2Gi' })
    const life = await world.live(growing())
    const live = world.api.find(PersistentVolumeClaim, claimKey)
    expect(live?.spec).toEqual(claim('2Gi').spec)
    expect(live?.metadata.labels ?? live?.metadata.annotations ?? live?.metadata.ownerReferences).toBeUndefined()
    expect(world.conditions()).toEqual(settled)
    expect(at(world.site(), 'status', 'pages'), 'it is no child').toBe(0)
    const isApply = ({ verb }: { verb: string }) => verb === 'apply'
    expect(world.api.requests.filter(isApply)).toHaveLength(1)
    await life.end()
    world.api.requests.length = 0
    await world.live(growing())
    await world.clock.advance(60_000)
    expect(world.api.requests).toEqual([])
  })

  it('from two resources to one object is in sync with the fields of both, also after a restart', async () => {
    const world = new World()
    world.api.put(PersistentVolumeClaim, claim('1Gi'))
    const noted = siteController({
      watches: [{ ...claims, keysFor: () => [keyFor('default', 'a'), keyFor('default', 'b')] }],
      desired: (chart, { object }) => {
        const { name } = object.metadata
        const annotations = { [`example.com/${name}`]: object.spec.page }
        const metadata = { name: 'data-a', annotations }
        contribute(new ApiObject(chart, 'claim', { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata }))
      },
    })
    world.addSite('a', { page: '1' })
    world.addSite('b', { page: '2' })
    const life = await world.live(noted)
    await world.clock.advance(60_000)
    world.api.edit(Site, 'default/a', { spec: { page: '3' } })
    await world.clock.advance(60_000)
    const annotations = { 'example.com/a': '3', 'example.com/b': '2' }
    expect(world.api.find(PersistentVolumeClaim, claimKey)?.metadata.annotations).toEqual(annotations)
    expect([world.conditions('default/a'), world.conditions('default/b')]).toEqual([settled, settled])
    await life.end()
    world.api.requests.length = 0
    await world.live(noted)
    await world.clock.advance(1_200_000)
    expect(world.api.requests).toEqual([])
  })

  describe('from two resources that set one field to different values', () => {
    /** Each site sets its page as one shared annotation, and adds an annotation of its own. */
    const fighting = () =>
      siteController({
        watches: [{ ...claims, keysFor: () => [keyFor('default', 'a'), keyFor('default', 'b')] }],
        desired: (chart, { object: { metadata, spec } }) => {
          const annotations = {
            [`example.com/${metadata.name}`]: 'x',
            ...(spec.page && { 'example.com/page': spec.page }),
          }
          const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data-a', annotations } }
          contribute(new ApiObject(chart, 'claim', claim))
        },
      })
    const page = (world: World) =>
      world.api.find(PersistentVolumeClaim, claimKey)?.metadata.annotations?.['example.com/page']
    const applies = (world: World) => world.api.requests.filter(({ verb }) => verb === 'apply')
    async function fight() {
      const world = new World()
      world.api.put(PersistentVolumeClaim, claim('1Gi'))
      world.addSite('a', { page: '1' })
      await world.live(fighting())
      world.addSite('b', { page: '2' })
      await world.clock.advance(10_000)
      return world
    }

    it('ends after three rounds: one keeps the field, the other one names it, and no more writes follow', async () => {
      const world = await fight()
      expect(applies(world).length).toBeLessThan(10)
      expect(page(world)).toBe('1')
      expect(world.conditions('default/a')).toEqual(settled)
      expect(world.conditions('default/b')).toMatchObject({ Ready: 'False/NotConverging' })
      expect(world.message('Ready', 'default/b')).toBe(
        'PersistentVolumeClaim default/data-a: Site default/b and Site default/a contribute different values to metadata.annotations["example.com/page"], and set them in turn; the values of Site default/a stay: declare these fields in one of the two',
      )
      world.api.requests.length = 0
      await world.clock.advance(240_000)
      expect(world.api.requests).toEqual([])
    })

    it('lets the test kit settle with any number of resources', async () => {
      await using cluster = await startCluster()
      const fighters = defineController<unknown>(Secret, {
        owns: [],
        finalizer: false,
        labelSelector: 'site',
        watches: [{ resource: ConfigMap, contributes: true, keysFor: (_, lookup) => lookup('all', 'sites') }],
        indexes: { all: () => ['sites'] },
        desired: (chart, { object: { metadata } }) => {
          const data = { mine: metadata.name, [metadata.name]: 'x' }
          contribute(addObject(chart, objectOf(ConfigMap, { metadata: { name: 'shared' }, data })))
        },
      })
      cluster.run(fighters)
      await cluster.create(ConfigMap, { metadata: { name: 'shared' }, data: { base: '1' } })
      for (const name of ['a', 'b', 'c']) await cluster.create(Secret, { metadata: { name, labels: { site: 'x' } } })
      await cluster.settle()
      expect((await cluster.find(ConfigMap, 'shared'))?.['data']).toMatchObject({ a: 'x', b: 'x', c: 'x' })
      expect((await cluster.requestsDuring(60_000)).filter(({ verb }) => verb !== 'watch')).toEqual([])
    })

    it('is retried every five minutes, and the resource that keeps the field stays Ready', async () => {
      const world = await fight()
      const versions = new Set<string | undefined>()
      world.api.requests.length = 0
      for (let minute = 0; minute < 60; minute++) {
        await world.clock.advance(60_000)
        versions.add(`${page(world)} ${world.conditions('default/a')['Ready']}`)
      }
      expect([...versions]).toEqual(['1 True/Settled'])
      expect(applies(world).length).toBeLessThanOrEqual(26)
    })

    it('ends when one of them no longer declares the field', async () => {
      const world = await fight()
      world.api.edit(Site, 'default/b', { spec: { page: '' } })
      await world.clock.advance(1_000)
      expect([world.conditions('default/a'), world.conditions('default/b')]).toEqual([settled, settled])
      world.api.edit(Site, 'default/b', { spec: { page: '3' } })
      await world.clock.advance(1_000)
      expect(page(world)).toBe('1')
      world.api.edit(Site, 'default/a', { spec: { page: '' } })
      await world.clock.advance(600_000)
      expect(page(world)).toBe('3')
      expect([world.conditions('default/a'), world.conditions('default/b')]).toEqual([settled, settled])
      world.api.requests.length = 0
      await world.clock.advance(1_200_000)
      expect(world.api.requests).toEqual([])
    })

    it('does not block the other fields of a changed declaration', async () => {
      const world = await fight()
      world.api.edit(PersistentVolumeClaim, claimKey, { metadata: { annotations: { 'example.com/b': 'drift' } } })
      world.api.edit(Site, 'default/b', { spec: { page: '4' } })
      await world.clock.advance(1_000)
      expect(world.api.find(PersistentVolumeClaim, claimKey)?.metadata.annotations).toMatchObject({
        'example.com/b': 'x',
        'example.com/page': '1',
      })
    })

    it('passes the field to another resource when the one that keeps it is deleted', async () => {
      const world = await fight()
      world.api.remove(Site, 'default/a')
      await world.clock.advance(600_000)
      expect(page(world)).toBe('2')
      expect(world.conditions('default/b')).toEqual(settled)
    })
  })

  it('to an object that another resource of the same controller owns is in sync, also after a restart', async () => {
    const world = new World()
    const lines = (data: Record<string, string>) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'lines' },
      data,
    })
    const both = siteController({
      watches: [{ resource: ConfigMap, contributes: true, keysFor: () => [keyFor('default', 'b')] }],
      desired: (chart, { object }) => {
        const isOwner = object.metadata.name === 'a'
        const made = new ApiObject(
          chart,
          'lines',
          lines(isOwner ? { owned: object.spec.page } : { added: object.spec.page }),
        )
        if (!isOwner) contribute(made)
      },
    })
    world.addSite('a', { page: '1' })
    world.addSite('b', { page: '2' })
    const life = await world.live(both)
    await world.clock.advance(60_000)
    world.api.edit(Site, 'default/a', { spec: { page: '3' } })
    await world.clock.advance(60_000)
    expect(at(world.api.find(ConfigMap, 'default/lines'), 'data')).toEqual({ owned: '3', added: '2' })
    expect([world.conditions('default/a'), world.conditions('default/b')]).toEqual([settled, settled])
    await life.end()
    world.api.requests.length = 0
    await world.live(both)
    await world.clock.advance(1_200_000)
    expect(world.api.requests).toEqual([])
  })

  it('waits for the object and never creates it', async () => {
    const world = new World()
    world.addSite('a', { page: '2Gi' })
    await world.live(growing())
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Ready: 'False/Waiting' })
    expect(world.message('Ready')).toBe(
      'PersistentVolumeClaim default/data-a does not exist yet; somebody else makes it',
    )
    expect(world.api.find(PersistentVolumeClaim, claimKey)).toBeUndefined()
    world.api.put(PersistentVolumeClaim, claim('1Gi'))
    await world.clock.advance(0)
    expect(at(world.api.find(PersistentVolumeClaim, claimKey), 'spec', 'resources', 'requests', 'storage')).toBe('2Gi')
  })

  it('takes its fields from other writers again', async () => {
    const world = new World()
    world.api.put(PersistentVolumeClaim, claim('1Gi'))
    world.addSite('a', { page: '2Gi' })
    await world.live(growing())
    world.api.edit(PersistentVolumeClaim, claimKey, { spec: { resources: { requests: { storage: '3Gi' } } } })
    await world.clock.advance(1_000)
    expect(world.api.find(PersistentVolumeClaim, claimKey)?.spec).toEqual(claim('2Gi').spec)
  })

  it('stays when it is no longer declared, and when the resource is deleted', async () => {
    const world = new World()
    world.api.put(PersistentVolumeClaim, claim('1Gi'))
    world.addSite('a', { page: '2Gi' })
    await world.live(growing())
    world.api.edit(Site, 'default/a', { spec: { page: '' } })
    await world.clock.advance(60_000)
    world.api.remove(Site, 'default/a')
    await world.clock.advance(60_000)
    expect(world.site()).toBeUndefined()
    expect(world.api.find(PersistentVolumeClaim, claimKey)?.spec).toEqual(claim('2Gi').spec)
  })

  it.each([
    ['is not watched', []],
    ['is watched, but not to contribute to', [{ ...claims, contributes: false }]],
  ])('to a kind that %s is rejected with one sentence', async (_, watches) => {
    const world = new World()
    world.api.put(PersistentVolumeClaim, claim('1Gi'))
    world.addSite('a', { page: '2Gi' })
    await world.live(siteController({ watches, desired: (chart) => void contributeStorage(chart, '2Gi') }))
    expect(world.conditions()).toMatchObject({ Stalled: 'True/InvalidPolicy' })
    expect(world.message('Stalled')).toMatch(
      /construct claim contributes to a PersistentVolumeClaim .* contributes: true$/,
    )
    expect(world.api.find(PersistentVolumeClaim, claimKey)?.spec).toEqual(claim('1Gi').spec)
  })

  it.each([
    ['keep', { keep: (object: LiveObject) => object }],
    ['metadataOnly', { metadataOnly: true }],
  ])('needs a watch that caches whole objects, and rejects %s', (_, partial) => {
    const watches = [{ ...claims, ...partial }]
    expect(() => siteController({ watches })).toThrow(/needs whole objects; leave keep and metadataOnly out/)
  })
})

describe('a held object', () => {
  /** Holds the pages, and their dependents, while the page is `wait`. */
  const held = () =>
    siteController({
      owns: [ConfigMap, Service],
      desired: (chart, { object }) => {
        const made = configMap(chart, 'a-pages')
        configMap(chart, 'free').node.addDependency(configMap(chart, 'before'))
        configMap(chart, 'after').node.addDependency(made)
        waitForReady(configMap(chart, 'ready-after'), made)
        if (object.spec.page === 'wait') hold(made, 'waits for the moon')
      },
    })
  const names = (world: World) => world.api.all(ConfigMap).map(({ metadata }) => metadata.name)

  it('is not created, nor are its dependents; all others are', async () => {
    const world = new World()
    world.addSite('a', { page: 'wait' })
    await world.live(held())
    expect(names(world)).toEqual(['before', 'free'])
    expect(world.conditions()).toMatchObject({ Ready: 'False/Waiting' })
    expect(world.message('Ready')).toBe('ConfigMap default/a-pages waits for the moon')
    world.api.edit(Site, 'default/a', { spec: { page: 'go' } })
    await world.clock.advance(0)
    expect(names(world).sort()).toEqual(['a-pages', 'after', 'before', 'free', 'ready-after'])
    expect(world.conditions()).toEqual(settled)
  })

  it('stays unchanged if it exists', async () => {
    const world = new World()
    world.addSite('a', { page: 'go' })
    await world.live(held())
    world.api.edit(Site, 'default/a', { spec: { page: 'wait' } })
    await world.clock.advance(0)
    world.api.edit(ConfigMap, pages, { data: { a: 'theirs' } })
    await world.clock.advance(60_000)
    expect(names(world)).toHaveLength(5)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ a: 'theirs' })
  })

  it('may wait for a phase of its own resource, through observe', async () => {
    const world = new World()
    const controller = siteController({
      observe: async ({ object }) => ({ pages: object.status?.pages ?? 0 }),
      desired: (chart, { facts }) => {
        configMap(chart, 'first')
        // One child exists as soon as the status reports it.
        const isFirstThere = (facts as { pages: number }).pages > 0
        const second = configMap(chart, 'second')
        if (!isFirstThere) hold(second, 'waits for the first page')
      },
    })
    world.addSite('a')
    await world.live(controller)
    expect(names(world)).toEqual(['first'])
    await world.clock.advance(60_000)
    expect(names(world)).toEqual(['first', 'second'])
    expect(world.conditions()).toEqual(settled)
  })
})
