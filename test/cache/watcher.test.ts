import { describe, expect, it } from 'vitest'
import { type Instruments, type LogFields, silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { Watcher, type WatchSink } from '../../src/cache/watcher.ts'
import type { KubeClient, Selection } from '../../src/kube/client.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { keyOf } from '../../src/object/ref.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { ModelServer } from './model-server.ts'

/** Records the calls of the watcher, as a store would. */
class Recorder implements WatchSink {
  readonly objects = new Map<string, string>()
  readonly versions: string[] = []
  readonly told: string[] = []
  #next = new Map<string, string>()

  collect: WatchSink['collect'] = (object) => void this.#next.set(keyOf(object), object.metadata.resourceVersion)
  uncollect: WatchSink['uncollect'] = (object) => void this.#next.delete(keyOf(object))
  discard: WatchSink['discard'] = () => this.#next.clear()
  replace: WatchSink['replace'] = async (version) => {
    this.objects.clear()
    for (const [key, resourceVersion] of this.#next) this.objects.set(key, resourceVersion)
    this.#next.clear()
    this.told.push(`replace with ${this.objects.size}`)
    this.versions.push(version)
  }
  apply: WatchSink['apply'] = ({ type, object }) => {
    if (type === 'DELETED') this.objects.delete(keyOf(object))
    else this.objects.set(keyOf(object), object.metadata.resourceVersion)
    this.told.push(`${type} ${object.metadata.name}`)
    this.versions.push(object.metadata.resourceVersion)
  }
  absent: WatchSink['absent'] = async () => void this.told.push('absent')
  reached: WatchSink['reached'] = (version) => {
    this.versions.push(version)
  }
}

interface Setup {
  readonly selection?: Selection
  readonly client?: (server: ModelServer) => KubeClient
  readonly instruments?: Instruments
}

function setUp({ selection = {}, client = (server) => server, instruments = silentInstruments }: Setup = {}) {
  const clock = new SimClock()
  const server = new ModelServer(clock)
  const sink = new Recorder()
  const random = seededRandom(7)
  const watcher = new Watcher({
    clock,
    random,
    instruments,
    client: client(server),
    resource: ConfigMap,
    selection,
    sink,
  })
  const stop = new AbortController()
  const start = async () => {
    const running = watcher.run(stop.signal)
    await clock.advance(0)
    return running
  }
  const content = () => [...sink.objects].sort()
  const served = () => server.objects().map((object) => [keyOf(object), object.metadata.resourceVersion])
  const texts = () => server.requests.map(({ text }) => text)
  return { clock, server, sink, watcher, stop, start, content, served, texts }
}

const minutes = (count: number) => count * 60_000
const unreachable = new KubeError({ code: 'Unreachable', message: 'connection refused' })

describe('Watcher', () => {
  it('reads the snapshot and the changes after it from one stream', async () => {
    const { server, sink, texts, watcher, start, clock } = setUp()
    server.write('a')
    server.write('b')
    void start()
    await clock.advance(0)
    server.write('c')
    server.remove('a')
    await clock.advance(0)
    expect(sink.told).toEqual(['replace with 2', 'ADDED c', 'DELETED a'])
    expect(texts()).toEqual(['watch all '])
    expect(watcher.health).toMatchObject({ state: 'synced', lastResourceVersion: '104', lastFrameAtMs: clock.now() })
  })

  it('requests streams of five to ten minutes, and loses nothing when they end', async () => {
    const { server, content, served, start, clock } = setUp()
    void start()
    for (let minute = 0; minute < 120; minute++) {
      await clock.advance(minutes(1))
      server.write(`m${minute % 10}`)
    }
    await clock.advance(1_000)
    expect(content()).toEqual(served())
    expect(server.requests.length).toBeGreaterThanOrEqual(12)
    expect(server.requests.length).toBeLessThanOrEqual(24)
    for (const { options } of server.requests) {
      const timeoutSeconds = 'timeoutSeconds' in options ? options.timeoutSeconds : undefined
      expect(timeoutSeconds).toBeGreaterThanOrEqual(300)
      expect(timeoutSeconds).toBeLessThan(600)
    }
  })

  it('lists in pages of 500 if the server does not support initial events, then watches', async () => {
    const { server, content, served, texts, start, clock } = setUp()
    server.hasWatchList = false
    for (let index = 0; index < 1_001; index++) server.write(`o${index}`)
    void start()
    await clock.advance(0)
    expect(texts()).toEqual([
      'watch all ',
      'list  limit=500',
      'list 1101@500 limit=500',
      'list 1101@1000 limit=500',
      'watch 1101',
    ])
    expect(content()).toEqual(served())
  })

  it('lists in larger pages when the continue token has expired between pages', async () => {
    const { server, content, served, texts, start, clock } = setUp({
      client: (server) => ({
        ...neverCalled,
        watch: (...request) => server.watch(...request),
        list: async (...request) => {
          const page = await server.list(...request)
          if (server.find('meanwhile') === undefined) {
            server.write('meanwhile')
            server.compact()
          }
          return page
        },
      }),
    })
    server.hasWatchList = false
    for (let index = 0; index < 600; index++) server.write(`o${index}`)
    void start()
    await clock.advance(2_000)
    expect(texts().slice(0, 4)).toEqual(['watch all ', 'list  limit=500', 'list 700@500 limit=500', 'list  limit=2000'])
    await clock.advance(5_000)
    expect(content()).toEqual(served())
  })

  it('keeps its pages when one fails, and requests that one again', async () => {
    const { server, content, served, texts, start, clock } = setUp()
    server.hasWatchList = false
    for (let index = 0; index < 600; index++) server.write(`o${index}`)
    const error = new KubeError({ code: 'TooManyRequests', message: 'later', retryAfterMs: 3_000 })
    server.nextListError = error
    void start()
    await clock.advance(2_900)
    expect(texts()).toEqual(['watch all ', 'list  limit=500'])
    await clock.advance(1_000)
    expect(texts()).toEqual(['watch all ', 'list  limit=500', 'list  limit=500', 'list 700@500 limit=500', 'watch 700'])
    expect(content()).toEqual(served())
  })

  it.each([
    ['inside the stream', (server: ModelServer) => server.sendError(410, 'Expired')],
    ['as the first line of the next stream', (server: ModelServer) => server.breakStreams()],
  ])('reads a new snapshot after 410 %s, and sees the missed deletion', async (_, expire) => {
    const { server, content, served, texts, start, clock } = setUp()
    server.write('kept')
    server.write('lost')
    void start()
    await clock.advance(0)
    server.freeze()
    server.remove('lost')
    server.compact()
    expire(server)
    server.thaw()
    await clock.advance(5_000)
    expect(texts()).toContain('watch all 102')
    expect(content()).toEqual(served())
  })

  it('does not spin when the server keeps responding 410', async () => {
    const { server, start, clock } = setUp({
      client: (server) => ({
        ...neverCalled,
        list: (...request) => server.list(...request),
        watch: (_, options) => {
          server.requests.push({ text: 'watch', atMs: 0, options })
          return (async function* () {
            yield { type: 'ERROR', object: { code: 410, reason: 'Expired' } } as const
          })()
        },
      }),
    })
    void start()
    await clock.advance(minutes(10))
    expect(server.requests.length).toBeLessThan(80)
    expect(server.requests.length).toBeGreaterThan(20)
  })

  it('reconnects when nothing, not even a bookmark, arrived for two minutes', async () => {
    const { server, content, served, start, clock, texts } = setUp()
    void start()
    await clock.advance(30_000)
    server.silenceStreams()
    server.write('unheard')
    await clock.advance(89_000)
    expect(texts()).toHaveLength(1)
    await clock.advance(2_000)
    expect(texts()).toEqual(['watch all ', 'watch 100'])
    expect(content()).toEqual(served())
    expect(server.openStreams).toBe(1)
  })

  it('does not treat a stream with bookmarks only as stalled', async () => {
    const { start, clock, texts } = setUp()
    void start()
    await clock.advance(290_000)
    expect(texts()).toHaveLength(1)
  })

  it('recovers within ten seconds after the network returns, after any outage', async () => {
    const { server, content, served, start, clock, watcher } = setUp()
    void start()
    await clock.advance(1_000)
    server.outage = unreachable
    await clock.advance(minutes(60))
    expect(watcher.health).toMatchObject({ state: 'failing', lastError: 'watch configmaps: connection refused' })
    server.write('meanwhile')
    server.outage = undefined
    await clock.advance(10_000)
    expect(content()).toEqual(served())
    expect(watcher.health.state).toBe('synced')
    // Full jitter under a cap of ten seconds: five seconds per attempt on average.
    const during = server.requests.filter(({ atMs }) => atMs < minutes(60)).length
    expect(during).toBeGreaterThan(500)
    expect(during).toBeLessThan(1_000)
  })

  it('is in sync a second after its watch resumed, also without events', async () => {
    const { server, start, clock, watcher, texts } = setUp()
    void start()
    await clock.advance(1_000)
    server.outage = unreachable
    await clock.advance(45_000)
    expect(watcher.health.state).toBe('failing')
    server.outage = undefined
    await clock.advance(11_000)
    expect(watcher.health).toMatchObject({ state: 'synced', lastError: undefined, lastResourceVersion: '100' })
    expect(texts().at(-1)).toBe('watch 100')
  })

  it('is not in sync with a server that accepts watches and ends them at once', async () => {
    const { server, start, clock, watcher } = setUp()
    void start()
    await clock.advance(1_000)
    for (let second = 0; second < 120; second++) {
      server.breakStreams()
      await clock.advance(900)
    }
    expect(watcher.health.state).toBe('failing')
  })

  it('is not in sync on a connection that withholds everything except the start of a response', async () => {
    let isMute = false
    const { start, clock, watcher } = setUp({
      client: (server) => ({
        ...neverCalled,
        list: (...request) => server.list(...request),
        watch: (resource, options, signal) => {
          if (!isMute) return server.watch(resource, options, signal)
          options.onAnswered?.()
          return (async function* () {
            await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
          })()
        },
      }),
    })
    void start()
    await clock.advance(1_000)
    isMute = true
    await clock.advance(minutes(14))
    expect(watcher.health).toMatchObject({
      state: 'failing',
      lastError: 'watch configmaps in all namespaces: nothing came for too long',
    })
  })

  it('retries a failing server indefinitely', async () => {
    const { server, content, served, start, clock } = setUp()
    server.outage = new KubeError({ code: 'ServerError', message: 'internal error' })
    void start()
    await clock.advance(minutes(600))
    server.write('a')
    server.outage = undefined
    await clock.advance(30_000)
    expect(content()).toEqual(served())
  })

  it('waits for a missing CRD, requests it at growing intervals, and finds it after its installation', async () => {
    const { server, sink, start, clock, watcher } = setUp()
    server.outage = new KubeError({
      code: 'ResourceNotFound',
      message: 'the server could not find the requested resource',
    })
    void start()
    await clock.advance(minutes(1))
    expect(watcher.health.state).toBe('waiting')
    expect(watcher.health.lastError).toContain('waiting for configmaps in all namespaces')
    expect(server.requests.length).toBeGreaterThan(4)
    expect(server.requests.length).toBeLessThan(16)
    server.outage = undefined
    await clock.advance(30_000)
    expect(sink.told).toEqual(['absent', 'replace with 0'])
    expect(watcher.health).toMatchObject({ state: 'synced', lastError: undefined })
  })

  it('names the missing permission and recovers when it is granted', async () => {
    const selection = { namespace: 'team', labelSelector: 'app=store' }
    const { server, sink, start, clock, watcher } = setUp({ selection })
    server.outage = new KubeError({ code: 'Forbidden', message: 'User "x" cannot watch resource "configmaps"' })
    const startedAtMs = clock.now()
    void start()
    await clock.advance(minutes(10))
    expect(watcher.health).toMatchObject({ state: 'failing', sinceMs: startedAtMs, lastResourceVersion: undefined })
    expect(watcher.health.lastError).toBe(
      'may not list and watch configmaps in namespace team with labels app=store: grant both verbs to this service account ' +
        '(watch configmaps: User "x" cannot watch resource "configmaps")',
    )
    expect(server.requests.length).toBeLessThan(60)
    server.outage = undefined
    await clock.advance(30_000)
    expect(sink.told).toEqual(['replace with 0'])
  })

  it('never goes back to the state of a stale server, and catches up with it', async () => {
    const { server, sink, content, served, start, clock, watcher } = setUp()
    server.write('first')
    void start()
    await clock.advance(0)
    server.write('second')
    server.remove('first')
    await clock.advance(0)
    const before = content()
    server.freeze(101)
    server.tick()
    server.compact()
    server.breakStreams()
    await clock.advance(minutes(5))
    expect(content()).toEqual(before)
    expect(watcher.health.state).toBe('failing')
    server.thaw()
    await clock.advance(10_000)
    expect(content()).toEqual(served())
    expect(sink.versions).toEqual([...sink.versions].sort((left, right) => Number(left) - Number(right)))
  })

  it('survives any error of the client', async () => {
    let calls = 0
    const { server, content, served, start, clock } = setUp({
      client: (server) => ({
        ...neverCalled,
        list: (...request) => server.list(...request),
        watch: (...request) => {
          calls += 1
          if (calls < 4) throw new TypeError('a bug below')
          return server.watch(...request)
        },
      }),
    })
    server.write('a')
    void start()
    await clock.advance(10_000)
    expect(content()).toEqual(served())
  })

  it('gives up a page that takes longer than a minute', async () => {
    const asked: number[] = []
    const { start, clock } = setUp({
      client: () => ({
        ...neverCalled,
        watch: () => {
          throw new KubeError({ code: 'Invalid', message: 'no' })
        },
        list: (_, __, signal) => {
          asked.push(clock.monotonicMs())
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
      }),
    })
    void start()
    await clock.advance(minutes(1) + 1_000)
    expect(asked).toHaveLength(2)
  })

  it.each<[string, (server: ModelServer) => void, number]>([
    ['reading a stream', () => {}, 1_000],
    ['resting', (server) => (server.outage = unreachable), 1_000],
    ['not started yet', () => {}, 0],
  ])('ends with its signal while %s, and leaves nothing behind', async (_, prepare, afterMs) => {
    const { server, start, stop, clock } = setUp()
    prepare(server)
    const running = start()
    await clock.advance(afterMs)
    stop.abort(new Error('stop'))
    await clock.advance(0)
    await expect(running).resolves.toBeUndefined()
    expect(server.openStreams).toBe(0)
    expect(clock.nextTimerMs()).toBeUndefined()
  })

  it('counts frames and restarts, and logs only changes of its state', async () => {
    const counts = new Map<string, number>()
    const lines: string[] = []
    const log = (level: string) => (_: LogFields, message: string) => void lines.push(`${level} ${message}`)
    const instruments: Instruments = {
      ...silentInstruments,
      log: { debug: () => {}, info: log('info'), warn: log('warn'), error: log('error'), with: () => instruments.log },
      metrics: {
        ...silentInstruments.metrics,
        counter: ({ name }) => ({
          add: (labels, amount = 1) => {
            const series = `${name} ${Object.values(labels).join(' ')}`
            counts.set(series, (counts.get(series) ?? 0) + amount)
          },
          remove: () => {},
        }),
      },
    }
    const { server, start, clock } = setUp({ instruments })
    server.write('a')
    void start()
    await clock.advance(1_000)
    server.outage = unreachable
    await clock.advance(minutes(5))
    server.outage = undefined
    server.write('b')
    await clock.advance(10_000)
    expect(counts.get('watch_events_total configmaps ADDED')).toBe(2)
    expect(counts.get('watch_events_total configmaps BOOKMARK')).toBe(1)
    expect(counts.get('watch_restarts_total configmaps unreachable')).toBeGreaterThan(20)
    expect(lines).toEqual([
      'info configmaps in all namespaces: in sync',
      'warn configmaps in all namespaces: failing',
      'info configmaps in all namespaces: in sync',
    ])
  })
})

const refuse = () => {
  throw new Error('a watcher only lists and watches')
}
const neverCalled: KubeClient = {
  get: refuse,
  list: refuse,
  watch: refuse,
  create: refuse,
  apply: refuse,
  patch: refuse,
  delete: refuse,
  update: refuse,
  deleteCollection: refuse,
  read: refuse,
}
