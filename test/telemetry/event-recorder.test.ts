import { describe, expect, it } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { KubeError, type KubeErrorCode } from '../../src/kube/kube-errors.ts'
import type { LiveObject } from '../../src/object/object.ts'
import type { EventReport } from '../../src/telemetry/event-object.ts'
import { EventRecorder } from '../../src/telemetry/event-recorder.ts'
import { PrometheusMetrics } from '../../src/telemetry/metrics.ts'
import { SimClock, settle } from '../../src/testing/sim-clock.ts'

/** An API server that knows Events only, and refuses as told. */
class EventServer {
  readonly events = new Map<string, JsonObject>()
  readonly requests: string[] = []
  /** Called while the next request is under way. */
  meanwhile = () => {}
  readonly #refusals: (KubeErrorCode | 'lostAnswer' | 'hang')[] = []

  /** The next requests fail like this, one each. */
  refuse(...refusals: (KubeErrorCode | 'lostAnswer' | 'hang')[]): void {
    this.#refusals.push(...refusals)
  }

  only(): JsonObject {
    const [event, ...others] = this.events.values()
    if (event === undefined || others.length > 0) throw new Error(`there are ${this.events.size} events`)
    return event
  }

  client(): KubeClient {
    const unused = () => {
      throw new Error('the recorder has no use for this')
    }
    return {
      get: unused,
      list: unused,
      watch: unused,
      apply: unused,
      delete: unused,
      update: unused,
      deleteCollection: unused,
      read: unused,
      create: async (_, object, __, signal) => {
        await this.#arrive('create', signal, () => {
          if (this.events.has(object.metadata.name)) throw refusal('AlreadyExists')
          this.events.set(object.metadata.name, object as unknown as JsonObject)
        })
        return object as LiveObject
      },
      patch: async (_, { name }, patch, __, signal) => {
        await this.#arrive('patch', signal, () => {
          const event = this.events.get(name)
          if (event === undefined) throw refusal('NotFound')
          this.events.set(name, { ...event, ...(patch.body as JsonObject) })
        })
        return {} as LiveObject
      },
    }
  }

  async #arrive(verb: string, signal: AbortSignal, change: () => void): Promise<void> {
    signal.throwIfAborted()
    this.requests.push(verb)
    this.meanwhile()
    this.meanwhile = () => {}
    const failure = this.#refusals.shift()
    if (failure === 'hang') {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    } else if (failure === 'lostAnswer') {
      change()
      throw refusal('Unreachable')
    } else if (failure !== undefined) {
      throw refusal(failure)
    } else {
      change()
    }
  }
}

function refusal(code: KubeErrorCode): KubeError {
  return new KubeError({ code, message: `refused: ${code}` })
}

function start() {
  const clock = new SimClock()
  const metrics = new PrometheusMetrics()
  const server = new EventServer()
  const recorder = new EventRecorder({
    clock,
    random: seededRandom(1),
    instruments: { ...silentInstruments, metrics },
    client: server.client(),
    reporter: { controller: 'konverge.dev/operator', instance: 'konverge-0' },
    fieldManager: 'konverge-events',
  })
  const life = new AbortController()
  const ended = recorder.run(life.signal)
  const stop = async () => {
    life.abort()
    await ended
  }
  const dropped = async (reason: string) => {
    const line = (await metrics.text())
      .split('\n')
      .find((text) => text.startsWith(`konverge_events_dropped_total{reason="${reason}"}`))
    return Number(line?.split(' ')[1] ?? 0)
  }
  return { clock, server, recorder, stop, dropped }
}

function report(name = 'orders', note = 'Created.', namespace = 'shop'): EventReport {
  const regarding = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, uid: `uid-${namespace}-${name}` } }
  return { regarding, type: 'Normal', reason: 'Created', action: 'Apply', note }
}

describe('EventRecorder', () => {
  it('writes an event in the background, with a time of six decimals', async () => {
    const { server, recorder, stop } = start()
    recorder.record(report())
    expect(server.requests).toEqual([])
    await settle()
    expect(server.only()).toMatchObject({ eventTime: '2026-01-01T00:00:00.000000Z', note: 'Created.' })
    expect(server.only()).not.toHaveProperty('series')
    await stop()
  })

  it('gathers repeats into one series and writes it every half minute', async () => {
    const { clock, server, recorder, stop } = start()
    for (let second = 0; second < 60; second++) {
      recorder.record(report())
      await clock.advance(1_000)
    }
    await clock.advance(60_000)
    expect(server.requests).toEqual(['create', 'patch', 'patch'])
    expect(server.only().series).toEqual({ count: 60, lastObservedTime: '2026-01-01T00:00:59.000000Z' })
    await stop()
  })

  it('writes nothing more when nothing more is said', async () => {
    const { clock, server, recorder, stop } = start()
    recorder.record(report())
    await clock.advance(86_400_000)
    expect(server.requests).toEqual(['create'])
    await stop()
  })

  it('writes what was said twice before it was written as a series at once', async () => {
    const { server, recorder, stop } = start()
    recorder.record(report())
    recorder.record(report())
    await settle()
    expect(server.requests).toEqual(['create'])
    expect(server.only().series).toMatchObject({ count: 2 })
    await stop()
  })

  it('writes what was said while a request was under way', async () => {
    const { clock, server, recorder, stop } = start()
    server.meanwhile = () => recorder.record(report())
    recorder.record(report())
    await settle()
    expect(server.only()).not.toHaveProperty('series')
    await clock.advance(30_000)
    expect(server.only().series).toMatchObject({ count: 2 })
    await stop()
  })

  it('begins a new event when a series has ended', async () => {
    const { clock, server, recorder, stop } = start()
    recorder.record(report())
    await clock.advance(6 * 60_000 + 1)
    recorder.record(report())
    await settle()
    expect(server.events.size).toBe(2)
    await stop()
  })

  it('posts a series anew when its event has expired', async () => {
    const { clock, server, recorder, stop } = start()
    recorder.record(report())
    await settle()
    server.events.clear()
    recorder.record(report())
    await clock.advance(60_000)
    expect(server.only().series).toMatchObject({ count: 2 })
    await stop()
  })
})

describe('EventRecorder, failures', () => {
  it.each<KubeErrorCode>([
    'Unreachable',
    'ServiceUnavailable',
    'TooManyRequests',
    'Timeout',
    'ServerError',
    'Unauthorized',
  ])('tries again after %s', async (code) => {
    const { clock, server, recorder, stop, dropped } = start()
    server.refuse(code, code, code)
    recorder.record(report())
    await clock.advance(30_000)
    expect([server.events.size, await dropped('unreachable')]).toEqual([1, 0])
    await stop()
  })

  it('gives up in the end, and counts what is lost', async () => {
    const { clock, server, recorder, stop, dropped } = start()
    server.refuse(...Array.from({ length: 9 }, () => 'Unreachable' as const))
    recorder.record(report())
    await clock.advance(3_600_000)
    expect([server.requests.length, await dropped('unreachable')]).toEqual([4, 1])
    await stop()
  })

  it.each<KubeErrorCode>(['Invalid', 'Forbidden', 'NotFound'])('does not try again after %s', async (code) => {
    const { clock, server, recorder, stop, dropped } = start()
    server.refuse(code)
    recorder.record(report())
    await clock.advance(3_600_000)
    expect([server.requests, await dropped('refused')]).toEqual([['create'], 1])
    await stop()
  })

  it('takes an event whose answer was lost for written', async () => {
    const { clock, server, recorder, stop, dropped } = start()
    server.refuse('lostAnswer')
    recorder.record(report())
    await clock.advance(60_000)
    expect([server.requests, server.events.size, await dropped('refused')]).toEqual([['create', 'create'], 1, 0])
    await stop()
  })

  it('cuts a request off that hangs, and goes on', async () => {
    const { clock, server, recorder, stop } = start()
    server.refuse('hang')
    recorder.record(report('a'))
    recorder.record(report('b'))
    await clock.advance(9_999)
    expect(server.events.size).toBe(0)
    await clock.advance(10_000)
    expect(server.events.size).toBe(2)
    await stop()
  })

  it('never throws into the caller', async () => {
    const { recorder, stop } = start()
    // What a caller without types might pass.
    expect(() => recorder.record({} as EventReport)).not.toThrow()
    expect(() => recorder.record({ ...report(), note: undefined } as unknown as EventReport)).not.toThrow()
    await stop()
  })
})

describe('EventRecorder, bounds and shutdown', () => {
  it('spreads a flood over time', async () => {
    const { clock, server, recorder, stop } = start()
    for (let index = 0; index < 200; index++) recorder.record(report(`pod-${index}`))
    await settle()
    await clock.advance(1_000)
    expect(server.events.size).toBeLessThan(70)
    await clock.advance(60_000)
    expect(server.events.size).toBe(200)
    await stop()
  })

  it('drops what one object says too often, and counts it', async () => {
    const { clock, server, recorder, stop, dropped } = start()
    for (let index = 0; index < 100; index++) recorder.record(report('spam', `${index}`))
    await clock.advance(60_000)
    expect([server.events.size, await dropped('object')]).toEqual([25, 75])
    await stop()
  })

  it('flushes what is left, gathered repeats included', async () => {
    const { server, recorder, stop } = start()
    recorder.record(report('a'))
    await settle()
    recorder.record(report('a'))
    await stop()
    recorder.record(report('b'))
    await recorder.flush(new AbortController().signal)
    expect(server.requests).toEqual(['create', 'patch', 'create'])
  })

  it('flushes no longer than it may, and counts what is lost', async () => {
    const { server, recorder, stop, dropped } = start()
    await stop()
    server.refuse('hang')
    for (const name of ['a', 'b', 'c']) recorder.record(report(name))
    const limit = new AbortController()
    const flushed = recorder.flush(limit.signal)
    await settle()
    limit.abort()
    await flushed
    expect([server.requests, await dropped('shutdown')]).toEqual([['create'], 3])
  })

  it('ends although a request hangs, and sets no timers then', async () => {
    const { clock, server, recorder, stop } = start()
    server.refuse('hang')
    recorder.record(report())
    await settle()
    await stop()
    expect(clock.nextTimerMs()).toBe(undefined)
  })

  it('refuses to run twice at once, and to flush while it runs', async () => {
    const { recorder, stop } = start()
    await expect(recorder.run(new AbortController().signal)).rejects.toThrow('once at a time')
    await expect(recorder.flush(new AbortController().signal)).rejects.toThrow('no longer runs')
    await stop()
  })

  it('writes the events of one namespace although another one makes more than there is room for', async () => {
    const { clock, server, recorder, stop } = start()
    const namespaces = () => [...server.events.values()].map(({ metadata }) => (metadata as JsonObject)['namespace'])
    for (let index = 0; index < 1_100; index++) recorder.record(report(`a${index}`, 'Created.', 'evil'))
    for (let index = 0; index < 20; index++) recorder.record(report(`b${index}`, 'Created.', 'victim'))
    await clock.advance(10_000)
    expect(namespaces().filter((namespace) => namespace === 'victim')).toHaveLength(20)
    await clock.advance(200_000)
    for (let index = 20; index < 30; index++) recorder.record(report(`b${index}`, 'Created.', 'victim'))
    await clock.advance(10_000)
    expect(namespaces().filter((namespace) => namespace === 'victim')).toHaveLength(30)
    await stop()
  })

  it('gives every namespace the same share, whatever many namespaces make', async () => {
    const { clock, server, recorder, stop } = start()
    for (let index = 0; index < 600; index++)
      for (const namespace of ['evil-1', 'evil-2', 'evil-3'])
        recorder.record(report(`a${index}`, 'Created.', namespace))
    recorder.record(report('b', 'Created.', 'victim'))
    await clock.advance(10_000)
    const namespaces = [...server.events.values()].map(({ metadata }) => (metadata as JsonObject)['namespace'])
    expect(namespaces).toContain('victim')
    await stop()
  })
})
