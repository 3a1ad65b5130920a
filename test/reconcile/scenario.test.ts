// Whole turns of a tiny kind over the model API server: what a controller does from the first sight of a resource to its end.
import { describe, expect, it } from 'vitest'
import { CodedError } from '../../src/base/errors.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { ConfigMap, Secret, Service } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { at, describeRequest, failure, type ModelRequest } from '../model-api.ts'
import { childOf } from '../objects.ts'
import { Site, siteController, World } from './life.ts'

const pages = 'default/a-pages'
const settled = { Ready: 'True/Settled', Progressing: 'False/Settled', Degraded: 'False/AsExpected' }
const isWriteOf = (plural: string) => (request: ModelRequest) =>
  ['create', 'apply', 'patch', 'delete'].includes(request.verb) && request.plural === plural

/** A site that is settled, with the life that settled it. */
async function settledSite(world = new World(), controller = siteController()) {
  world.addSite()
  const life = await world.live(controller)
  expect(world.conditions()).toEqual(settled)
  return { world, life }
}

describe('a new resource', () => {
  it('is adopted, gets its children and its status in one turn', async () => {
    const { world } = await settledSite()
    expect(world.api.requests.map(describeRequest)).toEqual([
      'patch sites default/a',
      'get configmaps default/a-pages',
      'apply configmaps default/a-pages',
      'get services default/a',
      'apply services default/a',
      'patch sites/status default/a',
    ])
    expect(at(world.site(), 'status', 'pages')).toBe(2)
    expect(at(world.site(), 'status', 'observedGeneration')).toBe(1)
  })

  it('has the finalizer and the inventory marks before its first child', async () => {
    const world = new World()
    world.addSite()
    const seen: unknown[] = []
    world.api.before = ({ verb }) => {
      if (verb === 'apply') seen.push(world.site()?.metadata.finalizers, world.site()?.metadata.labels)
    }
    await world.live()
    expect(seen[0]).toEqual(['konverge.dev/cleanup'])
    expect(seen[1]).toEqual({ 'applyset.kubernetes.io/id': expect.stringMatching(/^applyset-/) })
  })

  it('keeps the finalizers that others put on it', async () => {
    const world = new World()
    const site = world.addSite()
    world.api.edit(Site, 'default/a', { metadata: { finalizers: ['theirs.dev/keep'] } })
    await world.live()
    expect(site.metadata.finalizers).toBeUndefined()
    expect(world.site()?.metadata.finalizers).toEqual(['theirs.dev/keep', 'konverge.dev/cleanup'])
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

  // Finding: a turn that fails to adopt ends without a status.
  it('says in its status that it cannot be adopted', async () => {
    const world = new World()
    world.addSite()
    world.api.before = ({ verb, subresource }) => {
      if (verb === 'patch' && subresource === undefined) throw failure('Forbidden', 'may not patch sites')
    }
    await world.live()
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/Forbidden' })
  })

  it('that lost the race for its adoption is adopted by the next turn', async () => {
    const world = new World()
    world.addSite()
    let isFirst = true
    world.api.before = ({ verb }) => {
      if (verb !== 'patch' || !isFirst) return
      isFirst = false
      world.api.edit(Site, 'default/a', { metadata: { labels: { theirs: 'yes' } } })
    }
    await world.live()
    await world.clock.advance(11_000)
    expect(world.conditions()).toEqual(settled)
    expect(world.site()?.metadata.labels).toMatchObject({ theirs: 'yes' })
  })
})

describe('a resource at rest', () => {
  it('is not written, nor read, by further turns', async () => {
    const { world } = await settledSite()
    world.api.requests.length = 0
    world.api.edit(Site, 'default/a', { metadata: { annotations: { look: 'again' } } })
    await world.clock.advance(3_600_000)
    expect(world.api.requests.map(describeRequest)).toEqual([])
  })

  it('is not written, nor read, after a restart', async () => {
    const { world, life } = await settledSite()
    await life.drain()
    world.api.requests.length = 0
    await world.live()
    await world.clock.advance(3_600_000)
    expect(world.api.requests.map(describeRequest)).toEqual([])
    expect(at(world.site(), 'metadata', 'generation')).toBe(1)
  })

  it('takes back what somebody changed, and leaves what is not its own', async () => {
    const { world } = await settledSite()
    world.api.edit(ConfigMap, pages, { data: { index: 'theirs', more: 'theirs' }, metadata: { labels: { b: 'c' } } })
    await world.clock.advance(1_000)
    expect(at(world.api.find(ConfigMap, pages), 'data')).toEqual({ index: 'hello', more: 'theirs' })
    expect(world.api.find(ConfigMap, pages)?.metadata.labels).toMatchObject({ b: 'c' })
  })

  it('makes a child anew that somebody deleted', async () => {
    const { world } = await settledSite()
    const uid = world.api.find(ConfigMap, pages)?.metadata.uid
    world.api.remove(ConfigMap, pages)
    await world.clock.advance(1_000)
    expect(world.api.find(ConfigMap, pages)?.metadata.uid).not.toBe(uid)
    expect(world.conditions()).toEqual(settled)
  })

  it('prunes the child that its constructs no longer make, by its uid', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello', password: 'x' })
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

  it('prunes nothing while another child cannot be written', async () => {
    const world = new World()
    world.addSite('a', { page: 'hello', password: 'x' })
    await world.live()
    world.api.before = (request) => {
      if (isWriteOf('configmaps')(request)) throw failure('ServerError', 'etcd is slow')
    }
    world.api.edit(Site, 'default/a', { spec: { page: 'new', password: null } })
    await world.clock.advance(1_000)
    expect(world.api.find(Secret, 'default/a-login')).toBeDefined()
  })

  it('sees its own writes although the watches are behind', async () => {
    const { world } = await settledSite()
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(0)
    world.api.isHoldingWatches = true
    world.api.requests.length = 0
    await world.clock.advance(60_000)
    expect(world.api.writes).toEqual([])
  })
})

/** What there is, without what differs from run to run: uids, versions and times. */
function shapeOf(objects: readonly LiveObject[]): unknown {
  return objects
    .map((object) => {
      const { uid: _, resourceVersion: __, ownerReferences = [], managedFields, ...metadata } = object.metadata
      const owners = ownerReferences.map(({ kind, name }) => `${kind} ${name}`)
      const conditions = (at(object, 'status', 'conditions') ?? []) as readonly Record<string, unknown>[]
      const told = conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message }))
      return { ...object, metadata: { ...metadata, owners, creationTimestamp: '' }, status: { told }, managedFields }
    })
    .sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
}

/** A life story: a site comes, changes, and goes. Each part ends when nothing moves any more. */
const story = [
  (world: World) => void world.addSite('a', { page: 'hello', password: 'x' }),
  (world: World) => void world.api.edit(Site, 'default/a', { spec: { page: 'new', password: null } }),
  (world: World) => world.api.remove(Site, 'default/a'),
]

interface Crash {
  /** Index into the story. */
  readonly part: number
  /** At which request of that part, from 1. */
  readonly at: number
  /** Before the server has done what was asked, or after, so that only the answer is lost. */
  readonly when: 'before' | 'after'
}

/** Makes the process as good as dead from the given request on, once. */
class Fate {
  readonly #crash: Crash | undefined
  #part = 0
  #requests = 0
  isDead = false
  hasStruck = false

  constructor(crash: Crash | undefined) {
    this.#crash = crash
  }

  begin(part: number): void {
    this.#part = part
    this.#requests = 0
  }

  strike(when: Crash['when'], { verb }: ModelRequest): void {
    if (this.isDead) throw failure('Unreachable', 'the process is dead')
    if (verb === 'list' || verb === 'watch' || this.hasStruck) return
    if (this.#crash?.part !== this.#part || this.#crash.when !== when) return
    this.#requests += 1
    if (this.#requests < this.#crash.at) return
    this.isDead = true
    this.hasStruck = true
    throw failure('Unreachable', 'the process is dead')
  }
}

/** Plays the story; when the process has died, a new life takes over. */
async function play(crash?: Crash) {
  const world = new World()
  const fate = new Fate(crash)
  world.api.before = (request) => fate.strike('before', request)
  world.api.after = (request) => fate.strike('after', request)
  const states: unknown[] = []
  let life = await world.live()
  const rest = async (ms: number) => {
    await world.clock.advance(ms)
    if (!fate.isDead) return
    await life.end()
    fate.isDead = false
    life = await world.live()
  }
  for (const [part, begin] of story.entries()) {
    fate.begin(part)
    begin(world)
    await rest(0)
    for (let round = 0; round < 4; round++) {
      await rest(60_000)
      world.api.collectGarbage()
    }
    await rest(60_000)
    states.push(shapeOf(world.api.all()))
  }
  await life.drain()
  return { states, history: [...world.api.history].sort(), hasStruck: fate.hasStruck }
}

describe('a crash', () => {
  it.each([
    { part: 0, name: 'making' },
    { part: 1, name: 'changing' },
    { part: 2, name: 'deleting' },
  ])('at any request of $name ends where an undisturbed run ends', async ({ part }) => {
    const undisturbed = await play()
    expect(undisturbed.states.at(-1)).toEqual([])
    for (const when of ['before', 'after'] as const) {
      let at = 1
      for (; ; at++) {
        const { hasStruck, ...ended } = await play({ part, at, when })
        expect(ended, `${when} request ${at}`).toEqual({ states: undisturbed.states, history: undisturbed.history })
        if (!hasStruck) break
      }
      expect(at, 'requests that were broken').toBeGreaterThan(2)
    }
  })
})

describe('deletion', () => {
  /** Deletes the site and lets everything that can happen happen. */
  async function remove(world: World): Promise<void> {
    world.api.remove(Site, 'default/a')
    for (let round = 0; round < 4; round++) {
      await world.clock.advance(20_000)
      world.api.collectGarbage()
    }
    await world.clock.advance(20_000)
  }

  it('takes the children that have an order, last first, and leaves the others to the garbage collector', async () => {
    const { world } = await settledSite()
    await remove(world)
    expect(world.api.writes.filter((write) => write.startsWith('delete'))).toEqual(['delete services default/a'])
    expect(world.api.all()).toEqual([])
  })

  it('waits for a child that something holds, and says what', async () => {
    const { world } = await settledSite()
    world.api.edit(Service, 'default/a', { metadata: { finalizers: ['cloud.dev/balancer'] } })
    await remove(world)
    expect(world.site()?.metadata.finalizers).toContain('konverge.dev/cleanup')
    expect(world.message('Ready')).toContain('Service default/a (finalizer cloud.dev/balancer')
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

  // Finding: a status that cannot be written keeps the finalizer for ever.
  it('does not need the status to be written', async () => {
    const { world } = await settledSite()
    world.api.before = ({ subresource }) => {
      if (subresource === 'status') throw failure('Invalid', 'the status does not fit its schema')
    }
    await remove(world)
    expect(world.site()).toBeUndefined()
  })

  it('keeps the finalizer while clean-up fails, and tries again', async () => {
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
    expect(world.site()?.metadata.finalizers).toContain('konverge.dev/cleanup')
    isBroken = false
    await world.clock.advance(300_000)
    expect(world.site()).toBeUndefined()
  })

  // Finding: a clean-up that fails leaves the status as it was.
  it('says in the status that clean-up fails', async () => {
    const world = new World()
    world.addSite()
    const dnsDown = new CodedError({ code: 'DnsDown', message: 'cannot remove the record', remedy: 'retry' })
    await world.live(siteController({ cleanup: () => Promise.reject(dnsDown) }))
    await remove(world)
    await world.clock.advance(60_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/DnsDown' })
  })

  it('goes on while clean-up is waiting, and says on what', async () => {
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
    await world.clock.advance(20_000)
    expect(world.site()).toBeUndefined()
  })

  it('takes a child for deleted that is gone when its delete arrives', async () => {
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

  it('leaves other finalizers alone', async () => {
    const { world } = await settledSite()
    world.api.edit(Site, 'default/a', {
      metadata: { finalizers: ['theirs.dev/keep', 'konverge.dev/cleanup'] },
    })
    await remove(world)
    expect(world.site()?.metadata.finalizers).toEqual(['theirs.dev/keep'])
    world.api.requests.length = 0
    await world.clock.advance(300_000)
    expect(world.api.requests).toEqual([])
  })

  it('tells of retained things through report', async () => {
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

  it('leaves an object alone that bears our labels and has another controller', async () => {
    const { world } = await settledSite()
    const theirs = labelledLikeAChild(world, {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid: 'd-uid', controller: true }],
    })
    world.api.put(Site, { ...theirs, kind: 'Site', apiVersion: 'example.dev/v1', metadata: { name: 'd' } })
    await world.clock.advance(0)
    world.api.remove(Site, 'default/a')
    await world.clock.advance(60_000)
    expect(world.api.writes.filter((write) => write === 'delete configmaps default/theirs')).toEqual([])
  })

  it('leaves an object alone that bears our labels and has no owner', async () => {
    const { world } = await settledSite()
    labelledLikeAChild(world, {})
    await world.clock.advance(0)
    world.api.remove(Site, 'default/a')
    await world.clock.advance(60_000)
    expect(world.api.writes.filter((write) => write === 'delete configmaps default/theirs')).toEqual([])
  })

  /** As a copy of a child is, or what was left when its parent was deleted without it. */
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

describe('a foreign object with a child’s name', () => {
  const foreign = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'default' }, spec: { x: 1 } }

  it('is refused, named in the status, and not touched', async () => {
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

  // Finding: what was refused is reported as a child all the same.
  it('is no child to the status function', async () => {
    const world = new World()
    world.api.put(Service, foreign)
    world.addSite()
    await world.live()
    await world.clock.advance(60_000)
    expect(at(world.site(), 'status', 'pages')).toBe(1)
  })

  it('is made ours when it is out of the way', async () => {
    const world = new World()
    world.api.put(Service, foreign)
    world.addSite()
    await world.live()
    world.api.remove(Service, 'default/a')
    await world.clock.advance(300_000)
    expect(world.conditions()).toEqual(settled)
  })

  it('that another Site controls is refused, and both Sites are named', async () => {
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

  it('is tried again after its backoff, and shows in the status from the second time on', async () => {
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

  it('does not keep what is independent of it from being made', async () => {
    const world = new World()
    world.addSite('a', { page: 'p', password: 'x' })
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

  it('is tried ever more rarely, but for ever', async () => {
    const world = await brokenSite()
    await world.clock.advance(3_600_000)
    expect(tries(world)).toBeLessThan(6 + 3_600 / 150)
    const before = tries(world)
    await world.clock.advance(300_000)
    expect(tries(world)).toBeGreaterThan(before)
  })
})

describe('a failure that will not pass', () => {
  it('of a child is reported and not tried again until the spec changes', async () => {
    const world = new World()
    world.addSite()
    world.api.before = ({ verb, plural }) => {
      if (verb === 'apply' && plural === 'services') throw failure('Invalid', 'spec.ports: Invalid value')
    }
    await world.live()
    expect(world.conditions()).toMatchObject({ Degraded: 'True/Invalid', Stalled: 'True/Invalid' })
    world.api.requests.length = 0
    await world.clock.advance(3_600_000)
    expect(world.api.requests).toEqual([])
    world.api.before = () => {}
    world.api.edit(Site, 'default/a', { spec: { page: 'new' } })
    await world.clock.advance(0)
    expect(world.conditions()).toEqual(settled)
  })

  it('of the constructs names the construct', async () => {
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

  it('is what refuse says, in its own words and before anything is made', async () => {
    const world = new World()
    world.addSite()
    await world.live(siteController({ refuse: () => ({ message: 'there is no such theme' }) }))
    expect(world.conditions()).toMatchObject({ Degraded: 'True/InvalidSpec' })
    expect(world.message('Degraded')).toBe('there is no such theme')
    expect(world.api.all(ConfigMap)).toEqual([])
  })

  it('that comes back in other words is told in the new ones', async () => {
    const world = new World()
    world.addSite()
    let words = 'there is no theme'
    await world.live(siteController({ refuse: () => ({ message: words }) }))
    words = 'there is no font'
    world.api.edit(Site, 'default/a', { metadata: { annotations: { look: 'again' } } })
    await world.clock.advance(60_000)
    expect(world.message('Degraded')).toBe('there is no font')
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

  it('is written for this very object: with its uid, through the subresource', async () => {
    const { world } = await settledSite()
    const [write] = world.api.requests.filter(({ subresource }) => subresource === 'status')
    expect(write?.body).toMatchObject({ metadata: { uid: world.site()?.metadata.uid }, status: { pages: 2 } })
  })

  it('is not written on a namesake', async () => {
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
    world.api.edit(Secret, 'default/a-login', { data: { password: 'dGhpcmQtc2VjcmV0' } })
    await world.clock.advance(1_000)
    const lines = JSON.stringify(world.lines)
    expect(lines).toContain('change Secret default/a-login')
    const encoded = ['first-secret', 'second-secret', 'third-secret'].map((text) => btoa(text))
    for (const secret of ['first-secret', 'second-secret', ...encoded]) expect(lines).not.toContain(secret)
    expect(JSON.stringify(world.site()?.status)).not.toContain('secret')
  })
})

describe('one poisoned resource', () => {
  it('does not slow the others', async () => {
    const world = new World()
    for (let index = 0; index < 20; index++) world.addSite(`s${index}`)
    world.addSite('poison')
    await world.live(
      siteController({
        // Hangs until its turn is cut off.
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

  it('that makes its constructs throw leaves the others their turns', async () => {
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
