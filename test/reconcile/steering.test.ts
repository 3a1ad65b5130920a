// Whole reconciles of a resource with steering annotations: paused, reconciled now, or at an interval.
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/base/random.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import type { ConditionClaim } from '../../src/object/condition.ts'
import { nextRecheckMs, steeringOf } from '../../src/reconcile/steering.ts'
import { at, describeRequest, failure, type ModelRequest } from '../model-api.ts'
import { store } from '../objects.ts'
import { Site, siteController, World } from './life.ts'
import { isWriteOf, pages, settled, settledSite } from './sites.ts'

const paused = 'konverge.dev/paused'
const now = 'konverge.dev/reconcile-now'
const interval = 'konverge.dev/reconcile-interval'

const refuseWritesOfPages = (request: ModelRequest) => {
  if (isWriteOf('configmaps')(request)) throw failure('ServerError', 'etcd is slow')
}

/** Sets or removes an annotation, and runs until idle. */
async function annotate(world: World, annotation: string, value: string | null): Promise<void> {
  world.api.edit(Site, 'default/a', { metadata: { annotations: { [annotation]: value } } })
  await world.clock.advance(0)
}

describe('steering annotations', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'

  it.each([
    { given: {}, expected: {} },
    { given: { [paused]: 'false', [now]: '' }, expected: {} },
    { given: { [now]: 'x', [interval]: '10m' }, expected: { token: 'x', intervalMs: 600_000 } },
    { given: { [interval]: '10s' }, expected: { intervalMs: 10_000 } },
    {
      given: { [interval]: '9s' },
      expected: { complaint: `${interval} is "9s"; give a duration of 10s or more, such as 10m or 1h30m` },
    },
    {
      given: { [paused]: 'true', [now]: 'x', [interval]: 'soon' },
      expected: { pause: `nothing is changed until the annotation ${paused} is removed` },
    },
    {
      given: { [paused]: 'yes' },
      expected: {
        pause: `${paused} is "yes", which may mean a pause: nothing is changed until it is "false" or removed`,
      },
    },
  ])('with $given are $expected', ({ given, expected }) => {
    expect(steeringOf(store({ metadata: { annotations: given } }))).toEqual(expected)
  })

  it('report that a deletion waits', () => {
    const object = store({ metadata: { annotations: { [paused]: 'true' }, deletionTimestamp } })
    expect(steeringOf(object).pause).toBe(`its deletion waits until the annotation ${paused} is removed`)
  })

  it('spread reconciles over a tenth of the interval', () => {
    const random = seededRandom(1)
    const looks = Array.from({ length: 1_000 }, () => nextRecheckMs(600_000, random))
    expect(Math.min(...looks)).toBeGreaterThanOrEqual(600_000)
    expect(Math.min(...looks)).toBeLessThan(601_000)
    expect(Math.max(...looks)).toBeGreaterThan(659_000)
    expect(Math.max(...looks)).toBeLessThanOrEqual(660_000)
  })
})

describe('a resource that its spec suspends', () => {
  it('is left unchanged like a paused one, and continues when the spec allows it', async () => {
    const { world } = await settledSite(
      undefined,
      siteController({ isSuspended: ({ spec }) => spec.page === 'suspended' }),
    )
    world.api.requests.length = 0
    world.api.edit(Site, 'default/a', { spec: { page: 'suspended' } })
    await world.clock.advance(3_600_000)
    expect(world.api.requests.map(describeRequest)).toEqual(['patch sites/status default/a'])
    expect(world.conditions()).toEqual({ ...settled, Progressing: 'False/Paused', Paused: 'True/Paused' })
    expect(world.message('Paused')).toBe('nothing is changed until spec.suspend is no longer true')
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(0)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ index: 'new' })
    expect(world.conditions()).toEqual(settled)
  })
})

describe('a paused resource whose kind observes changes', () => {
  const isSuspended = ({ spec }: { spec: { page: string } }) => spec.page === 'suspended'
  const why = { reason: 'NotAllowed', message: 'no consent' }
  const shut: readonly ConditionClaim[] = [
    { type: 'Ready', status: 'False', ...why },
    { type: 'Stalled', status: 'True', ...why },
    { type: 'Degraded', status: 'True', ...why },
  ]
  const freed: readonly ConditionClaim[] = [
    { type: 'Ready', status: 'False', reason: 'Suspended', message: 'its rights come back later' },
  ]

  it('reports changes, writes them once, and removes outdated ones', async () => {
    const claims = { current: [] as readonly ConditionClaim[] }
    const observePaused = async () => claims.current
    const { world } = await settledSite(undefined, siteController({ isSuspended, observePaused }))
    world.api.edit(Site, 'default/a', { spec: { page: 'suspended' } })
    await world.clock.advance(0)
    const still = { ...settled, Progressing: 'False/Paused', Paused: 'True/Paused' }
    expect(world.conditions()).toEqual(still)
    claims.current = shut
    await annotate(world, now, '1')
    const notAllowed = { Ready: 'False/NotAllowed', Stalled: 'True/NotAllowed', Degraded: 'True/NotAllowed' }
    expect(world.conditions()).toEqual({ ...still, ...notAllowed })
    world.api.requests.length = 0
    await annotate(world, now, '2')
    expect(world.api.requests).toEqual([])
    claims.current = []
    await annotate(world, now, '3')
    expect(world.conditions()).toEqual({ ...still, ...notAllowed })
    claims.current = freed
    await annotate(world, now, '4')
    const { Degraded: _, ...rest } = still
    expect(world.conditions()).toEqual({ ...rest, Ready: 'False/Suspended' })
  })
})

describe('a resource whose isSuspended function throws', () => {
  it('reports the error and is left unchanged, and can still be deleted', async () => {
    const isSuspended = ({ spec }: { spec: { page: string } }) => {
      if (spec.page === 'riddle') throw new Error('what is a riddle?')
      return false
    }
    const { world } = await settledSite(undefined, siteController({ isSuspended }))
    world.api.edit(Site, 'default/a', { spec: { page: 'riddle' } })
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Ready: 'False/InternalError', Degraded: 'True/InternalError' })
    expect(world.message('Degraded')).toBe('what is a riddle?')
    expect(at(world.api.find(ConfigMap, pages), 'data')).not.toEqual({ index: 'riddle' })
    world.api.remove(Site, 'default/a')
    for (let wave = 0; wave < 4; wave++) {
      await world.clock.advance(20_000)
      world.api.collectGarbage()
    }
    await world.clock.advance(20_000)
    expect(world.site()).toBeUndefined()
  })
})

describe('a paused resource', () => {
  it('is reported once, and is neither written nor read from then on', async () => {
    const { world } = await settledSite()
    world.api.requests.length = 0
    await annotate(world, paused, 'true')
    expect(world.api.requests.map(describeRequest)).toEqual(['patch sites/status default/a'])
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    world.api.edit(ConfigMap, pages, { data: { index: 'theirs' } })
    await world.clock.advance(3_600_000)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ index: 'theirs' })
    // The second write reports that the pause also holds for the new generation.
    expect(world.api.requests.map(describeRequest)).toEqual([
      'patch sites/status default/a',
      'patch sites/status default/a',
    ])
  })

  it('keeps the conditions of its last reconcile, with their generation', async () => {
    const { world } = await settledSite()
    await annotate(world, paused, 'true')
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(60_000)
    expect(world.conditions()).toEqual({ ...settled, Progressing: 'False/Paused', Paused: 'True/Paused' })
    expect(world.site()?.status).toMatchObject({ observedGeneration: 1, pages: 2 })
    expect(world.site()?.status).toHaveProperty('conditions.0', expect.objectContaining({ observedGeneration: 1 }))
  })

  it('that was in progress or failing is not reported as progressing', async () => {
    const { world } = await settledSite()
    world.api.before = refuseWritesOfPages
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(30_000)
    expect(world.conditions()).toHaveProperty('Reconciling')
    await annotate(world, paused, 'true')
    world.api.requests.length = 0
    await world.clock.advance(3_600_000)
    expect(world.api.requests).toEqual([])
    expect(world.conditions()).toEqual({
      Ready: 'False/ServerError',
      Degraded: 'True/ServerError',
      Progressing: 'False/Paused',
      Paused: 'True/Paused',
    })
  })

  it('continues at once after the pause, with all missed changes', async () => {
    const { world } = await settledSite()
    await annotate(world, paused, 'true')
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(60_000)
    await annotate(world, paused, null)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ index: 'new' })
    expect(world.conditions()).toEqual(settled)
  })

  it('from the beginning is not even adopted, and is reported as not ready', async () => {
    const world = new World()
    world.addSite()
    world.api.edit(Site, 'default/a', { metadata: { annotations: { [paused]: 'true' } } })
    await world.live()
    await world.clock.advance(60_000)
    expect(world.site()?.metadata.finalizers).toBeUndefined()
    expect(world.api.writes).toEqual(['patch sites/status default/a'])
    expect(world.conditions()).toMatchObject({ Ready: 'False/Paused', Paused: 'True/Paused' })
    await annotate(world, paused, 'false')
    expect(world.conditions()).toEqual(settled)
  })

  it('is not written after a restart', async () => {
    const { world, life } = await settledSite()
    await annotate(world, paused, 'true')
    await life.drain()
    world.api.requests.length = 0
    await world.live()
    await world.clock.advance(3_600_000)
    expect(world.api.requests).toEqual([])
  })

  it('is not deleted before it continues, and reports that', async () => {
    const { world } = await settledSite()
    await annotate(world, paused, 'true')
    world.api.remove(Site, 'default/a')
    await world.clock.advance(60_000)
    expect(world.api.find(ConfigMap, pages)).toBeDefined()
    expect(world.message('Paused')).toContain('its deletion waits')
    await annotate(world, paused, null)
    await world.clock.advance(60_000)
    world.api.collectGarbage()
    await world.clock.advance(60_000)
    world.api.collectGarbage()
    expect(world.site()).toBeUndefined()
    expect(world.api.all(ConfigMap)).toEqual([])
  })

  it('that the operator never adopted can be deleted', async () => {
    const world = new World()
    world.addSite()
    world.api.edit(Site, 'default/a', { metadata: { annotations: { [paused]: 'true' } } })
    await world.live()
    world.api.remove(Site, 'default/a')
    await world.clock.advance(0)
    expect(world.site()).toBeUndefined()
  })
})

describe('reconcile-now', () => {
  it('is answered although another writer removed the last answer behind a stale cache', async () => {
    let turns = 0
    const counting = siteController({ status: () => ({ fields: { pages: ++turns }, conditions: [] }) })
    const { world } = await settledSite(undefined, counting)
    await annotate(world, now, '1')
    world.api.hold(Site, true)
    world.api.edit(Site, 'default/a', { status: { lastHandledReconcileAt: null } })
    world.api.edit(ConfigMap, pages, { data: { index: 'theirs' } })
    await world.clock.advance(0)
    world.api.hold(Site, false)
    await annotate(world, now, '2')
    expect(world.site()?.status).toMatchObject({ lastHandledReconcileAt: '2' })
  })

  it('is answered by one status write, and never again', async () => {
    const { world, life } = await settledSite()
    world.api.requests.length = 0
    await annotate(world, now, '1')
    expect(world.api.requests.map(describeRequest)).toEqual(['patch sites/status default/a'])
    expect(world.site()?.status).toMatchObject({ lastHandledReconcileAt: '1', pages: 2 })
    await world.clock.advance(3_600_000)
    await life.drain()
    await world.live()
    await world.clock.advance(3_600_000)
    expect(world.api.requests.map(describeRequest)).toEqual(['patch sites/status default/a'])
  })

  it('stays answered when the annotation is gone, and through other reconciles', async () => {
    const { world } = await settledSite()
    await annotate(world, now, '1')
    await annotate(world, now, null)
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(1_000)
    expect(world.site()?.status).toMatchObject({ lastHandledReconcileAt: '1', observedGeneration: 2 })
  })

  it('is answered at once by a reconcile that fails for the first time, with the failure', async () => {
    const { world } = await settledSite()
    world.api.before = refuseWritesOfPages
    world.api.edit(Site, 'default/a', { spec: { page: 'new' }, metadata: { annotations: { [now]: '1' } } })
    await world.clock.advance(0)
    expect(world.site()?.status).toMatchObject({ lastHandledReconcileAt: '1' })
    expect(world.conditions()).toMatchObject({ Ready: 'False/ServerError' })
  })

  it('retries at once, without the backoff', async () => {
    const { world } = await settledSite()
    world.api.before = refuseWritesOfPages
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(3_600_000)
    world.api.before = () => {}
    await annotate(world, now, '1')
    expect(world.conditions()).toEqual(settled)
  })

  it('ends the pause after a permanent rejection', async () => {
    const { world } = await settledSite()
    world.api.before = (request) => {
      if (isWriteOf('configmaps')(request)) throw failure('Invalid', 'data is immutable')
    }
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(1_000)
    expect(world.conditions()).toMatchObject({ Stalled: 'True/ImmutableField' })
    world.api.before = () => {}
    await annotate(world, now, '1')
    expect(world.conditions()).toEqual(settled)
  })

  it('is answered at once while the resource is in progress, when mere progress would have to wait', async () => {
    const { world } = await settledSite()
    world.api.edit(ConfigMap, pages, { metadata: { finalizers: ['theirs.dev/keep'] } })
    world.api.remove(ConfigMap, pages)
    await world.clock.advance(1_000)
    expect(world.conditions()).toMatchObject({ Ready: 'False/Waiting' })
    await annotate(world, now, '1')
    expect(world.site()?.status).toMatchObject({ lastHandledReconcileAt: '1' })
  })

  it('waits while the resource is paused', async () => {
    const { world } = await settledSite()
    await annotate(world, paused, 'true')
    await annotate(world, now, '1')
    await world.clock.advance(60_000)
    expect(world.site()?.status).not.toHaveProperty('lastHandledReconcileAt')
    await annotate(world, paused, null)
    expect(world.site()?.status).toMatchObject({ lastHandledReconcileAt: '1' })
  })

  it('is written once, with a warning, for a kind whose CRD drops the answer', async () => {
    const { world } = await settledSite()
    world.api.before = ({ subresource, body }) => {
      // The server drops fields that the schema lacks. The body is JSON without another reader.
      if (subresource === 'status')
        delete (body as { status: Record<string, unknown> }).status['lastHandledReconcileAt']
    }
    world.api.requests.length = 0
    await annotate(world, now, '1')
    await annotate(world, now, '2')
    await world.clock.advance(3_600_000)
    expect(world.api.requests.map(describeRequest)).toEqual(['patch sites/status default/a'])
    const warnings = world.lines.filter(({ level, message }) => level === 'warn' && message.includes('add the field'))
    expect(warnings).toHaveLength(1)
  })
})

describe('an interval', () => {
  /** A site whose facts change without an event, with the count of its observations. */
  async function observedSite(annotations: Record<string, string>) {
    const world = new World()
    const looks: number[] = []
    let page = 'first'
    world.addSite()
    world.api.edit(Site, 'default/a', { metadata: { annotations } })
    await world.live(
      siteController({
        observe: async () => {
          looks.push(world.clock.monotonicMs())
          return { page }
        },
        status: ({ facts }) => ({
          fields: {},
          conditions: [{ type: 'Page', status: 'True', reason: (facts as { page: string }).page, message: '' }],
        }),
      }),
    )
    return { world, looks, drift: (to: string) => (page = to) }
  }

  it('reconciles a settled resource after that time, repeatedly', async () => {
    const { world, looks, drift } = await observedSite({ [interval]: '10m' })
    drift('second')
    await world.clock.advance(599_000)
    expect(world.conditions()).toMatchObject({ Page: 'True/first' })
    await world.clock.advance(61_000)
    expect(world.conditions()).toMatchObject({ Page: 'True/second' })
    const before = looks.length
    await world.clock.advance(6_600_000)
    expect(looks.length - before).toBeGreaterThanOrEqual(10)
    expect(looks.length - before).toBeLessThanOrEqual(11)
  })

  it('starts at the last reconcile, whatever its cause', async () => {
    const { world, looks } = await observedSite({ [interval]: '10m' })
    await world.clock.advance(300_000)
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(0)
    const before = looks.length
    await world.clock.advance(599_000)
    expect(looks.length).toBe(before)
  })

  it('does not exist without the annotation', async () => {
    const { world, looks } = await observedSite({})
    const before = looks.length
    await world.clock.advance(24 * 3_600_000)
    expect(looks.length).toBe(before)
  })

  it('reconciles a stopped resource too', async () => {
    const { world } = await settledSite()
    await annotate(world, interval, '10m')
    world.api.before = (request) => {
      if (isWriteOf('configmaps')(request)) throw failure('Invalid', 'data is immutable')
    }
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(1_000)
    expect(world.conditions()).toMatchObject({ Stalled: 'True/ImmutableField' })
    world.api.before = () => {}
    await world.clock.advance(660_000)
    expect(world.conditions()).toEqual(settled)
  })

  it('with an unreadable value is named in a condition while it is set, with one write', async () => {
    const { world } = await settledSite()
    world.api.requests.length = 0
    await annotate(world, interval, '10 minutes')
    await world.clock.advance(3_600_000)
    expect(world.conditions()).toEqual({ ...settled, AnnotationIgnored: 'True/InvalidAnnotation' })
    expect(world.message('AnnotationIgnored')).toContain('give a duration of 10s or more')
    expect(world.api.requests.map(describeRequest)).toEqual(['patch sites/status default/a'])
    await annotate(world, interval, '10m')
    expect(world.conditions()).toEqual(settled)
  })
})
