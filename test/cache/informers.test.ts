import { describe, expect, it } from 'vitest'
import { type Instruments, silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { InformerEvent } from '../../src/cache/change-handler.ts'
import { Informers } from '../../src/cache/informers.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { ConfigMap, Namespace } from '../../src/object/built-in.ts'
import { isChildManager } from '../../src/object/identity.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { keyFor } from '../../src/object/ref.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { ModelServer } from './model-server.ts'

function setUp(namespaces?: readonly string[], instruments: Instruments = silentInstruments) {
  const clock = new SimClock()
  const server = new ModelServer(clock)
  const stop = new AbortController()
  const informers = new Informers({
    clock,
    random: seededRandom(7),
    instruments,
    client: server,
    keepsFieldsOf: isChildManager,
    namespaces,
  })
  const start = async () => {
    informers.start(stop.signal)
    await clock.advance(0)
  }
  return { clock, server, informers, stop, start }
}

const names = (objects: readonly LiveObject[]) => objects.map(({ metadata }) => metadata.name).sort()

describe('Informers', () => {
  it('runs one informer for equal requests', async () => {
    const { server, informers, start } = setUp()
    const [first, second] = [
      informers.informerFor({ resource: ConfigMap }),
      informers.informerFor({ resource: ConfigMap }),
    ]
    server.write('a')
    await start()
    expect(server.openStreams).toBe(1)
    expect([names(first.list()), names(second.list())]).toEqual([['a'], ['a']])
  })

  it.each([
    ['selector', { labelSelector: 'app=x' }],
    ['namespace', { namespace: 'other' }],
    ['field', { fieldSelector: 'metadata.name=a' }],
    ['part of the objects', { metadataOnly: true }],
    ['transform', { transform: <T>(object: T) => object }],
  ])('runs another for another %s', async (_, request) => {
    const { server, informers, start } = setUp()
    informers.informerFor({ resource: ConfigMap })
    informers.informerFor({ resource: ConfigMap, ...request })
    informers.informerFor({ resource: ConfigMap, ...request })
    await start()
    expect(server.openStreams).toBe(2)
  })

  it('starts later informers at once, and adds their indexes to running ones', async () => {
    const { server, informers, start, clock } = setUp()
    server.write('a', { labels: { app: 'x' } })
    await start()
    informers.informerFor({ resource: ConfigMap })
    await clock.advance(0)
    const late = informers.informerFor({ resource: ConfigMap, indexes: { labels: ['app'] } })
    expect(names(late.byLabel('app', 'x'))).toEqual(['a'])
    expect(server.openStreams).toBe(1)
  })

  it('stops an informer after its last holder releases it, and starts a new one for the next', async () => {
    const { server, informers, start, clock } = setUp()
    const [first, second] = [
      informers.informerFor({ resource: ConfigMap }),
      informers.informerFor({ resource: ConfigMap }),
    ]
    await start()
    const told: string[] = []
    first.addHandler(({ object }) => void told.push(object.metadata.name))
    await first.release()
    server.write('a')
    await clock.advance(0)
    expect(told).toEqual([])
    expect(names(second.list())).toEqual(['a'])
    await second.release()
    expect(server.openStreams).toBe(0)
    expect(informers.health()).toEqual([])
    await expect(second.release()).rejects.toThrow('released once')
    const third = informers.informerFor({ resource: ConfigMap })
    await clock.advance(0)
    expect(names(third.list())).toEqual(['a'])
  })

  it('reads the informers of several namespaces as one, and records writes with the right one', async () => {
    const { server, informers, start, clock } = setUp(['left', 'right', 'left'])
    const view = informers.informerFor({ resource: ConfigMap })
    server.write('a', { namespace: 'left' })
    server.write('b', { namespace: 'right' })
    server.write('c', { namespace: 'elsewhere' })
    const told: string[] = []
    view.addHandler((event: InformerEvent) => void told.push(`${event.kind} ${event.object.metadata.name}`))
    await start()
    expect(server.openStreams).toBe(2)
    expect(view.hasSynced).toBe(true)
    expect(names(view.list())).toEqual(['a', 'b'])
    expect(view.size).toBe(2)
    expect(view.get(keyFor('right', 'b'))).toBeDefined()
    expect(view.get(keyFor('elsewhere', 'c'))).toBeUndefined()
    expect(told.sort()).toEqual(['added a', 'added b'])

    const answer = server.write('b', { namespace: 'right', data: { key: 'value' } })
    view.recordWrite(answer)
    view.recordWrite(server.write('d', { namespace: 'elsewhere' }))
    expect(view.get(keyFor('right', 'b'))?.metadata.resourceVersion).toBe('104')
    expect([view.hasSeen('104', 'right'), view.hasSeen('104', 'elsewhere')]).toEqual([false, true])
    await clock.advance(0)
    // The other namespace has nothing to see, so nothing waits for it.
    expect([view.hasSeen('104', 'right'), view.hasSeen('104', 'left')]).toEqual([true, false])
  })

  it('logs few of 50 watches that begin, fail and recover together', async () => {
    const lines: string[] = []
    const line = (_: unknown, message: string) => void lines.push(message)
    const log = { debug: () => {}, info: line, warn: line, error: line, with: () => log }
    const namespaces = Array.from({ length: 50 }, (_, at) => `ns-${at}`)
    const { server, clock, informers, start } = setUp(namespaces, { ...silentInstruments, log })
    informers.informerFor({ resource: ConfigMap })
    await start()
    server.outage = new KubeError({ code: 'Unreachable', message: 'connection refused' })
    await clock.advance(300_000)
    server.outage = undefined
    await clock.advance(300_000)
    const count = (end: string) => lines.filter((text) => text.endsWith(end)).length
    expect([informers.hasSynced, count('failing'), count('in sync')]).toEqual([true, 4, 8])
  })

  it('watches only the namespaces that a request names', () => {
    const { informers } = setUp(['a', 'b'])
    const view = informers.informerFor({ resource: ConfigMap, namespaces: ['b'] })
    expect([view.covers('a'), view.covers('b')]).toEqual([false, true])
    expect(() => informers.informerFor({ resource: ConfigMap, namespaces: ['c'] })).toThrow(
      'configmaps are watched in the namespace c, which the operator does not serve',
    )
  })

  it('watches cluster-scoped resources once, whatever the namespaces', async () => {
    const { server, informers, start } = setUp(['left', 'right'])
    informers.informerFor({ resource: Namespace })
    await start()
    expect(server.requests.map(({ options }) => options.namespace)).toEqual([undefined])
  })

  it('accepts a request with its own namespace', async () => {
    const { server, informers, start } = setUp(['left', 'right'])
    informers.informerFor({ resource: ConfigMap, namespace: 'system' })
    await start()
    expect(server.requests.map(({ options }) => options.namespace)).toEqual(['system'])
  })

  it('reports the health of each informer, and when all have synced', async () => {
    const { informers, start, stop } = setUp(['left', 'right'])
    informers.informerFor({ resource: ConfigMap, labelSelector: 'app=x' })
    expect(informers.hasSynced).toBe(false)
    const synced = informers.waitUntilSynced(stop.signal)
    await start()
    await expect(synced).resolves.toBeUndefined()
    expect(informers.hasSynced).toBe(true)
    expect(informers.health().map(({ resource, selection, state }) => `${resource} ${selection} ${state}`)).toEqual([
      'configmaps namespace=left,labels=(app=x) synced',
      'configmaps namespace=right,labels=(app=x) synced',
    ])
  })

  it('names an informer of metadata by its content', async () => {
    const { informers, start } = setUp()
    informers.informerFor({ resource: ConfigMap, labelSelector: 'app=x', metadataOnly: true })
    await start()
    expect(informers.health()).toMatchObject([{ resource: 'configmaps', selection: 'labels=(app=x),metadataOnly' }])
  })

  it('stops all, and leaves nothing running', async () => {
    const { server, informers, start, clock } = setUp(['left', 'right'])
    informers.informerFor({ resource: ConfigMap })
    await start()
    await informers.stop()
    expect(server.openStreams).toBe(0)
    expect(clock.nextTimerMs()).toBeUndefined()
  })

  it('rejects an empty list of namespaces', () => {
    expect(() => setUp([])).toThrow('names at least one')
  })
})
