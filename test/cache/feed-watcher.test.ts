// An author's watch, on the model API server with its faults.
import { expect, it, onTestFinished } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { openWatchOf } from '../../src/cache/feed-watcher.ts'
import { KubeError, type KubeErrorCode } from '../../src/kube/kube-errors.ts'
import type { ObjectEvent } from '../../src/kube/object-event.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { ModelServer } from './model-server.ts'

const error = (code: KubeErrorCode) => new KubeError({ code, message: `the server says ${code}` })
const text = (event: ObjectEvent) => {
  if (event.kind === 'synced') return 'synced'
  const { name } = event.kind === 'deleted' ? event.object : event.object.metadata
  return `${event.kind} ${name}`
}

function setUp() {
  const clock = new SimClock()
  const server = new ModelServer(clock)
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const openWatch = openWatchOf({ clock, random: seededRandom(3), instruments: silentInstruments, client: server })
  const seen: string[] = []
  const read = async () => {
    for await (const event of openWatch(ConfigMap, {}, stop.signal)) seen.push(text(event))
    return 'ended'
  }
  /** Returns the events since the last call. */
  const news = async (ms = 0) => {
    await clock.advance(ms)
    return seen.splice(0)
  }
  return { clock, server, stop, openWatch, read, news }
}

it('returns the current objects, and then changes', async () => {
  const { server, stop, read, news } = setUp()
  server.write('a')
  const reading = read()
  expect(await news()).toEqual(['added a', 'synced'])
  server.write('a')
  server.write('b')
  server.remove('a')
  expect(await news()).toEqual(['modified a', 'added b', 'deleted a'])
  stop.abort()
  expect(await reading).toBe('ended')
  expect(server.openStreams).toBe(0)
})

it('survives an outage and an expired version, and misses nothing', async () => {
  const { server, read, news } = setUp()
  server.write('a')
  server.write('b')
  void read()
  await news()
  server.outage = error('Unreachable')
  server.write('a')
  server.remove('b')
  server.write('c')
  server.compact()
  expect(await news(60_000)).toEqual([])
  server.outage = undefined
  expect((await news(60_000)).toSorted()).toEqual(['added c', 'deleted b', 'modified a'])
  server.write('c')
  expect(await news()).toEqual(['modified c'])
})

it.each<KubeErrorCode>(['Forbidden', 'Unauthorized', 'ResourceNotFound'])(
  'rejects with the %s of the first request',
  async (code) => {
    const { server, read, clock } = setUp()
    server.outage = error(code)
    const reading = read()
    reading.catch(() => {})
    await clock.advance(0)
    await expect(reading).rejects.toMatchObject({ code })
    expect(server.openStreams).toBe(0)
  },
)

it('waits for a server that does not respond yet', async () => {
  const { server, read, news } = setUp()
  server.outage = error('Unreachable')
  void read()
  expect(await news(20_000)).toEqual([])
  server.outage = undefined
  expect(await news(60_000)).toEqual(['synced'])
})

it('continues after a temporary rejection', async () => {
  const { server, read, news } = setUp()
  void read()
  await news()
  server.outage = error('Forbidden')
  expect(await news(60_000)).toEqual([])
  server.outage = undefined
  server.write('a')
  expect(await news(60_000)).toEqual(['added a'])
})

it('ends its connection when the reader leaves', async () => {
  const { server, openWatch, stop, clock } = setUp()
  server.write('a')
  const leave = async () => {
    for await (const event of openWatch(ConfigMap, {}, stop.signal)) return text(event)
    return 'ended'
  }
  const left = leave()
  await clock.advance(0)
  expect(await left).toBe('added a')
  expect(server.openStreams).toBe(0)
})
