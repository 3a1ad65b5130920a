// Events from outside the cluster: the reconciles that they trigger, and failing sources.
import { describe, expect, it } from 'vitest'
import type { ResourceEvent } from '../../src/reconcile/events-runner.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { siteController, World } from './life.ts'

/** A source that the test fills. */
class Channel {
  readonly begun: AbortSignal[] = []
  #waiting: ((result: IteratorResult<ResourceEvent>) => void)[] = []
  #fail: ((reason: unknown) => void)[] = []

  readonly events = (signal: AbortSignal): AsyncIterable<ResourceEvent> => {
    this.begun.push(signal)
    const next = () =>
      new Promise<IteratorResult<ResourceEvent>>((resolve, reject) => {
        this.#waiting.push(resolve)
        this.#fail.push(reject)
      })
    return { [Symbol.asyncIterator]: () => ({ next }) }
  }

  say(name: string): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve({ done: false, value: { namespace: 'default', name } })
  }

  break(): void {
    const fail = this.#fail
    this.#fail = []
    for (const reject of fail) reject(new Error('the broker is away'))
  }
}

describe('external events', () => {
  const counting = (over: object) => {
    const observed: string[] = []
    const controller = siteController({
      observe: async ({ object }) => {
        observed.push(object.metadata.name)
      },
      ...over,
    })
    return { observed, controller }
  }

  it('reconcile the resource that they name', async () => {
    const channel = new Channel()
    const { observed, controller } = counting({ events: channel.events })
    const world = new World()
    for (const name of ['a', 'b']) world.addSite(name)
    const life = await world.live(controller)
    await world.clock.advance(60_000)
    observed.length = 0
    channel.say('b')
    channel.say('nobody')
    await world.clock.advance(1_000)
    expect(observed).toEqual(['b'])
    await life.end()
    expect(channel.begun.map(({ aborted }) => aborted)).toEqual([true])
  })

  it('for a missing resource are not queued; its creation reconciles it', async () => {
    const channel = new Channel()
    const { observed, controller } = counting({ events: channel.events })
    const metrics = new PrometheusMetrics()
    const adds = async () => Number(/^workqueue_adds_total\{.*\} (\d+)$/m.exec(await metrics.text())?.[1])
    const world = new World({ metrics })
    world.addSite('a')
    const life = await world.live(controller)
    await world.clock.advance(60_000)
    const before = await adds()
    for (let index = 0; index < 200; index++) {
      channel.say(`gone-${index}`)
      await world.clock.advance(2)
    }
    expect(await adds()).toBe(before)
    channel.say('a')
    await world.clock.advance(2)
    expect(await adds()).toBe(before + 1)
    world.addSite('gone-7')
    await world.clock.advance(1_000)
    expect(observed).toContain('gone-7')
    await life.end()
  })

  it('are not consumed by a standby', async () => {
    const channel = new Channel()
    const elected = Promise.withResolvers<void>()
    const world = new World()
    const life = await world.live(counting({ events: channel.events }).controller, { mayWork: elected.promise })
    await world.clock.advance(60_000)
    expect(channel.begun).toEqual([])
    elected.resolve()
    await world.clock.advance(0)
    expect(channel.begun).toHaveLength(1)
    await life.end()
  })

  it('are consumed again after a failure, with growing delays', async () => {
    const channel = new Channel()
    const world = new World()
    const life = await world.live(counting({ events: channel.events }).controller)
    for (let failure = 0; failure < 6; failure++) {
      channel.break()
      await world.clock.advance(300_000)
    }
    expect(channel.begun).toHaveLength(7)
    expect(world.lines.filter(({ message }) => message.startsWith('the events of the controller failed'))).toHaveLength(
      6,
    )
    await life.end()
  })

  it('in large numbers do not block the event loop', async () => {
    let yielded = 0
    async function* flood() {
      for (; ; yielded++) yield { namespace: 'default', name: 'a' }
    }
    const { observed, controller } = counting({ events: flood })
    const world = new World()
    world.addSite('a')
    const life = await world.live(controller)
    expect(yielded).toBeLessThan(1_000)
    expect(observed.length).toBeLessThan(20)
    await life.end()
  })

  it('do not delay anything when they end', async () => {
    const { observed, controller } = counting({
      events: async function* () {
        yield { namespace: 'default', name: 'a' }
      },
    })
    const world = new World()
    world.addSite('a')
    const life = await world.live(controller)
    await world.clock.advance(60_000)
    expect(observed.length).toBeGreaterThan(0)
    await life.drain()
  })
})
