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

/** API server for Events only; it rejects requests on demand. */
class EventServer {
  readonly events = new Map<string, JsonObject>()
  readonly requests: string[] = []
  /** Called during the next request. */
  meanwhile = () => {}
  readonly #refusals: (KubeErrorCode | 'lostAnswer' | 'hang')[] = []

  /** Makes each of the next requests fail like this. */
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
  it('writes an Event in the background, with six decimals in its time', async () => {
    const { server, recorder, stop } = start()
    recorder.record(report())
    expect(server.requests).toEqual([])
    await settle()
    expect(server.only()).toMatchObject({ eventTime: '2026-01-01T00:00:00.000000Z', note: 'Created.' })
    expect(server.only()).not.toHaveProperty('series')
    await stop()
  })

  it('combines repeats into one series and writes it every 30 s', async () => {
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

  it('writes nothing without new reports', async () => {
    const { clock, server, recorder, stop } = start()
    recorder.record(report())
    await clock.advance(86_400_000)
    expect(server.requests).toEqual(['create'])
    await stop()
  })

  it('writes two reports before the first write as one series', async () => {
    const { server, recorder, stop } = start()
    recorder.record(report())
    recorder.record(report())
    await settle()
    expect(server.requests).toEqual(['create'])
    expect(server.only().series).toMatchObject({ count: 2 })
    await stop()
  })

  it('writes a report that arrives during a request', async () => {
    const { clock, server, recorder, stop } = start()
    server.meanwhile = () => recorder.record(report())
    recorder.record(report())
    await settle()
    expect(server.only()).not.toHaveProperty('series')
    await clock.advance(30_000)
    expect(server.only().series).toMatchObject({ count: 2 })
    await stop()
  })

  it('starts a new Event after a series has ended', async () => {
    const { clock, server, recorder, stop } = start()
    recorder.record(report())
    await clock.advance(6 * 60_000 + 1)
    recorder.record(report())
    await settle()
    expect(server.events.size).toBe(2)
    await stop()
  })

  it('creates the Event of a series again after it has expired', async () => {
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
  ])('retries after %s', async (code) => {
    const { clock, server, recorder, stop, dropped } = start()
    server.refuse(code, code, code)
    recorder.record(report())
    await clock.advance(30_000)
    expect([server.events.size, await dropped('unreachable')]).toEqual([1, 0])
    await stop()
  })

  it('gives up after its attempts, and counts the loss', async () => {
    const { clock, server, recorder, stop, dropped } = start()
    server.refuse(...Array.from({ length: 9 }, () => 'Unreachable' as const))
    recorder.record(report())
    await clock.advance(3_600_000)
    expect([server.requests.length, await dropped('unreachable')]).toEqual([4, 1])
    await stop()
  })

  it.each<KubeErrorCode>(['Invalid', 'Forbidden', 'NotFound'])('does not retry after %s', async (code) => {
    const { clock, server, recorder, stop, dropped } = start()
    server.refuse(code)
    recorder.record(report())
    await clock.advance(3_600_000)
    expect([server.requests, await dropped('refused')]).toEqual([['create'], 1])
    await stop()
  })

  it('treats an Event with a lost response as written', async () => {
    const { clock, server, recorder, stop, dropped } = start()
    server.refuse('lostAnswer')
    recorder.record(report())
    await clock.advance(60_000)
    expect([server.requests, server.events.size, await dropped('refused')]).toEqual([['create', 'create'], 1, 0])
    await stop()
  })

  it('aborts a hanging request, and continues', async () => {
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

  it('never throws to the caller', async () => {
    const { recorder, stop } = start()
    // An argument that a caller without types can pass.
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

  it('drops excess reports about one object, and counts them', async () => {
    const { clock, server, recorder, stop, dropped } = start()
    for (let index = 0; index < 100; index++) recorder.record(report('spam', `${index}`))
    await clock.advance(60_000)
    expect([server.events.size, await dropped('object')]).toEqual([25, 75])
    await stop()
  })

  it('flushes pending Events, with accumulated repeats', async () => {
    const { server, recorder, stop } = start()
    recorder.record(report('a'))
    await settle()
    recorder.record(report('a'))
    await stop()
    recorder.record(report('b'))
    await recorder.flush(new AbortController().signal)
    expect(server.requests).toEqual(['create', 'patch', 'create'])
  })

  it('flushes only until its limit, and counts the loss', async () => {
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

  it('ends during a hanging request, and then sets no timers', async () => {
    const { clock, server, recorder, stop } = start()
    server.refuse('hang')
    recorder.record(report())
    await settle()
    await stop()
    expect(clock.nextTimerMs()).toBe(undefined)
  })

  it('rejects a second run, and a flush while it runs', async () => {
    const { recorder, stop } = start()
    await expect(recorder.run(new AbortController().signal)).rejects.toThrow('once at a time')
    await expect(recorder.flush(new AbortController().signal)).rejects.toThrow('no longer runs')
    await stop()
  })

  it('writes Events of one namespace although another one exceeds the queue', async () => {
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

  it('gives every namespace the same share', async () => {
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
