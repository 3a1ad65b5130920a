// Functions of a controller that hang. Each has a limit; the resource reports the reached limit, and all other work
// continues.
import { describe, expect, it } from 'vitest'
import { type ControllerOptions, defineController } from '../../src/reconcile/definition.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { Site, type SiteSpec, type SiteStatus, siteController, World } from './life.ts'
import { settled } from './sites.ts'

type Over = Partial<ControllerOptions<SiteSpec, SiteStatus, unknown>>

/** Calls that hang until the test ends them. */
class Hanging {
  readonly #honoursAbort: boolean
  readonly ends: (() => void)[] = []
  isOver = false

  constructor({ honoursAbort }: { readonly honoursAbort: boolean }) {
    this.#honoursAbort = honoursAbort
  }

  /** Number of calls. */
  get count(): number {
    return this.ends.length
  }

  call<T>(signal: AbortSignal, result: T): Promise<T> {
    if (this.isOver) return Promise.resolve(result)
    return new Promise((resolve, reject) => {
      this.ends.push(() => resolve(result))
      if (this.#honoursAbort) signal.addEventListener('abort', () => reject(signal.reason))
    })
  }

  endAll(): void {
    this.isOver = true
    for (const end of this.ends) end()
  }
}

async function hangingSite(over: (hanging: Hanging) => Over, { honoursAbort = false } = {}) {
  const metrics = new PrometheusMetrics()
  const world = new World({ metrics })
  const hanging = new Hanging({ honoursAbort })
  world.addSite()
  const life = await world.live(siteController(over(hanging)), { maxConcurrent: 1 })
  const metric = async (name: string) =>
    (await metrics.text())
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.replace(/.* /, '')
  return { world, life, hanging, metric }
}

const observing =
  (more: Over = {}) =>
  (hanging: Hanging): Over => ({
    observe: ({ signal, object }) =>
      object.metadata.name === 'a' ? hanging.call(signal, undefined) : Promise.resolve(undefined),
    ...more,
  })

describe('an observe that hangs', () => {
  it.each([true, false])(
    'is ended after a minute, and reported at once (heeds its signal: %s)',
    async (honoursAbort) => {
      const { world } = await hangingSite(observing(), { honoursAbort })
      await world.clock.advance(62_000)
      expect(world.conditions()).toMatchObject({ Ready: 'False/ObserveTimeout', Degraded: 'True/ObserveTimeout' })
      expect(world.conditions()).toMatchObject({ Reconciling: 'True/Retrying' })
      expect(world.message('Degraded')).toBe(
        'observe of Site default/a did not end within 60 s: let what it calls end when its signal aborts, or raise limits.observeMs of the controller',
      )
    },
  )

  it('has the limit of its controller', async () => {
    const { world } = await hangingSite(observing({ limits: { observeMs: 5_000 } }))
    await world.clock.advance(6_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/ObserveTimeout' })
  })

  it('does not delay other resources of its namespace', async () => {
    const { world } = await hangingSite(observing())
    world.addSite('b')
    await world.clock.advance(62_000)
    expect(world.conditions('default/b')).toEqual(settled)
  })

  it('is logged and counted while it runs, and repeated at most three times', async () => {
    const { world, hanging, metric } = await hangingSite(observing())
    await world.clock.advance(3_600_000)
    expect(hanging.count).toBe(3)
    expect(await metric('controller_calls_abandoned{')).toBe('3')
    expect(world.lines.filter(({ message }) => message.startsWith('observe did not end'))).toHaveLength(3)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/ObserveTimeout' })
    hanging.endAll()
    await world.clock.advance(300_000)
    expect(world.conditions()).toEqual(settled)
    expect(await metric('controller_calls_abandoned{')).toBe('0')
    expect(await metric('controller_calls_abandoned_total{')).toBe('3')
  })

  it('for a paused resource is ended too', async () => {
    const { world } = await hangingSite((hanging) => ({
      observePaused: ({ signal }) => hanging.call(signal, []),
    }))
    world.api.edit(Site, 'default/a', { metadata: { annotations: { 'konverge.dev/paused': 'true' } } })
    world.addSite('b')
    await world.clock.advance(62_000)
    expect(world.conditions('default/b')).toEqual(settled)
  })

  it('does not delay the shutdown after it was abandoned', async () => {
    const { world, life } = await hangingSite(observing())
    await world.clock.advance(62_000)
    const fromMs = world.clock.monotonicMs()
    await life.drain()
    expect(world.clock.monotonicMs() - fromMs).toBeLessThanOrEqual(1_000)
  })

  it('is abandoned after a second when the operator stops', async () => {
    const { world, life } = await hangingSite(observing())
    let hasEnded = false
    const drained = life.runner.drain(1_000).then(() => {
      hasEnded = true
    })
    await world.clock.advance(2_000)
    expect(hasEnded).toBe(true)
    await drained
    await life.end()
  })
})

describe('a cleanup that hangs', () => {
  it('is ended after two minutes, reported, and not repeated while it runs', async () => {
    const { world, hanging } = await hangingSite((calls) => ({
      cleanup: ({ signal }) => calls.call(signal, { kind: 'done' }),
    }))
    world.api.remove(Site, 'default/a')
    for (let wave = 0; wave < 2; wave++) {
      await world.clock.advance(20_000)
      world.api.collectGarbage()
    }
    await world.clock.advance(122_000)
    expect(world.conditions()).toMatchObject({ Ready: 'False/CleanupTimeout', Degraded: 'True/CleanupTimeout' })
    await world.clock.advance(3_600_000)
    expect(hanging.count).toBe(1)
    expect(world.message('Degraded')).toContain('an earlier call of cleanup')
    hanging.endAll()
    await world.clock.advance(300_000)
    expect(world.site()).toBeUndefined()
  })
})

describe('a reconcile over its time limit', () => {
  it('is cut off after five minutes, and reported', async () => {
    const { world } = await hangingSite(observing({ limits: { observeMs: 3_600_000 } }))
    await world.clock.advance(302_000)
    expect(world.conditions()).toMatchObject({ Ready: 'False/ReconcileTimeout', Degraded: 'True/ReconcileTimeout' })
    expect(world.message('Degraded')).toBe(
      'the reconcile of Site default/a was cut off after 300 s; it is tried again. Raise limits.reconcileMs of the controller if it needs longer',
    )
  })

  it('is retried, and the condition disappears when it ends in time', async () => {
    const limits = { observeMs: 3_600_000, reconcileMs: 10_000 }
    const { world, hanging } = await hangingSite(observing({ limits }), { honoursAbort: true })
    await world.clock.advance(12_000)
    expect(world.conditions()).toMatchObject({ Degraded: 'True/ReconcileTimeout' })
    hanging.endAll()
    await world.clock.advance(300_000)
    expect(world.conditions()).toEqual(settled)
  })
})

describe('limits', () => {
  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('with %d ms are rejected at the definition', (observeMs) => {
    const define = () =>
      defineController(Site, {
        owns: [],
        limits: { observeMs },
        desired: () => {},
        status: () => ({ fields: {}, conditions: [] }),
      })
    expect(define).toThrow('limits.observeMs')
  })
})
