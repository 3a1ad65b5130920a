// Endpoints that never answer. Every call ends, whether or not it heeds its signal; the reconcile continues, nothing
// counts as gone, and a late answer has no effect.
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { Endpoints } from '../../src/external/endpoints.ts'
import { ConfigMap, type Controller, type ExternalDriver } from '../../src/index.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { startCluster } from '../../src/testing/index.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { type Operation, RemoteWorld } from './remote-world.ts'
import { addShelf, boxesOf, Shelf, shelfController, shelfDefinition, shelfOf } from './shelf.ts'

type Driver = ExternalDriver<unknown, unknown>

/** Layer between the protocol and a driver: while an operation is silent, its calls get no answer. */
class Silence {
  readonly #silent = new Set<Operation>()
  readonly #held: (() => void)[] = []
  readonly #signals: AbortSignal[] = []
  /** True if calls end when their signal aborts. */
  heeds = false

  begin(...operations: readonly Operation[]): void {
    for (const operation of operations) this.#silent.add(operation)
  }

  /** Answers the held calls now. */
  end(): void {
    this.#silent.clear()
    for (const answer of this.#held.splice(0)) answer()
  }

  get heldBack(): number {
    return this.#held.length
  }

  /** True if a caller still waits for one of them. */
  get isAwaited(): boolean {
    return this.#signals.some((signal) => !signal.aborted)
  }

  around(controller: Controller): Controller {
    const external = controller.external.map((one) => ({
      ...one,
      driver: (tools: Parameters<typeof one.driver>[0]): Driver => this.#before(one.driver(tools)),
    }))
    return { ...controller, external }
  }

  #before(driver: Driver): Driver {
    return {
      consistency: driver.consistency,
      differences: (desired, observed) => driver.differences(desired, observed),
      observe: (call) => this.#pass('observe', call.signal, () => driver.observe(call)),
      create: (call) => this.#pass('create', call.signal, () => driver.create(call)),
      update: (call, ...rest) => this.#pass('update', call.signal, () => driver.update(call, ...rest)),
      delete: (call, observed) => this.#pass('delete', call.signal, () => driver.delete(call, observed)),
    }
  }

  async #pass<T>(operation: Operation, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (!this.#silent.has(operation)) return await work()
    await new Promise<void>((resolve, reject) => {
      this.#held.push(resolve)
      this.#signals.push(signal)
      if (this.heeds) signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    return await work()
  }
}

async function setUp(heeds: boolean) {
  const cluster = await startCluster({ definitions: [shelfDefinition()] })
  onTestFinished(() => cluster.stop())
  const remote = new RemoteWorld(cluster.clock)
  const silence = new Silence()
  silence.heeds = heeds
  const running = cluster.run(silence.around(shelfController(remote, { cadenceMs: 60_000 })))
  return { cluster, remote, silence, running }
}

const drivers = [
  { what: 'heeds its signal', heeds: true },
  { what: 'heeds no signal', heeds: false },
]

describe.each(drivers)('a driver that $what', ({ heeds }) => {
  it('and gets no answer to an observation: the status reports it, nothing counts as gone, and the rest continues', async () => {
    const { cluster, remote, silence } = await setUp(heeds)
    await addShelf(cluster, { recreatesIfMissing: true })
    await cluster.advance(5_000)
    silence.begin('observe')
    await cluster.patch(Shelf, 'default/a', { spec: { size: 2 } })
    await cluster.advance(100_000)
    expect(await cluster.condition(Shelf, 'a', 'Degraded')).toMatchObject({
      reason: 'DependencyTimeout',
      message: 'the look at box "a-box" was given up after 45 s without an answer',
    })
    expect(await boxesOf(cluster)).toBe('box failed/DependencyTimeout (1)')
    expect(await cluster.find(ConfigMap, 'default/a')).toMatchObject({ data: { size: '2' } })
    await cluster.advance(600_000)
    expect((await shelfOf(cluster))?.status?.external).toMatchObject([{ phase: 'Available' }])
    expect(remote.deeds).toEqual(['create a-box'])
    expect(silence.heldBack).toBeGreaterThan(1)
    while (silence.isAwaited) await cluster.advance(1_000)
    // The late answers report it gone, and no caller waits for them any more.
    remote.boxes.clear()
    silence.end()
    await cluster.advance(0)
    expect(remote.deeds).toEqual(['create a-box'])
    await cluster.advance(400_000)
    expect(remote.deeds).toEqual(['create a-box', 'create a-box'])
    expect(await boxesOf(cluster)).toBe('box available/AsDesired (2)')
  })

  it('and gets no answer to a creation: it observes, and one creation takes place', async () => {
    const { cluster, remote, silence } = await setUp(heeds)
    silence.begin('create')
    await addShelf(cluster)
    await cluster.advance(60_000)
    expect((await shelfOf(cluster))?.status?.external).toMatchObject([{ phase: 'Pending' }])
    await cluster.advance(200_000)
    expect(await cluster.condition(Shelf, 'a', 'Degraded')).toMatchObject({
      reason: 'DependencyTimeout',
      message: 'the create of box "a-box" was given up after 90 s without an answer',
    })
    silence.end()
    await cluster.advance(400_000)
    expect(await cluster.condition(Shelf, 'a', 'Ready')).toMatchObject({ status: 'True' })
    expect(remote.deeds).toEqual(['create a-box'])
  })

  it('does not keep an operator from stopping', async () => {
    const { cluster, silence, running } = await setUp(heeds)
    silence.begin('observe')
    await addShelf(cluster)
    await cluster.advance(5_000)
    expect(silence.heldBack).toBe(1)
    await running.stop()
  })
})

describe('a call of an endpoint that never answers', () => {
  const signal = new AbortController().signal

  function place() {
    const clock = new SimClock()
    const metrics = new PrometheusMetrics()
    const limit = { perSecond: 100, burst: 100 }
    const instruments = { ...silentInstruments, metrics }
    return {
      clock,
      metrics,
      shop: new Endpoints({ clock, random: seededRandom(1), instruments, limit, share: limit }).endpoint(
        'shop',
        'team',
      ),
    }
  }

  it.each([
    { given: undefined, endsMs: 30_000 },
    { given: { limitMs: 5_000 }, endsMs: 5_000 },
  ])('ends after $endsMs ms, and counts as a failure', async ({ given, endsMs }) => {
    const { clock, metrics, shop } = place()
    const cuts: unknown[] = []
    const ends: unknown[] = []
    const never = (until: AbortSignal) =>
      new Promise(() => until.addEventListener('abort', () => cuts.push(until.reason)))
    for (let count = 0; count < 5; count++)
      shop.call('look', never, signal, given).catch((end: unknown) => ends.push(end))
    await clock.advance(endsMs - 1)
    expect(cuts).toEqual([])
    await clock.advance(1)
    expect(cuts).toHaveLength(5)
    await clock.advance(1_000)
    const message = `shop has given no answer within ${endsMs / 1_000} s`
    expect(ends[0]).toMatchObject({ code: 'DependencyTimeout', remedy: 'retry', message })
    expect(ends[4]).toMatchObject({ code: 'DependencyUnavailable', message: expect.stringContaining(message) })
    expect(shop.isOpen).toBe(true)
    expect(await metrics.text()).toContain(
      'external_api_requests_total{endpoint="shop",namespace="team",status="DependencyTimeout"} 5',
    )
  })
})
