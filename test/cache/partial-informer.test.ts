// An informer that caches a part of the objects that it reads, as a shard does. Rejected objects never enter the cache,
// and the accepted part may change.
import { expect, it, onTestFinished } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { Informers } from '../../src/cache/informers.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { ModelApi } from '../model-api.ts'

async function partial() {
  const clock = new SimClock()
  const client = new ModelApi(clock)
  const accepted = new Set(['red'])
  const keeps = ({ metadata: { labels } }: LiveObject) => accepted.has(labels?.['color'] ?? '')
  const put = (name: string, color: string) =>
    client.put(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'a', labels: { color } },
    })
  put('one', 'red')
  put('two', 'blue')
  const surroundings = {
    clock,
    client,
    random: seededRandom(1),
    instruments: silentInstruments,
    keepsFieldsOf: undefined,
  }
  const informers = new Informers(surroundings)
  const view = informers.informerFor({ resource: ConfigMap, keeps })
  const whole = informers.informerFor({ resource: ConfigMap })
  const events: string[] = []
  view.addHandler(({ kind, object, isInitial }) => void events.push(`${kind} ${object.metadata.name} ${isInitial}`))
  const stop = new AbortController()
  onTestFinished(async () => {
    stop.abort()
    await clock.advance(0)
    await informers.stop()
  })
  informers.start(stop.signal)
  await clock.advance(0)
  const names = () => view.list().map(({ metadata }) => metadata.name)
  const refill = async () => {
    const refilled = informers.refill(stop.signal)
    await clock.advance(0)
    await refilled
  }
  return { clock, client, informers, accepted, put, names, events, view, whole, refill }
}

it('caches only accepted objects', async () => {
  const { names, whole, put, clock } = await partial()
  put('three', 'blue')
  put('four', 'red')
  await clock.advance(0)
  expect(names()).toEqual(['one', 'four'])
  expect(whole.size).toBe(4)
})

it('reports an object as deleted when it changes to a rejected one', async () => {
  const { names, put, clock, events } = await partial()
  put('one', 'blue')
  await clock.advance(0)
  expect(names()).toEqual([])
  expect(events).toEqual(['added one true', 'deleted one false'])
})

it('ignores the response to a write that it rejects', async () => {
  const { names, view, put } = await partial()
  view.recordWrite(put('three', 'blue'))
  expect(names()).toEqual(['one'])
})

it('loads newly accepted objects as initial, without an effect on others', async () => {
  const { names, accepted, refill, events, view } = await partial()
  accepted.add('blue')
  const refilled = refill()
  expect([names(), view.health[0]?.state]).toEqual([['one'], 'synced'])
  await refilled
  expect(names()).toEqual(['one', 'two'])
  expect(events).toEqual(['added one true', 'added two true'])
})

it('drops newly rejected objects, responses to writes included', async () => {
  const { names, accepted, informers, events, view, put, client } = await partial()
  client.isHoldingWatches = true
  view.recordWrite(put('three', 'red'))
  expect(names()).toEqual(['one', 'three'])
  accepted.clear()
  informers.prune()
  expect(names()).toEqual([])
  expect(events).toEqual(['added one true', 'deleted one false', 'deleted three false'])
})

it('follows changes after a refill', async () => {
  const { names, accepted, refill, put, clock } = await partial()
  accepted.add('blue')
  await refill()
  await refill()
  put('five', 'blue')
  await clock.advance(0)
  expect(names()).toEqual(['one', 'two', 'five'])
})
