// Repairs that a definition requests.
import { describe, expect, it } from 'vitest'
import { ConfigMap, Pod } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { describeRequest, failure } from '../model-api.ts'
import { siteController, World } from './life.ts'
import { pages } from './sites.ts'

const event = { type: 'Normal', reason: 'PodDeleted', action: 'Repair', note: 'it was in the way' } as const

/** Deletes the pod named `stuck`, as the reconcile read it. */
const repairing = (over: object = {}) =>
  siteController({
    watches: [{ resource: Pod, keysFor: () => [], repairMayDelete: true, ...over }],
    observe: ({ live }) => live.find(Pod, { namespace: 'default', name: 'stuck' }),
    repair: ({ facts }) => (facts === undefined ? undefined : { delete: facts as LiveObject, event }), // As observed.
  })

function worldWithPod(): World {
  const world = new World()
  world.api.put(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'stuck', namespace: 'default' } })
  world.addSite()
  return world
}
const deletes = ({ api }: World) => api.requests.filter(({ verb }) => verb === 'delete')

describe('a repair', () => {
  it('deletes this version of the object, after the children were applied, and records an Event', async () => {
    const world = worldWithPod()
    const { uid, resourceVersion } = world.api.find(Pod, 'default/stuck')?.metadata ?? {}
    await world.live(repairing())
    const written = world.api.writes
    expect(written.indexOf('delete pods default/stuck')).toBeGreaterThan(written.indexOf('apply services default/a'))
    expect(deletes(world)[0]?.body).toMatchObject({ preconditions: { uid, resourceVersion } })
    expect(world.events).toEqual([event])
  })

  it('skips an object that has changed meanwhile, without a failure', async () => {
    const world = worldWithPod()
    world.api.before = ({ verb }) => {
      if (verb === 'delete') world.api.edit(Pod, 'default/stuck', { metadata: { labels: { now: 'ready' } } })
    }
    await world.live(repairing())
    expect(deletes(world)).toHaveLength(1)
    expect(world.api.find(Pod, 'default/stuck')).toBeDefined()
    expect(world.events).toEqual([])
    expect(world.conditions()['Ready']).toBe('True/Settled')
  })

  it('waits while an apply fails', async () => {
    const world = worldWithPod()
    world.api.before = (request) => {
      if (describeRequest(request) === `apply configmaps ${pages}`) throw failure('ServerError', 'etcd is slow')
    }
    await world.live(repairing())
    expect(deletes(world)).toEqual([])
    world.api.before = () => {}
    await world.clock.advance(60_000)
    expect(deletes(world)).toHaveLength(1)
    expect(world.api.find(ConfigMap, pages)).toBeDefined()
  })

  it('waits while the cache lacks writes of the reconcile', async () => {
    const world = worldWithPod()
    world.api.before = (request) => {
      if (describeRequest(request) === 'apply services default/a') world.api.isHoldingWatches = true
    }
    await world.live(repairing())
    expect(deletes(world)).toEqual([])
    world.api.isHoldingWatches = false
    await world.clock.advance(60_000)
    expect(deletes(world)).toHaveLength(1)
    expect(world.conditions()['Ready']).toBe('True/Settled')
  })

  it('that is rejected permanently is reported in the status', async () => {
    const world = worldWithPod()
    world.api.before = ({ verb }) => {
      if (verb === 'delete') throw failure('Forbidden', 'may not delete pods')
    }
    await world.live(repairing())
    await world.clock.advance(60_000)
    expect(world.conditions()['Degraded']).toBe('True/Forbidden')
  })

  it('for a kind without repairMayDelete is a bug, and deletes nothing', async () => {
    const world = worldWithPod()
    await world.live(repairing({ repairMayDelete: false }))
    await world.clock.advance(60_000)
    expect(deletes(world)).toEqual([])
    expect(world.conditions()['Degraded']).toBe('True/InvariantBroken')
  })
})
