// Failures of a reconcile: it reports, retries or waits, and affects no other resource (I7, I10, I12).
import { describe, expect, it } from 'vitest'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { ConfigMap, Secret, Service } from '../../src/object/built-in.ts'
import { at, failure, type ModelRequest } from '../model-api.ts'
import { childOf } from '../objects.ts'
import { secretText } from '../taint/secret-text.ts'
import { Site, siteController, World } from './life.ts'
import { isWriteOf, pages, settled, settledSite } from './sites.ts'

describe('a foreign object with a child’s name', () => {
  const foreign = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'default' }, spec: { x: 1 } }

  it('is rejected, named in the status, and unchanged', async () => {
    const world = new World()
    const before = world.api.put(Service, foreign)
    world.addSite()
    await world.live()
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/ConflictingOwner' })
    expect(world.message('Degraded')).toContain('Service default/a exists')
    expect(world.api.find(Service, 'default/a')).toEqual(before)
    world.api.remove(Site, 'default/a')
    await world.clock.advance(60_000)
    expect(world.api.find(Service, 'default/a')).toEqual(before)
    expect(world.site()).toBeUndefined()
  })

  it('is no child for the status function', async () => {
    const world = new World()
    world.api.put(Service, foreign)
    world.addSite()
    await world.live()
    await world.clock.advance(60_000)
    expect(at(world.site(), 'status', 'pages')).toBe(1)
  })

  it('is replaced by the child when it is removed', async () => {
    const world = new World()
    world.api.put(Service, foreign)
    world.addSite()
    await world.live()
    world.api.remove(Service, 'default/a')
    await world.clock.advance(300_000)
    expect(world.conditions()).toEqual(settled)
  })

  it('that another Site owns is rejected, and both Sites are named', async () => {
    const { world } = await settledSite()
    await world.clock.advance(0)
    const owner = world.site()
    expect(owner).toBeDefined()
    if (owner === undefined) return
    world.api.put(Service, childOf(owner, { kind: 'Service', metadata: { name: 'b', namespace: 'default', uid: 'x' } }))
    world.addSite('b')
    await world.clock.advance(60_000)
    expect(world.message('Degraded', 'default/b')).toMatch(/controlled by Site a, not by Site default\/b/)
  })
})

describe('a failure that may pass', () => {
  /** A settled site whose pages have changed, and cannot be written. */
  async function brokenSite(fault = () => failure('ServerError', 'etcd is slow')) {
    const { world } = await settledSite()
    world.api.before = (request) => {
      if (isWriteOf('configmaps')(request)) throw fault()
    }
    world.api.requests.length = 0
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(0)
    return world
  }
  const tries = ({ api }: World) => api.writes.filter((write) => write === 'apply configmaps default/a-pages').length

  it('is retried after its backoff, and reported from the second time on', async () => {
    const world = await brokenSite()
    expect(world.conditions()).toEqual(settled)
    await world.clock.advance(4_900)
    expect(tries(world)).toBe(1)
    await world.clock.advance(5_200)
    expect(tries(world)).toBe(2)
    expect(world.conditions()).toMatchObject({ Ready: 'False/ServerError', Degraded: 'True/ServerError' })
    expect(world.conditions()).toHaveProperty('Reconciling', 'True/Retrying')
    world.api.before = () => {}
    await world.clock.advance(21_000)
    expect(world.conditions()).toEqual(settled)
  })

  it('ends within half a minute after a kind of its children is served again', async () => {
    const world = await brokenSite(() =>
      failure('ResourceNotFound', 'the server could not find the requested resource'),
    )
    await world.clock.advance(3_600_000)
    world.api.before = () => {}
    await world.clock.advance(30_000)
    expect(world.conditions()).toEqual(settled)
  })

  it('does not block independent children', async () => {
    const world = new World()
    world.addSite('a', { page: 'p', password: secretText('x') })
    world.api.before = (request) => {
      if (isWriteOf('configmaps')(request)) throw failure('ServerError', 'etcd is slow')
    }
    await world.live()
    expect(world.api.find(Secret, 'default/a-login')).toBeDefined()
    expect(world.api.find(Service, 'default/a'), 'depends on the pages').toBeUndefined()
  })

  it('waits at least as long as the server asked', async () => {
    const busy = { code: 'TooManyRequests', message: 'busy', retryAfterMs: 60_000 } as const
    const world = await brokenSite(() => new KubeError(busy))
    await world.clock.advance(59_000)
    expect(tries(world)).toBe(1)
    await world.clock.advance(2_000)
    expect(tries(world)).toBe(2)
  })

  it('ends within ten seconds after the API server returns, every time', async () => {
    const { world } = await settledSite()
    for (const page of ['first', 'second', 'third']) {
      world.api.before = () => {
        throw failure('Unreachable', 'the network is gone')
      }
      world.api.edit(Site, 'default/a', { spec: { page } })
      await world.clock.advance(300_000)
      world.api.before = () => {}
      await world.clock.advance(10_000)
      expect(at(world.api.find(ConfigMap, pages), 'data', 'index')).toBe(page)
      expect(world.conditions()).toEqual(settled)
    }
  })

  it('is retried at growing intervals, indefinitely', async () => {
    const world = await brokenSite()
    await world.clock.advance(3_600_000)
    expect(tries(world)).toBeLessThan(6 + 3_600 / 150)
    const before = tries(world)
    await world.clock.advance(300_000)
    expect(tries(world)).toBeGreaterThan(before)
  })
})

describe('a rejection by the API server', () => {
  const rejectServices = ({ verb, plural }: ModelRequest) => {
    if (verb === 'apply' && plural === 'services') throw failure('Invalid', 'spec.ports: provided port is taken')
  }
  const sent = ({ api }: World) => api.writes.filter((write) => write === 'apply services default/a').length

  async function rejectedSite() {
    const world = new World()
    world.addSite()
    world.api.before = rejectServices
    await world.live()
    return world
  }

  it('for a child is reported at once, and not as permanent', async () => {
    const world = await rejectedSite()
    expect(world.conditions()).toMatchObject({ Degraded: 'True/Invalid', Reconciling: 'True/Retrying' })
    expect(world.conditions()).not.toHaveProperty('Stalled')
  })

  it.each(['BadRequest', 'Forbidden', 'Invalid', 'MethodNotAllowed', 'RequestEntityTooLarge'] as const)(
    'with code %s is retried until it succeeds, without a change of the resource',
    async (code) => {
      const world = new World()
      world.addSite()
      world.api.before = ({ verb, plural }) => {
        if (verb === 'apply' && plural === 'services') throw failure(code, 'no')
      }
      await world.live()
      await world.clock.advance(3_600_000)
      world.api.before = () => {}
      await world.clock.advance(300_000)
      expect(world.conditions()).toEqual(settled)
    },
  )

  it('is retried at growing intervals, and every retry sends a request', async () => {
    const world = await rejectedSite()
    await world.clock.advance(3_600_000)
    expect(sent(world)).toBeGreaterThan(3_600 / 300)
    expect(sent(world)).toBeLessThan(6 + 3_600 / 150)
  })

  it('is not sent again at every event of a child', async () => {
    const world = await rejectedSite()
    for (let index = 0; index < 3_600; index++) {
      world.api.edit(ConfigMap, pages, { metadata: { annotations: { beat: String(index) } } })
      await world.clock.advance(1_000)
    }
    expect(sent(world)).toBeLessThan(8 + 3_600 / 75)
  })

  it('is retried at once for a changed declaration and for reconcile-now', async () => {
    const world = await rejectedSite()
    await world.clock.advance(3_600_000)
    const before = sent(world)
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(0)
    expect(sent(world)).toBe(before + 1)
    world.api.before = () => {}
    world.api.edit(Site, 'default/a', { metadata: { annotations: { 'konverge.dev/reconcile-now': '1' } } })
    await world.clock.advance(0)
    expect(world.conditions()).toEqual(settled)
  })

  it.each([
    { title: 'of the status', is: ({ subresource }: ModelRequest) => subresource === 'status' },
    { title: 'of the finalizer', is: ({ verb, plural }: ModelRequest) => verb === 'patch' && plural === 'sites' },
  ])('$title is retried too', async ({ is }) => {
    const world = new World()
    world.addSite()
    world.api.before = (request) => {
      if (is(request)) throw failure('Invalid', 'a webhook says no')
    }
    await world.live()
    await world.clock.advance(3_600_000)
    world.api.before = () => {}
    await world.clock.advance(300_000)
    expect(world.conditions()).toEqual(settled)
  })
})

describe('a change of an immutable field', () => {
  it('succeeds when a user deletes the object', async () => {
    const { world } = await settledSite()
    world.api.before = (request) => {
      if (isWriteOf('configmaps')(request) && world.api.find(ConfigMap, pages) !== undefined) {
        throw failure('Invalid', 'data is immutable')
      }
    }
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(1_000)
    expect(world.conditions()).toMatchObject({ Stalled: 'True/ImmutableField' })
    world.api.remove(ConfigMap, pages)
    await world.clock.advance(1_000)
    expect(world.conditions()).toEqual(settled)
  })
})

describe('a change that a webhook called impossible', () => {
  it('succeeds within minutes after the webhook allows it, without a change of the resource', async () => {
    const { world } = await settledSite()
    world.api.before = (request) => {
      if (isWriteOf('configmaps')(request)) throw failure('Invalid', 'the freeze says: data may not change')
    }
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(3_600_000)
    expect(world.conditions()).toMatchObject({ Stalled: 'True/ImmutableField' })
    world.api.before = () => {}
    await world.clock.advance(360_000)
    expect(world.conditions()).toEqual(settled)
  })
})

describe('a permanent failure', () => {
  it('from the constructs names the construct', async () => {
    const world = new World()
    world.addSite()
    await world.live(
      siteController({
        desired: () => {
          throw new RangeError('no page is that long')
        },
      }),
    )
    expect(world.conditions()).toMatchObject({ Stalled: 'True/BuildFailed' })
    expect(world.message('Stalled')).toContain('no page is that long')
    expect(world.api.all(ConfigMap)).toEqual([])
  })

  it('has the message of refuse, and comes before anything is created', async () => {
    const world = new World()
    world.addSite()
    await world.live(siteController({ validate: () => ({ message: 'there is no such theme' }) }))
    expect(world.conditions()).toMatchObject({ Degraded: 'True/InvalidSpec' })
    expect(world.message('Degraded')).toBe('there is no such theme')
    expect(world.api.all(ConfigMap)).toEqual([])
  })

  it('that repeats with another message is reported with the new message', async () => {
    const world = new World()
    world.addSite()
    let words = 'there is no theme'
    await world.live(siteController({ validate: () => ({ message: words }) }))
    words = 'there is no font'
    world.api.edit(Site, 'default/a', { metadata: { annotations: { look: 'again' } } })
    await world.clock.advance(60_000)
    expect(world.message('Degraded')).toBe('there is no font')
  })
})

describe('a fight with another writer', () => {
  /** Restores the pages after each write of the operator, as another writer. */
  function fight(world: World): void {
    world.api.after = ({ verb, plural }) => {
      if (verb === 'apply' && plural === 'configmaps') world.api.edit(ConfigMap, pages, { data: { index: 'theirs' } })
    }
  }
  const applies = ({ api }: World) => api.writes.filter((write) => write === `apply configmaps ${pages}`).length

  it('ends after three rounds with a condition that names the field, and pauses for minutes', async () => {
    const { world } = await settledSite()
    fight(world)
    world.api.edit(ConfigMap, pages, { data: { index: 'theirs' } })
    await world.clock.advance(120_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/NotConverging' })
    expect(world.message('Degraded')).toMatch(/by konverge\/sites\.example\.dev .* changed back at data by somebody/)
    const before = applies(world)
    // The creation, and three rounds that first apply without force.
    expect(before).toBeLessThanOrEqual(7)
    await world.clock.advance(120_000)
    expect(applies(world)).toBe(before)
  })

  it('also ends if the facts change in every reconcile, while the objects stay the same', async () => {
    let looks = 0
    const { world } = await settledSite(undefined, siteController({ observe: async () => ({ look: ++looks }) }))
    world.api.after = ({ verb, plural }) => {
      if (verb !== 'apply' || plural !== 'configmaps' || looks > 100) return
      world.api.edit(ConfigMap, pages, { data: { index: 'theirs' } })
    }
    world.api.edit(ConfigMap, pages, { data: { index: 'theirs' } })
    await world.clock.advance(120_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/NotConverging' })
    expect(applies(world)).toBeLessThanOrEqual(7)
  })

  it('ends when the other writer stops', async () => {
    const { world } = await settledSite()
    fight(world)
    world.api.edit(ConfigMap, pages, { data: { index: 'theirs' } })
    await world.clock.advance(120_000)
    world.api.after = () => {}
    await world.clock.advance(600_000)
    expect(world.conditions()).toEqual(settled)
  })

  it('does not delay the next change of the user', async () => {
    const { world } = await settledSite()
    fight(world)
    world.api.edit(ConfigMap, pages, { data: { index: 'theirs' } })
    await world.clock.advance(120_000)
    world.api.after = () => {}
    world.api.edit(Site, 'default/a', { spec: { page: 'theirs too' } })
    await world.clock.advance(1_000)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ index: 'theirs too' })
    expect(world.conditions()).toEqual(settled)
  })
})

describe('one failing resource', () => {
  it('does not delay the others', async () => {
    const world = new World()
    world.addSite('poison')
    for (let index = 0; index < 20; index++) world.addSite(`s${index}`)
    await world.live(
      siteController({
        // Hangs until its reconcile is cut off.
        observe: ({ object, signal }) =>
          object.metadata.name === 'poison'
            ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
            : Promise.resolve(undefined),
      }),
      { maxConcurrent: 2 },
    )
    await world.clock.advance(1_000)
    const ready = Array.from({ length: 20 }, (_, index) => world.conditions(`default/s${index}`)['Ready'])
    expect(ready).toEqual(ready.map(() => 'True/Settled'))
    expect(world.conditions('default/poison')).toEqual({})
  })

  it('with throwing constructs does not delay the others', async () => {
    const world = new World()
    world.addSite('poison')
    world.addSite('a')
    const { desired } = siteController()
    await world.live(
      siteController({
        desired: (chart, context) => {
          if (context.object.metadata.name === 'poison') throw new TypeError('poison')
          desired(chart, context as never)
        },
      }),
    )
    expect(world.conditions('default/a')).toEqual(settled)
    expect(world.conditions('default/poison')).toMatchObject({ Stalled: 'True/BuildFailed' })
  })
})
