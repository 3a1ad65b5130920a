// Whole reconciles of an example kind over the model API server: from a new resource until it is in sync.
import { ApiObject } from 'cdk8s'
import { describe, expect, it } from 'vitest'
import { ConfigMap, Secret, Service } from '../../src/object/built-in.ts'
import { at, describeRequest, failure } from '../model-api.ts'
import { secretText } from '../taint/secret-text.ts'
import { Site, siteController, World } from './life.ts'
import { isWriteOf, pages, settled, settledSite, withPages } from './sites.ts'

describe('a new resource', () => {
  it('is adopted, and gets its children and its status in one reconcile', async () => {
    const { world } = await settledSite()
    expect(world.api.requests.map(describeRequest)).toEqual([
      'patch sites default/a',
      'apply configmaps default/a-pages',
      'apply services default/a',
      'patch sites/status default/a',
    ])
    expect(at(world.site(), 'status', 'pages')).toBe(2)
    expect(at(world.site(), 'status', 'observedGeneration')).toBe(1)
  })

  it('has the finalizer and the inventory metadata before its first child', async () => {
    const world = new World()
    world.addSite()
    const seen: unknown[] = []
    world.api.before = ({ verb }) => {
      if (verb === 'apply') seen.push(world.site()?.metadata.finalizers, world.site()?.metadata.labels)
    }
    await world.live()
    expect(seen[0]).toEqual(['konverge.dev/konverge'])
    expect(seen[1]).toEqual({ 'applyset.kubernetes.io/id': expect.stringMatching(/^applyset-/) })
  })

  it('keeps the finalizers of others', async () => {
    const world = new World()
    const site = world.addSite()
    world.api.edit(Site, 'default/a', { metadata: { finalizers: ['theirs.dev/keep'] } })
    await world.live()
    expect(site.metadata.finalizers).toBeUndefined()
    expect(world.site()?.metadata.finalizers).toEqual(['theirs.dev/keep', 'konverge.dev/konverge'])
  })

  it('gets no child when it cannot be adopted', async () => {
    const world = new World()
    world.addSite()
    world.api.before = ({ verb, subresource }) => {
      if (verb === 'patch' && subresource === undefined) throw failure('Forbidden', 'may not patch sites')
    }
    await world.live()
    await world.clock.advance(60_000)
    expect(world.api.all(ConfigMap)).toEqual([])
  })

  it('reports in its status that it cannot be adopted', async () => {
    const world = new World()
    world.addSite()
    world.api.before = ({ verb, subresource }) => {
      if (verb === 'patch' && subresource === undefined) throw failure('Forbidden', 'may not patch sites')
    }
    await world.live()
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/Forbidden' })
  })

  it('with a conflict at its adoption is adopted by the next reconcile', async () => {
    const world = new World()
    world.addSite()
    let isFirst = true
    world.api.before = ({ verb }) => {
      if (verb !== 'patch' || !isFirst) return
      isFirst = false
      world.api.edit(Site, 'default/a', { metadata: { finalizers: ['theirs.dev/keep'] } })
    }
    await world.live()
    await world.clock.advance(11_000)
    expect(world.conditions()).toEqual(settled)
    expect(world.site()?.metadata.finalizers).toEqual(['theirs.dev/keep', 'konverge.dev/konverge'])
  })
})

describe('a resource in sync', () => {
  it('is neither written nor read by further reconciles', async () => {
    const { world } = await settledSite()
    world.api.requests.length = 0
    world.api.edit(Site, 'default/a', { metadata: { annotations: { look: 'again' } } })
    await world.clock.advance(3_600_000)
    expect(world.api.requests.map(describeRequest)).toEqual([])
  })

  it('is neither written nor read after a restart', async () => {
    const { world, life } = await settledSite()
    await life.drain()
    world.api.requests.length = 0
    await world.live()
    await world.clock.advance(3_600_000)
    expect(world.api.requests.map(describeRequest)).toEqual([])
    expect(at(world.site(), 'metadata', 'generation')).toBe(1)
  })

  it.each([
    { title: 'whose child is to be retained', over: { isRetained: true } },
    { title: 'whose child is in another namespace', over: { namespace: 'elsewhere' } },
  ])('$title is neither written nor read after a restart', async ({ over }) => {
    const world = new World()
    world.addSite()
    const life = await world.live(withPages(over))
    await life.drain()
    world.api.requests.length = 0
    await world.live(withPages(over))
    await world.clock.advance(3_600_000)
    expect(world.api.requests.map(describeRequest)).toEqual([])
    expect(world.conditions()).toEqual(settled)
  })

  it('reconciles at each future time that its status names, and at no past one', async () => {
    const world = new World()
    const startMs = world.clock.now()
    const turns: number[] = []
    const controller = siteController({
      observe: ({ nowMs }) => Promise.resolve(void turns.push(nowMs - startMs)),
      status: () => ({ fields: { pages: 0 }, conditions: [], dueAtMs: [90_000, 20_000, -1].map((ms) => startMs + ms) }),
    })
    await settledSite(world, controller)
    await world.clock.advance(1_000)
    turns.length = 0
    await world.clock.advance(7_200_000)
    expect(turns).toEqual([20_000, 90_000])
  })

  it('restores its own fields after edits, and leaves others', async () => {
    const { world } = await settledSite()
    world.api.edit(ConfigMap, pages, { data: { index: 'theirs', more: 'theirs' }, metadata: { labels: { b: 'c' } } })
    await world.clock.advance(1_000)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ index: 'hello', more: 'theirs' })
    expect(world.api.find(ConfigMap, pages)?.metadata.labels).toMatchObject({ b: 'c' })
  })

  it('recreates a deleted child', async () => {
    const { world } = await settledSite()
    const uid = world.api.find(ConfigMap, pages)?.metadata.uid
    world.api.remove(ConfigMap, pages)
    await world.clock.advance(1_000)
    expect(world.api.find(ConfigMap, pages)?.metadata.uid).not.toBe(uid)
    expect(world.conditions()).toEqual(settled)
  })

  it('prunes the child that its constructs no longer declare, by its uid', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello', password: secretText('x') })
    await world.live()
    const uid = world.api.find(Secret, 'default/a-login')?.metadata.uid
    world.api.edit(Site, 'default/a', { spec: { password: null } })
    await world.clock.advance(1_000)
    const deletes = world.api.requests.filter(({ verb }) => verb === 'delete')
    expect(deletes.map(({ key, body }) => ({ key, body }))).toEqual([
      { key: 'default/a-login', body: { preconditions: { uid }, propagationPolicy: 'Background' } },
    ])
    expect(world.api.find(Secret, 'default/a-login')).toBeUndefined()
  })

  it.each([
    ['null', () => null],
    ['one object', () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a-pages' } })],
    ['a Set', () => new Set()],
  ])('prunes nothing when desired returns %s, and reports that', async (_, returned) => {
    const { world, life } = await settledSite()
    await life.drain()
    await world.live(siteController({ desired: (() => returned()) as never }))
    await world.clock.advance(60_000)
    expect(world.api.find(ConfigMap, pages)).toBeDefined()
    expect(world.conditions()).toMatchObject({ Stalled: 'True/InvalidReturn' })
  })

  it('prunes nothing while another child cannot be written', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello', password: secretText('x') })
    await world.live()
    world.api.before = (request) => {
      if (isWriteOf('configmaps')(request)) throw failure('ServerError', 'etcd is slow')
    }
    world.api.edit(Site, 'default/a', { spec: { page: 'new', password: null } })
    await world.clock.advance(1_000)
    expect(world.api.find(Secret, 'default/a-login')).toBeDefined()
  })
})

describe('a resource that waits for a child', () => {
  const balanced = siteController({
    desired: (chart, { object }) => {
      const metadata = { name: object.metadata.name }
      const spec = { type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP' }] }
      new ApiObject(chart, 'service', { apiVersion: 'v1', kind: 'Service', metadata, spec })
    },
  })

  it('rechecks without an event and without a write, and sees its own writes although the watches are behind', async () => {
    const world = new World()
    world.addSite()
    world.api.before = ({ verb }) => {
      if (verb === 'patch') world.api.isHoldingWatches = true
    }
    await world.live(balanced)
    await world.clock.advance(60_000)
    expect(world.api.requests.map(describeRequest)).toEqual([
      'patch sites default/a',
      'apply services default/a',
      'patch sites/status default/a',
    ])
    expect(world.conditions()).toMatchObject({ Ready: 'False/Waiting', Reconciling: 'True/Waiting' })
    const turns = world.lines.filter(({ message }) => message === 'turn ended')
    expect(turns.length).toBeGreaterThanOrEqual(3)
  })

  it('is ready as soon as the child is', async () => {
    const world = new World()
    world.addSite()
    await world.live(balanced)
    world.api.edit(Service, 'default/a', { status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } } })
    await world.clock.advance(0)
    expect(world.conditions()).toEqual(settled)
  })
})

describe('a change by a user', () => {
  it('that arrives only together with an own status write triggers a reconcile', async () => {
    const { world } = await settledSite()
    let isFirst = true
    world.api.before = ({ subresource }) => {
      if (subresource !== 'status' || !isFirst) return
      isFirst = false
      world.api.isHoldingWatches = true
      world.api.edit(Site, 'default/a', { spec: { page: 'newest' } })
    }
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(0)
    expect(isFirst).toBe(false)
    // The watches restart, and no event shows the changes in between.
    world.api.compact()
    await world.clock.advance(60_000)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ index: 'newest' })
    expect(at(world.site(), 'status', 'observedGeneration')).toBe(3)
  })

  it('during a reconcile triggers another one', async () => {
    const { world } = await settledSite()
    let isFirst = true
    world.api.after = ({ plural }) => {
      if (plural !== 'configmaps' || !isFirst) return
      isFirst = false
      world.api.edit(Site, 'default/a', { spec: { page: 'newest' } })
    }
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(1_000)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ index: 'newest' })
    expect(at(world.site(), 'status', 'observedGeneration')).toBe(3)
  })

  it('to a child that arrives only together with an own write to it is undone', async () => {
    const { world } = await settledSite()
    let isFirst = true
    world.api.after = ({ verb, plural }) => {
      if (verb !== 'apply' || plural !== 'configmaps' || !isFirst) return
      isFirst = false
      world.api.isHoldingWatches = true
      world.api.edit(ConfigMap, pages, { data: { index: 'theirs' } })
    }
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(0)
    world.api.compact()
    await world.clock.advance(60_000)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ index: 'new' })
  })
})

describe('a status', () => {
  it('keeps its fields when its function throws', async () => {
    const { world, life } = await settledSite()
    await life.drain()
    await world.live(
      siteController({
        status: () => {
          throw new TypeError('x is not a function')
        },
      }),
    )
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(1_000)
    expect(at(world.site(), 'status', 'pages')).toBe(2)
    expect(at(world.site(), 'status', 'observedGeneration')).toBe(2)
    expect(world.lines.some(({ level, message }) => level === 'error' && message.includes('status function'))).toBe(
      true,
    )
  })

  it('is written for this object only: with its uid, through the subresource', async () => {
    const { world } = await settledSite()
    const [write] = world.api.requests.filter(({ subresource }) => subresource === 'status')
    expect(write?.body).toMatchObject({ metadata: { uid: world.site()?.metadata.uid }, status: { pages: 2 } })
  })

  it('is not written on another object of the same name', async () => {
    const { world } = await settledSite()
    world.api.before = ({ subresource }) => {
      if (subresource !== 'status') return
      world.api.before = () => {}
      world.api.edit(Site, 'default/a', { metadata: { finalizers: null } })
      world.api.remove(Site, 'default/a')
      world.addSite('a', { page: 'another' })
      expect(world.conditions()).toEqual({})
    }
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(0)
    world.api.collectGarbage()
    await world.clock.advance(60_000)
    expect(world.conditions()).toEqual(settled)
    expect(at(world.site(), 'metadata', 'generation')).toBe(1)
    expect(at(world.site(), 'status', 'observedGeneration')).toBe(1)
  })
})

describe('a secret', () => {
  it('is in no log line, whatever happens to the Secret', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello', password: 'first-secret' })
    await world.live()
    world.api.edit(Site, 'default/a', { spec: { password: 'second-secret' } })
    await world.clock.advance(1_000)
    world.api.edit(Secret, 'default/a-login', { data: { login: 'dGhpcmQtc2VjcmV0' } })
    await world.clock.advance(1_000)
    const lines = JSON.stringify(world.lines)
    expect(lines).toContain('change Secret default/a-login')
    const encoded = ['first-secret', 'second-secret', 'third-secret'].map((text) => btoa(text))
    for (const secret of ['first-secret', 'second-secret', ...encoded]) expect(lines).not.toContain(secret)
    expect(JSON.stringify(world.site()?.status)).not.toContain('secret')
  })
})
