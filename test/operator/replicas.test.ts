// Two replicas of one operator over the model API: the leader reconciles, the other watches, and leadership moves
// between them.
import { describe, expect, it } from 'vitest'
import { seededRandom, seededSecrets } from '../../src/base/random.ts'
import { Fence } from '../../src/kube/fence.ts'
import { FencedClient } from '../../src/kube/fenced-client.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { defaultTiming } from '../../src/operator/election.ts'
import { Elector } from '../../src/operator/elector.ts'
import { Operator } from '../../src/operator/operator.ts'
import type { Runnable, RunnableContext } from '../../src/operator/runnable.ts'
import { HealthRegistry, healthText } from '../../src/telemetry/health.ts'
import { at, failure } from '../model-api.ts'
import { Site, siteController, World } from '../reconcile/life.ts'
import { settled } from '../reconcile/sites.ts'

class Replica {
  readonly operator: Operator
  readonly fence: Fence
  readonly health = new HealthRegistry()
  readonly #world: World
  readonly #stop = new AbortController()
  readonly #ended: Promise<unknown>

  constructor(world: World, identity: string, runnables: readonly Runnable[] = []) {
    const { clock, api, instruments } = world
    const surroundings = { clock, random: seededRandom(1), instruments }
    this.#world = world
    this.fence = new Fence(clock)
    const lease = { namespace: 'ops', name: 'konverge' }
    const its = { identity, lease, timing: defaultTiming, fence: this.fence, fieldManager: 'konverge-lease' }
    const operator = new Operator({
      name: 'konverge',
      ...surroundings,
      secrets: seededSecrets(1),
      client: new FencedClient({ client: api, fence: this.fence }),
      elector: new Elector({ ...surroundings, client: api, ...its }),
      health: this.health,
      controllers: [siteController()],
      runnables,
    })
    this.operator = operator
    this.#ended = operator.run(this.#stop.signal).then(
      () => 'in order',
      (thrown: unknown) => thrown,
    )
  }

  get readiness(): string {
    return healthText(this.health.report('ready'), { isVerbose: true })
  }

  get ended(): Promise<unknown> {
    return this.#ended
  }

  async stop(): Promise<unknown> {
    this.#stop.abort()
    await this.#world.clock.advance(100)
    return this.#ended
  }
}

/** Starts two replicas and asserts that each write, except of the Lease, happens while exactly one leads. */
async function twoReplicas(runnables: readonly Runnable[] = []) {
  const world = new World()
  const replicas: Replica[] = []
  const leaderless: string[] = []
  world.api.before = ({ verb, plural, key }) => {
    if (['read', 'get', 'list', 'watch'].includes(verb) || plural === 'leases') return
    if (replicas.filter(({ fence }) => fence.isOpen).length !== 1) leaderless.push(`${verb} ${plural} ${key}`)
  }
  const start = async (identity: string) => {
    const replica = new Replica(world, identity, runnables)
    replicas.push(replica)
    await world.clock.advance(100)
    return replica
  }
  const [a, b] = [await start('a'), await start('b')]
  world.addSite()
  await world.clock.advance(1_000)
  return { world, a, b, leaderless }
}

const page = (world: World) => at(world.api.find(ConfigMap, 'default/a-pages'), 'data', 'index')

describe('two replicas', () => {
  it('one reconciles; the other is ready and reports that it stands by', async () => {
    const { world, a, b, leaderless } = await twoReplicas()
    expect(world.conditions()).toEqual(settled)
    expect(a.readiness).toBe('[+] sites.example.dev: ok\n[+] leader-election: ok (leads)\ncheck passed\n')
    expect(b.readiness).toBe('[+] sites.example.dev: ok\n[+] leader-election: ok (stands by for a)\ncheck passed\n')
    expect(world.lines.filter(({ message }) => message === 'working')).toHaveLength(1)
    expect(leaderless).toEqual([])
    expect([await b.stop(), await a.stop()]).toEqual(['in order', 'in order'])
  })

  it('the second takes over at its next read when the first stops, from warm caches', async () => {
    const { world, a, b, leaderless } = await twoReplicas()
    const { before: asBefore } = world.api
    let lists = 0
    world.api.before = (request) => {
      if (request.verb === 'list' || request.verb === 'watch') lists++
      asBefore(request)
    }
    expect(await a.stop()).toBe('in order')
    world.api.edit(Site, 'default/a', { spec: { page: 'after' } })
    await world.clock.advance(defaultTiming.retryPeriodMs * 1.2)
    expect(page(world)).toBe('after')
    expect(lists).toBe(0)
    expect(leaderless).toEqual([])
    await b.stop()
  })

  it('the leader reconciles what a program enqueues, and writes for it; the other does neither', async () => {
    const { world, a, b } = await twoReplicas()
    const metadata = { namespace: 'default', name: 'own' }
    const places = { namespace: 'default', name: 'a' }
    const begun = () => world.lines.filter(({ message }) => message === 'turn ended').length
    await expect(b.operator.client.apply(ConfigMap, { metadata })).rejects.toMatchObject({ code: 'NotLeader' })
    const before = begun()
    b.operator.enqueue(Site, places)
    await world.clock.advance(1_000)
    expect(begun()).toBe(before)
    a.operator.enqueue(Site, places)
    await a.operator.client.apply(ConfigMap, { metadata })
    await world.clock.advance(1_000)
    expect(begun()).toBe(before + 1)
    expect(world.api.find(ConfigMap, 'default/own')).toBeDefined()
    await Promise.all([a.stop(), b.stop()])
  })

  it('a runnable runs in the leader, and in the other after the leader stops', async () => {
    const begun: AbortSignal[] = []
    const run = async ({ signal, client }: RunnableContext) => {
      begun.push(signal)
      await client.apply(ConfigMap, {
        metadata: { namespace: 'default', name: 'own' },
        data: { text: `${begun.length}` },
      })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    const { world, a, b, leaderless } = await twoReplicas([{ name: 'nightly', run }])
    expect(begun.map(({ aborted }) => aborted)).toEqual([false])
    expect(await a.stop()).toBe('in order')
    expect(begun.map(({ aborted }) => aborted)).toEqual([true])
    await world.clock.advance(defaultTiming.retryPeriodMs * 1.2)
    expect(begun.map(({ aborted }) => aborted)).toEqual([true, false])
    expect(world.api.find(ConfigMap, 'default/own')).toMatchObject({ data: { text: '2' } })
    expect(leaderless).toEqual([])
    await b.stop()
  })

  it('a runnable is aborted when its process loses its Lease', async () => {
    const begun: AbortSignal[] = []
    const run = async ({ signal }: RunnableContext) => {
      begun.push(signal)
      await new Promise(() => {})
    }
    const { world, a, b } = await twoReplicas([{ name: 'nightly', run }])
    world.api.before = ({ plural }) => {
      if (plural === 'leases') throw failure('Unreachable', 'no answer')
    }
    await world.clock.advance(defaultTiming.durationMs)
    expect(begun.map(({ aborted }) => aborted)).toEqual([true])
    expect(await a.ended).toMatchObject({ code: 'LeaseLost' })
    await b.stop()
  })

  it('the second writes nothing that is in sync', async () => {
    const { world, a, b } = await twoReplicas()
    await a.stop()
    const writes = world.api.writes.length
    await world.clock.advance(20_000)
    expect(world.api.writes.slice(writes).filter((write) => !write.includes('leases'))).toEqual([])
    await b.stop()
  })

  it('the first ends when it cannot renew, and writes nothing from then on', async () => {
    const { world, a, b, leaderless } = await twoReplicas()
    const { before: asBefore } = world.api
    world.api.before = (request) => {
      if (request.plural === 'leases' && a.fence.isOpen) throw failure('ServerError', 'etcd is slow')
      asBefore(request)
    }
    await world.clock.advance(defaultTiming.renewDeadlineMs)
    world.api.edit(Site, 'default/a', { spec: { page: 'after' } })
    expect(await a.ended).toMatchObject({ code: 'LeaseLost' })
    await world.clock.advance(1_000)
    expect(page(world)).toBe('hello')
    await world.clock.advance(defaultTiming.durationMs)
    expect(page(world)).toBe('after')
    expect(leaderless).toEqual([])
    await b.stop()
  })

  it('neither is ready without rights on the Lease, and neither reconciles', async () => {
    const world = new World()
    world.api.before = ({ plural }) => {
      if (plural === 'leases') throw failure('Forbidden', 'user "u" may not get leases')
    }
    world.addSite()
    const a = new Replica(world, 'a')
    await world.clock.advance(60_000)
    expect(a.readiness).toContain('[-] leader-election: user "u" may not get leases')
    expect(world.api.find(ConfigMap, 'default/a-pages')).toBeUndefined()
    expect(await a.stop()).toBe('in order')
  })
})
