// Deletion of a resource: in order, without its constructs, and without objects of others (I4, I5, I6).
import { describe, expect, it } from 'vitest'
import { CodedError } from '../../src/base/errors.ts'
import { Fence } from '../../src/kube/fence.ts'
import { ConfigMap, Deployment, Service } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { ownerReferenceTo } from '../../src/object/ownership.ts'
import { failure } from '../model-api.ts'
import { live } from '../objects.ts'
import { Site, siteController, World } from './life.ts'
import { pages, settledSite, withPages } from './sites.ts'

describe('deletion', () => {
  /** Deletes the site and runs until idle. */
  async function remove(world: World): Promise<void> {
    world.api.remove(Site, 'default/a')
    for (let round = 0; round < 4; round++) {
      await world.clock.advance(20_000)
      world.api.collectGarbage()
    }
    await world.clock.advance(20_000)
  }

  it('deletes children with an order, last first, and leaves the others to the garbage collector', async () => {
    const { world } = await settledSite()
    await remove(world)
    expect(world.api.writes.filter((write) => write.startsWith('delete'))).toEqual(['delete services default/a'])
    expect(world.api.all()).toEqual([])
  })

  it('waits for a child with a finalizer, and names the finalizer', async () => {
    const { world } = await settledSite()
    world.api.edit(Service, 'default/a', { metadata: { finalizers: ['cloud.dev/balancer'] } })
    await remove(world)
    expect(world.site()?.metadata.finalizers).toContain('konverge.dev/konverge')
    expect(world.message('Ready')).toContain('Service default/a: finalizer cloud.dev/balancer')
    world.api.edit(Service, 'default/a', { metadata: { finalizers: null } })
    await world.clock.advance(20_000)
    expect(world.site()).toBeUndefined()
  })

  it('does not need the constructs', async () => {
    const { world, life } = await settledSite()
    await life.drain()
    await world.live(
      siteController({
        desired: () => {
          throw new TypeError('the constructs do not build')
        },
      }),
    )
    await remove(world)
    expect(world.api.all()).toEqual([])
  })

  it('does not need facts', async () => {
    const { world, life } = await settledSite()
    await life.drain()
    await world.live(siteController({ observe: () => Promise.reject(failure('Forbidden', 'may not look')) }))
    await remove(world)
    expect(world.api.all()).toEqual([])
  })

  it('does not need the status function', async () => {
    const { world, life } = await settledSite()
    await life.drain()
    await world.live(
      siteController({
        status: () => {
          throw new TypeError('no status')
        },
      }),
    )
    await remove(world)
    expect(world.api.all()).toEqual([])
  })

  it('does not need the status to be written', async () => {
    const { world } = await settledSite()
    world.api.before = ({ subresource }) => {
      if (subresource === 'status') throw failure('Invalid', 'the status does not fit its schema')
    }
    await remove(world)
    expect(world.site()).toBeUndefined()
  })

  it('keeps the finalizer while the cleanup fails, and retries', async () => {
    const world = new World()
    world.addSite()
    let isBroken = true
    await world.live(
      siteController({
        cleanup: () =>
          isBroken
            ? Promise.reject(new CodedError({ code: 'DnsDown', message: 'cannot remove the record', remedy: 'retry' }))
            : Promise.resolve({ kind: 'done' }),
      }),
    )
    await remove(world)
    expect(world.site()?.metadata.finalizers).toContain('konverge.dev/konverge')
    isBroken = false
    await world.clock.advance(300_000)
    expect(world.site()).toBeUndefined()
  })

  it('reports a failed cleanup in the status', async () => {
    const world = new World()
    world.addSite()
    const dnsDown = new CodedError({ code: 'DnsDown', message: 'cannot remove the record', remedy: 'retry' })
    await world.live(siteController({ cleanup: () => Promise.reject(dnsDown) }))
    await remove(world)
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/DnsDown' })
  })

  it('continues while the cleanup waits, and reports the reason', async () => {
    const world = new World()
    world.addSite()
    let isDone = false
    await world.live(
      siteController({
        cleanup: () => Promise.resolve(isDone ? { kind: 'done' } : { kind: 'waiting', on: 'the last backup' }),
      }),
    )
    await remove(world)
    expect(world.site()).toBeDefined()
    await world.clock.advance(60_000)
    expect(world.message('Ready')).toBe('the last backup')
    isDone = true
    await world.clock.advance(60_000)
    expect(world.site()).toBeUndefined()
  })

  it('counts a child as deleted that is gone when its delete arrives', async () => {
    const { world } = await settledSite()
    world.api.before = ({ verb }) => {
      if (verb === 'delete') throw failure('NotFound', 'services "a" not found')
    }
    world.api.after = () => {}
    world.api.remove(Site, 'default/a')
    await world.clock.advance(0)
    expect(world.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
    world.api.before = () => {}
    await remove(world)
    expect(world.site()).toBeUndefined()
  })

  it('leaves other finalizers unchanged', async () => {
    const { world } = await settledSite()
    world.api.edit(Site, 'default/a', {
      metadata: { finalizers: ['theirs.dev/keep', 'konverge.dev/konverge'] },
    })
    await remove(world)
    expect(world.site()?.metadata.finalizers).toEqual(['theirs.dev/keep'])
    world.api.requests.length = 0
    world.api.edit(Site, 'default/a', { metadata: { annotations: { look: 'again' } } })
    await world.clock.advance(300_000)
    expect(world.api.requests).toEqual([])
  })

  it('records an Event for each call of report', async () => {
    const world = new World()
    world.addSite()
    const event = { type: 'Normal', reason: 'Kept', action: 'Delete', note: 'kept the logs' } as const
    await world.live(
      siteController({
        cleanup: ({ report }) => {
          report(event)
          return Promise.resolve({ kind: 'done' })
        },
      }),
    )
    await remove(world)
    expect(world.events).toEqual([event])
  })

  it.each([
    { title: 'now has another controller', hasOwner: true },
    { title: 'was orphaned', hasOwner: false },
  ])('leaves a child unchanged that $title', async ({ hasOwner }) => {
    const { world } = await settledSite()
    const owner = world.api.put(
      Deployment,
      live({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } }),
    )
    const ownerReferences = hasOwner ? [{ ...ownerReferenceTo(owner) }] : null
    const theirs = world.api.edit(Service, 'default/a', { metadata: { ownerReferences } })
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/ConflictingOwner' })
    await remove(world)
    expect(world.site()).toBeUndefined()
    expect(world.api.find(Service, 'default/a')).toEqual(theirs)
  })

  it('leaves a copy of a child in another namespace unchanged', async () => {
    const { world } = await settledSite()
    const theirs = labelledLikeAChild(world, { namespace: 'elsewhere' })
    await remove(world)
    expect(world.site()).toBeUndefined()
    expect(world.api.find(ConfigMap, 'elsewhere/theirs')).toEqual(theirs)
  })

  it('leaves retained children', async () => {
    const world = new World()
    world.addSite()
    await world.live(withPages({ isRetained: true }))
    const kept = world.api.find(ConfigMap, pages)
    expect(kept?.metadata.ownerReferences).toBeUndefined()
    await remove(world)
    expect(world.site()).toBeUndefined()
    expect(world.api.find(ConfigMap, pages)).toEqual(kept)
  })

  it('deletes a child in another namespace by its uid, and waits until it is gone', async () => {
    const world = new World()
    world.addSite()
    await world.live(withPages({ namespace: 'elsewhere' }))
    const child = world.api.find(ConfigMap, 'elsewhere/a-pages')
    await remove(world)
    expect(world.site()).toBeUndefined()
    expect(world.api.find(ConfigMap, 'elsewhere/a-pages')).toBeUndefined()
    const deletes = world.api.requests.filter(({ verb }) => verb === 'delete')
    expect(deletes.map(({ body }) => body)).toMatchObject([{ preconditions: { uid: child?.metadata.uid } }])
  })

  it('deletes a child in another namespace by its token, even if a user gave it another controller', async () => {
    const world = new World()
    world.addSite()
    await world.live(withPages({ namespace: 'elsewhere' }))
    const metadata = { name: 'd', namespace: 'elsewhere' }
    const owner = world.api.put(Deployment, live({ apiVersion: 'apps/v1', kind: 'Deployment', metadata }))
    const ownerReferences = [{ ...ownerReferenceTo(owner) }]
    world.api.edit(ConfigMap, 'elsewhere/a-pages', { metadata: { ownerReferences } })
    await remove(world)
    expect(world.site()).toBeUndefined()
    expect(world.api.find(ConfigMap, 'elsewhere/a-pages')).toBeUndefined()
  })

  /** Creates an object as a copy of a child, or as left behind when its parent was deleted without it. */
  function labelledLikeAChild(world: World, metadata: object): LiveObject {
    const child = world.api.find(ConfigMap, pages)
    const { labels = {}, annotations = {} } = child?.metadata ?? {}
    return world.api.put(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'theirs', namespace: 'default', labels, annotations, ...metadata },
    })
  }
})

describe('a cleanup of a process that may not write any more', () => {
  const signals: AbortSignal[] = []
  const hanging = () =>
    siteController({
      cleanup: ({ signal }) => {
        signals.push(signal)
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    })

  it('does not begin while the fence is closed', async () => {
    const world = new World()
    const fence = new Fence(world.clock)
    world.addSite()
    const life = await world.live(hanging(), { gate: fence })
    world.api.remove(Site, 'default/a')
    await world.clock.advance(60_000)
    world.api.collectGarbage()
    await world.clock.advance(60_000)
    expect(signals).toEqual([])
    fence.openUntil(world.clock.monotonicMs() + 600_000)
    await world.clock.advance(300_000)
    expect(signals.length).toBeGreaterThan(0)
    await life.end()
  })

  it('gets an aborted signal when the fence closes', async () => {
    signals.length = 0
    const world = new World()
    const fence = new Fence(world.clock)
    fence.openUntil(600_000)
    world.addSite()
    const life = await world.live(hanging(), { gate: fence })
    world.api.remove(Site, 'default/a')
    await world.clock.advance(20_000)
    world.api.collectGarbage()
    await world.clock.advance(20_000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    fence.close()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    await life.end()
  })
})
