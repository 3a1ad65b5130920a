// Deletions with a possibly stale cache: the reconcile waits, so that nothing is deleted by mistake or twice (I5). Over
// the model API server, with delayed watches.
import { beforeEach, describe, expect, it } from 'vitest'
import { ConfigMap, Secret, Service } from '../../src/object/built-in.ts'
import { describeRequest, failure } from '../model-api.ts'
import { secretText } from '../taint/secret-text.ts'
import { Site, World } from './life.ts'
import { settled } from './sites.ts'
import { spreadController } from './spread.ts'

let world: World
beforeEach(async () => {
  world = new World()
  world.addSite('a', { page: 'hello', password: secretText('x') })
  await world.live()
  expect(world.conditions()).toEqual(settled)
  world.api.requests.length = 0
})

const deletes = () => world.api.requests.filter(({ verb }) => verb === 'delete').map(describeRequest)
const login = () => world.api.find(Secret, 'default/a-login')

describe('a reconcile with a prune', () => {
  it('waits until the caches have the writes of the previous reconcile, and reports nothing', async () => {
    world.api.hold(Secret, true)
    world.api.edit(Site, 'default/a', { spec: { password: secretText('y') } })
    await world.clock.advance(0)
    const { status } = world.site() ?? {}
    world.api.edit(Site, 'default/a', { spec: { password: null } })
    await world.clock.advance(60_000)
    expect(deletes()).toEqual([])
    expect(world.site()?.status).toEqual(status)
    world.api.hold(Secret, false)
    await world.clock.advance(5_000)
    expect(deletes()).toEqual(['delete secrets default/a-login'])
    expect(world.conditions()).toEqual(settled)
  })

  it.each([
    {
      title: 'was given the child again meanwhile',
      answer: () => void world.api.edit(Site, 'default/a', { spec: { password: secretText('z') } }),
    },
    {
      title: 'was paused meanwhile',
      answer: () =>
        void world.api.edit(Site, 'default/a', { metadata: { annotations: { 'konverge.dev/paused': 'true' } } }),
    },
    { title: 'was deleted meanwhile', answer: () => world.api.remove(Site, 'default/a') },
  ])('deletes nothing for a resource that $title', async ({ answer }) => {
    let isFirst = true
    const uid = login()?.metadata.uid
    const atDelete: unknown[] = []
    world.api.before = ({ verb, plural }) => {
      if (verb === 'delete' && plural === 'secrets') atDelete.push('delete')
      if (verb !== 'get' || plural !== 'sites' || !isFirst) return
      isFirst = false
      answer()
    }
    world.api.edit(Site, 'default/a', { spec: { password: null } })
    await world.clock.advance(60_000)
    expect(isFirst).toBe(false)
    expect(atDelete).toEqual([])
    expect(login()?.metadata.uid).toBe(uid)
  })

  it('deletes nothing for a resource that the server no longer returns', async () => {
    world.api.before = ({ verb, plural }) => {
      if (verb === 'get' && plural === 'sites') throw failure('NotFound', 'sites "a" not found')
    }
    world.api.edit(Site, 'default/a', { spec: { password: null } })
    await world.clock.advance(1_000)
    expect(deletes()).toEqual([])
    expect(world.conditions()).toEqual(settled)
    world.api.before = () => {}
    await world.clock.advance(1_000)
    expect(deletes()).toEqual(['delete secrets default/a-login'])
  })

  it('retries at growing intervals while the caches are stale, finally every five seconds', async () => {
    world.api.hold(Secret, true)
    world.api.edit(Site, 'default/a', { spec: { password: secretText('y') } })
    await world.clock.advance(0)
    world.api.edit(Site, 'default/a', { spec: { password: null } })
    world.lines.length = 0
    await world.clock.advance(60_000)
    const turns = world.lines.filter(({ message }) => message === 'turn ended').length
    expect(turns).toBeGreaterThan(12)
    expect(turns).toBeLessThan(20)
    world.api.hold(Secret, false)
    await world.clock.advance(5_000)
    expect(deletes()).toEqual(['delete secrets default/a-login'])
  })

  it('costs one read of the resource, and none without a prune', async () => {
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(1_000)
    expect(world.api.requests.map(describeRequest)).not.toContain('get sites default/a')
    world.api.edit(Site, 'default/a', { spec: { password: null } })
    await world.clock.advance(1_000)
    expect(world.api.requests.map(describeRequest).filter((request) => request === 'get sites default/a')).toHaveLength(
      1,
    )
  })
})

describe('an ordered deletion', () => {
  it('deletes each child once, however late the watches are', async () => {
    world.api.edit(Service, 'default/a', { metadata: { finalizers: ['cloud.dev/balancer'] } })
    await world.clock.advance(0)
    world.api.requests.length = 0
    world.api.after = ({ verb }) => {
      if (verb === 'delete') world.api.isHoldingWatches = true
    }
    world.api.remove(Site, 'default/a')
    await world.clock.advance(60_000)
    expect(deletes()).toEqual(['delete services default/a'])
    world.api.isHoldingWatches = false
    await world.clock.advance(16_000)
    expect(deletes()).toEqual(['delete services default/a'])
    expect(world.message('Ready')).toBe(
      'waiting for Service default/a: finalizer cloud.dev/balancer and foregroundDeletion, 1 m',
    )
  })
})

describe('the end of a deletion', () => {
  it('comes after the operator has searched the server for its remote children: the response to an own write may have been lost', async () => {
    const lost = new World()
    lost.addSite('a', { page: 'elsewhere' })
    lost.api.after = ({ verb, key }) => {
      if (verb !== 'apply' || key !== 'elsewhere/a-far') return
      lost.api.hold(ConfigMap, true)
      throw failure('Timeout', 'no answer')
    }
    await lost.live(spreadController())
    expect(lost.api.find(ConfigMap, 'elsewhere/a-far')).toBeDefined()
    lost.api.remove(Site, 'default/a')
    for (let round = 0; round < 4; round++) {
      await lost.clock.advance(20_000)
      lost.api.collectGarbage()
    }
    expect(lost.site()).toBeUndefined()
    expect(lost.api.find(ConfigMap, 'elsewhere/a-far')).toBeUndefined()
  })
})

describe('a namespace that is being deleted', () => {
  it('causes no repeated retries', async () => {
    world.api.before = ({ verb }) => {
      if (verb === 'apply') throw failure('NamespaceTerminating', 'the namespace is being terminated')
    }
    world.api.remove(Service, 'default/a')
    await world.clock.advance(3_600_000)
    expect(world.conditions()).toMatchObject({ Stalled: 'True/NamespaceTerminating' })
    expect(world.api.requests.filter(({ verb }) => verb === 'apply')).toHaveLength(1)
  })
})
