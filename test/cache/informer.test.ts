import { describe, expect, it } from 'vitest'
import { assert } from '../../src/base/assert.ts'
import { type Instruments, silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { InformerEvent } from '../../src/cache/change-handler.ts'
import { FieldSetPool } from '../../src/cache/field-set-pool.ts'
import { Informer, type InformerOptions } from '../../src/cache/informer.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { ConfigMap, Secret } from '../../src/object/built-in.ts'
import { isChildManager } from '../../src/object/identity.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { keyFor } from '../../src/object/ref.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { BusyClock } from './busy-clock.ts'
import { ModelServer } from './model-server.ts'
import { configMap, ownedBy } from './objects.ts'

function setUp(more: Partial<InformerOptions> = {}) {
  const clock = new SimClock()
  const server = new ModelServer(clock)
  const informer = new Informer({
    clock,
    random: seededRandom(7),
    instruments: silentInstruments,
    client: server,
    resource: ConfigMap,
    selection: {},
    keepsFieldsOf: isChildManager,
    fieldSets: new FieldSetPool(),
    ...more,
  })
  const stop = new AbortController()
  const told: string[] = []
  const hear = (event: InformerEvent) =>
    void told.push(`${event.kind} ${event.object.metadata.uid}${event.isInitial ? ' (initial)' : ''}`)
  const start = async () => {
    informer.start(stop.signal)
    await clock.advance(0)
  }
  return { clock, server, informer, stop, told, hear, start }
}

const a = keyFor('default', 'a')
const deletedA = { namespace: 'default', name: 'a', uid: 'a-1' }
const unreachable = new KubeError({ code: 'Unreachable', message: 'connection refused' })

/** Records log lines and counters. */
function recorded() {
  const errors: string[] = []
  const counts = new Map<string, number>()
  const gauges = new Map<string, number>()
  const instruments: Instruments = {
    ...silentInstruments,
    log: {
      ...silentInstruments.log,
      error: (fields, message) => void errors.push(`${fields.name}: ${message}: ${fields.error}`),
    },
    metrics: {
      ...silentInstruments.metrics,
      counter: ({ name }) => ({ add: () => void counts.set(name, (counts.get(name) ?? 0) + 1), remove: () => {} }),
      gauge: ({ name }) => ({
        set: (_, value) => void gauges.set(name, value),
        remove: () => void gauges.delete(name),
      }),
    },
  }
  return { errors, counts, gauges, instruments }
}

describe('Informer', () => {
  it('reports existing objects as initial, and later ones not', async () => {
    const { server, informer, told, hear, start, clock } = setUp()
    server.write('a')
    informer.addHandler(hear)
    await start()
    server.write('b')
    server.write('a', { data: { key: 'value' } })
    server.remove('a')
    await clock.advance(0)
    expect(told).toEqual(['added a-1 (initial)', 'added b-2', 'updated a-1', 'deleted a-1'])
  })

  it('does not report objects of a later snapshot as initial', async () => {
    const { server, informer, told, hear, start, clock } = setUp()
    informer.addHandler(hear)
    await start()
    server.freeze()
    server.write('b')
    server.compact()
    server.sendError(410, 'Expired')
    server.thaw()
    await clock.advance(2_000)
    expect(told).toEqual(['added b-1'])
  })

  it('reports an update with the previous object, after the store has it', async () => {
    const { server, informer, start, clock } = setUp()
    const seen: unknown[] = []
    server.write('a', { data: { key: 'old' } })
    await start()
    informer.addHandler((event) => {
      if (event.kind !== 'updated') return
      seen.push(event.previous.data, event.object.data, informer.get(a)?.data, informer.lastResourceVersion)
    })
    server.write('a', { data: { key: 'new' } })
    await clock.advance(0)
    expect(seen).toEqual([{ key: 'old' }, { key: 'new' }, { key: 'new' }, '102'])
  })

  it('reports an object recreated under its name as a deletion and an addition, seen or missed', async () => {
    const { server, informer, told, hear, start, clock } = setUp()
    server.write('a')
    informer.addHandler(hear)
    await start()
    server.remove('a')
    server.write('a')
    await clock.advance(0)
    server.freeze()
    server.remove('a')
    server.write('a')
    server.compact()
    server.sendError(410, 'Expired')
    server.thaw()
    await clock.advance(2_000)
    expect(told).toEqual(['added a-1 (initial)', 'deleted a-1', 'added a-2', 'deleted a-2', 'added a-3'])
  })

  it('reports nothing that a snapshot did not change', async () => {
    const { server, informer, told, hear, start, clock } = setUp()
    server.write('a')
    informer.addHandler(hear)
    await start()
    server.tick()
    server.compact()
    server.breakStreams()
    await clock.advance(5_000)
    expect(server.requests.length).toBeGreaterThan(2)
    expect(told).toEqual(['added a-1 (initial)'])
  })

  it('reports all objects to a late handler, and nothing to a removed one', async () => {
    const { server, informer, told, hear, start, clock } = setUp()
    server.write('a')
    await start()
    const remove = informer.addHandler(hear)
    remove()
    server.write('b')
    await clock.advance(0)
    expect(told).toEqual(['added a-1 (initial)'])
  })

  it('reports each change once to every handler, even if another handler adds or removes it', async () => {
    const { server, informer, told, hear, start, clock } = setUp()
    await start()
    const quiet = { remove: () => {} }
    informer.addHandler(() => {
      quiet.remove()
      if (informer.size === 1) informer.addHandler(hear)
    })
    quiet.remove = informer.addHandler(() => void told.push('told what was removed'))
    server.write('a')
    await clock.advance(0)
    server.write('b')
    await clock.advance(0)
    expect(told).toEqual(['added a-1 (initial)', 'added b-2'])
  })

  it('does not log an error about a Secret, which the message may quote', async () => {
    const { errors, instruments } = recorded()
    const { server, informer, start } = setUp({ instruments, resource: Secret })
    informer.addHandler(({ object }) => JSON.parse(String(object.data)))
    server.write('a', { data: { password: 'hunter2' } })
    await start()
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain('withheld')
  })

  it.each([
    ['an assertion of the runtime', 'no index nope', 'no index nope'],
    ['an assertion that quotes the Secret', 'no index hunter2', 'withheld'],
    ['an assertion that quotes the Secret as it was', 'no index hunter1', 'withheld'],
    ['an assertion that quotes the stored text', `no index ${btoa('hunter2')}`, 'withheld'],
  ])('logs about a Secret a message without its values: %s', async (_, invariant, told) => {
    const { errors, instruments } = recorded()
    const { server, informer, start, clock } = setUp({ instruments, resource: Secret })
    server.write('a', { data: { password: btoa('hunter1') } })
    await start()
    informer.addHandler(({ isInitial }) => assert(isInitial, invariant))
    server.write('a', { data: { password: btoa('hunter2') } })
    await clock.advance(0)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain(told)
  })

  it('continues when a handler throws: for the others, and for the next event', async () => {
    const { errors, counts, instruments } = recorded()
    const { server, informer, told, hear, start, clock } = setUp({ instruments })
    informer.addHandler(() => {
      throw new Error('broken handler')
    })
    informer.addHandler(hear)
    server.write('a')
    await start()
    server.write('b')
    await clock.advance(0)
    expect(told).toEqual(['added a-1 (initial)', 'added b-2'])
    expect(counts.get('watch_handler_errors_total')).toBe(2)
    expect(errors[0]).toContain('a: handler of added of an informer threw')
  })

  it('caches objects reduced by the transform, own writes included', async () => {
    const { server, informer, start } = setUp({ transform: ({ data: _, ...object }) => object })
    server.write('a', { data: { password: 'secret' } })
    await start()
    expect(informer.get(a)).not.toHaveProperty('data')
    informer.recordWrite(configMap('a', { version: 900, data: { password: 'secret' } }))
    expect(informer.get(a)?.metadata.resourceVersion).toBe('900')
    expect(informer.get(a)).not.toHaveProperty('data')
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken transform')
      },
    ],
    [
      'changes whose object it is',
      (object: ReturnType<typeof configMap>) => configMap('other', { ...object.metadata, version: 1 }),
    ],
  ])('caches only metadata of an object when its transform %s', async (_, transform) => {
    const { errors, instruments } = recorded()
    const { server, informer, start } = setUp({ instruments, transform })
    server.write('a', { data: { password: 'secret' } })
    await start()
    expect(informer.list().map(({ data, metadata: { uid } }) => ({ uid, data }))).toEqual([
      { uid: 'a-1', data: undefined },
    ])
    expect(errors).toHaveLength(1)
    expect(errors[0]).not.toContain('secret')
  })

  it('finds objects by owner, label and index', async () => {
    const fields = { key: (object: LiveObject) => Object.keys(object.data ?? {}) }
    const { server, informer, start } = setUp({ indexes: { labels: ['app'], fields } })
    server.write('a', { labels: { app: 'x' }, data: { k: 'v' }, ...ownedBy('o') })
    server.write('b')
    await start()
    for (const found of [informer.byOwner('o'), informer.byLabel('app', 'x'), informer.byIndex('key', 'k')]) {
      expect(found.map(({ metadata }) => metadata.name)).toEqual(['a'])
    }
  })

  it('reports its sync, and ends a wait when its signal aborts', async () => {
    const { server, informer, clock } = setUp()
    server.outage = unreachable
    const impatience = new AbortController()
    const impatient = informer.waitUntilSynced(impatience.signal)
    const patient = informer.waitUntilSynced(new AbortController().signal)
    informer.start(new AbortController().signal)
    await clock.advance(5_000)
    impatience.abort(new Error('waited long enough'))
    await expect(impatient).rejects.toThrow('waited long enough')
    await expect(informer.waitUntilSynced(impatience.signal)).rejects.toThrow('waited long enough')
    expect(informer.hasSynced).toBe(false)
    server.outage = undefined
    await clock.advance(10_000)
    await expect(patient).resolves.toBeUndefined()
    await expect(informer.waitUntilSynced(impatience.signal)).resolves.toBeUndefined()
    expect(informer.health).toMatchObject({ resource: 'configmaps', selection: '', state: 'synced' })
  })

  it('stops, leaves nothing running, and removes its gauges', async () => {
    const { gauges, instruments } = recorded()
    const { server, informer, start, clock } = setUp({ instruments })
    server.write('a')
    await start()
    expect([gauges.get('store_objects'), gauges.get('store_resource_version')]).toEqual([1, 101])
    await informer.stop()
    expect(gauges.size).toBe(0)
    expect(server.openStreams).toBe(0)
    expect(clock.nextTimerMs()).toBeUndefined()
    expect(informer.get(a)).toBeDefined()
  })
})

describe('own writes', () => {
  it('are read at once, and reported once, when the watch delivers them', async () => {
    const { server, informer, told, hear, start, clock } = setUp()
    informer.addHandler(hear)
    await start()
    const answer = server.write('a')
    informer.recordWrite(answer)
    expect(informer.get(a)?.metadata.resourceVersion).toBe('101')
    expect(informer.hasSeen('101')).toBe(false)
    expect(told).toEqual([])
    await clock.advance(0)
    expect(told).toEqual(['added a-1'])
    expect(informer.hasSeen('101')).toBe(true)
  })

  it('do not return when they were deleted before the response was recorded', async () => {
    const { server, informer, start, clock } = setUp()
    await start()
    const answer = server.write('a')
    server.remove('a')
    await clock.advance(0)
    informer.recordWrite(answer)
    expect(informer.get(a)).toBeUndefined()
  })

  it('are reported as deleted when the watch passes them without having shown them', async () => {
    const { server, informer, told, hear, start, clock } = setUp()
    informer.addHandler(hear)
    await start()
    server.freeze()
    informer.recordWrite(server.write('a'))
    server.remove('a')
    server.compact()
    server.sendError(410, 'Expired')
    server.thaw()
    expect(informer.get(a)).toBeDefined()
    await clock.advance(2_000)
    expect(informer.get(a)).toBeUndefined()
    expect(told).toEqual(['deleted a-1'])
  })

  it('are reported as deleted once when the store had an older state of them', async () => {
    const { server, informer, told, hear, start, clock } = setUp()
    server.write('a')
    informer.addHandler(hear)
    await start()
    server.freeze()
    informer.recordWrite(server.write('a', { data: { key: 'value' } }))
    server.remove('a')
    server.compact()
    server.sendError(410, 'Expired')
    server.thaw()
    await clock.advance(2_000)
    expect(told).toEqual(['added a-1 (initial)', 'deleted a-1'])
  })

  it('are dropped when a bookmark passes them, if they were never selected', async () => {
    const { server, informer, told, hear, start, clock } = setUp({ selection: { labelSelector: 'app=x' } })
    informer.addHandler(hear)
    await start()
    informer.recordWrite(server.write('a'))
    expect(informer.get(a)).toBeDefined()
    server.bookmark()
    await clock.advance(0)
    expect(informer.get(a)).toBeUndefined()
    expect(told).toEqual(['deleted a-1'])
  })

  it('count as seen, when deleted, once the watch has shown the deletion timestamp', async () => {
    const { server, informer, start, clock } = setUp()
    server.write('a')
    await start()
    server.remove('a')
    expect(informer.hasSeenDeleteOf(deletedA)).toBe(false)
    await clock.advance(0)
    expect(informer.hasSeenDeleteOf(deletedA)).toBe(true)
  })

  it('count as seen, when deleted, also if only a new snapshot lacks them', async () => {
    const { server, informer, start, clock } = setUp()
    server.write('a')
    await start()
    server.freeze()
    server.remove('a')
    server.compact()
    server.sendError(410, 'Expired')
    server.thaw()
    await clock.advance(2_000)
    expect(informer.hasSeenDeleteOf(deletedA)).toBe(true)
  })

  it('count as seen, when deleted, once their name was created again, though the watch never showed the first object', async () => {
    const { server, informer, start, clock } = setUp()
    informer.recordWrite(server.write('a'))
    server.remove('a')
    informer.recordWrite(server.write('a'))
    await start()
    expect(informer.hasSeenDeleteOf(deletedA)).toBe(true)
    expect(informer.get(a)?.metadata.uid).toBe('a-2')
    await clock.advance(0)
    expect(informer.hasSeenDeleteOf(deletedA)).toBe(true)
  })

  it('have not been seen before the first snapshot', () => {
    const { informer } = setUp()
    expect([informer.hasSeen('1'), informer.hasSeenDeleteOf(deletedA)]).toEqual([false, false])
  })

  it('count as seen, rather than never, if versions cannot be ordered', async () => {
    const { informer, start } = setUp()
    await start()
    expect(informer.hasSeen('opaque')).toBe(true)
  })
})

/** An informer for which each object takes a millisecond to reduce, to index, and in each handler. */
function setUpBusy(count: number) {
  const clock = new BusyClock()
  const working = <T>(answer: T) => {
    clock.work(1)
    return answer
  }
  const reduced: string[] = []
  const { server, informer } = setUp({
    clock,
    transform: (object) => {
      reduced.push(object.metadata.name)
      return working(object)
    },
    indexes: { fields: { name: ({ metadata }) => working([metadata.name]) } },
  })
  for (let index = 0; index < count; index++) server.write(`o${index}`)
  const told: string[] = []
  informer.addHandler(({ kind, object }) => void told.push(working(`${kind} ${object.metadata.uid}`)))
  /** The sizes that readers have seen, in order. */
  const sizes: number[] = []
  clock.onTurn = () => {
    if (sizes.at(-1) !== informer.size) sizes.push(informer.size)
  }
  return { clock, server, informer, told, reduced, sizes }
}

function expire(server: ModelServer): void {
  server.compact()
  server.sendError(410, 'Expired')
}

describe('Informer of many objects', () => {
  const never = new AbortController().signal

  it.each([
    ['a stream', true],
    ['pages', false],
  ])(
    'blocks the event loop for a few milliseconds at a time over %s, and readers see all of it at once',
    async (_, hasWatchList) => {
      const { clock, server, informer, told, sizes } = setUpBusy(600)
      server.hasWatchList = hasWatchList
      informer.start(never)
      await clock.advance(2_000)
      expect(told).toHaveLength(600)
      expect(clock.longestHeldMs).toBeLessThanOrEqual(12)
      expect(sizes).toEqual([0, 600])
      server.freeze()
      for (let index = 0; index < 300; index++) server.remove(`o${index}`)
      for (let index = 300; index < 600; index++) server.write(`o${index}`, { data: { key: 'new' } })
      expire(server)
      server.thaw()
      await clock.advance(20_000)
      expect(told).toHaveLength(1_200)
      expect(clock.longestHeldMs).toBeLessThanOrEqual(12)
      expect(sizes).toEqual([0, 600, 300])
    },
  )

  it('has synced when its handlers have all events', async () => {
    const { clock, informer, told } = setUpBusy(100)
    informer.start(never)
    const heard = informer.waitUntilSynced(never).then(() => told.length)
    while (told.length === 0) await clock.advance(0)
    await clock.advance(2_000)
    await expect(heard).resolves.toBe(100)
  })

  it('reports changes during a long snapshot after it, in order', async () => {
    const { clock, server, informer, told } = setUpBusy(50)
    informer.start(never)
    let isDone = false
    informer.addHandler(({ object }) => {
      if (isDone || object.metadata.name !== 'o3') return
      isDone = true
      server.remove('o0')
      server.write('o49', { data: { key: 'new' } })
    })
    await clock.advance(2_000)
    expect(told.slice(50)).toEqual(['deleted o0-1', 'updated o49-50'])
  })

  it('starts over when the stream breaks in the middle of a snapshot, and shows nothing of the first half', async () => {
    const { clock, server, informer, told, reduced, sizes } = setUpBusy(50)
    const look = clock.onTurn
    clock.onTurn = () => {
      look()
      if (reduced.length < 25 || server.find('o0') === undefined) return
      server.breakStreams()
      server.remove('o0')
    }
    informer.start(never)
    await clock.advance(20_000)
    expect(reduced.length).toBeGreaterThan(49 + 25)
    expect(sizes).toEqual([0, 49])
    expect(told).toHaveLength(49)
    expect(told).not.toContain('added o0-1')
  })

  it('holds an unchanged object of a snapshot once, and does not reduce it again', async () => {
    const { clock, server, informer, reduced } = setUpBusy(50)
    informer.start(never)
    await clock.advance(2_000)
    const before = informer.list()
    expire(server)
    await clock.advance(20_000)
    expect(server.requests.filter(({ text }) => text.startsWith('watch all'))).toHaveLength(2)
    expect(informer.list().every((object, index) => object === before[index])).toBe(true)
    expect(reduced).toHaveLength(50)
  })

  it('stops in the middle of a snapshot without a delay', async () => {
    const { clock, informer, told } = setUpBusy(50)
    informer.start(never)
    await clock.advance(0)
    await informer.stop()
    expect(told.length).toBeLessThanOrEqual(50)
  })
})
