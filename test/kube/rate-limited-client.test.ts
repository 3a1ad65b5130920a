// The request rate, over real connections and a simulated clock.
import { expect, it, onTestFinished } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import type { TokenBucketLimit } from '../../src/base/token-bucket.ts'
import { RestClient } from '../../src/kube/rest-client.ts'
import { Pod, StatefulSet } from '../../src/object/built-in.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { answer, connectionTo, ScriptedServer } from './scripted-server.ts'

const signal = new AbortController().signal
const store = { namespace: 'default', name: 'store' }
const object = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { ...store, uid: 'u1', resourceVersion: '7' } }

async function setUp(requestRate: TokenBucketLimit) {
  const server = await ScriptedServer.start((response, { path }) =>
    path.includes('watch=true') ? response.writeHead(200).end() : answer(response, 200, object),
  )
  const clock = new SimClock()
  const client = new RestClient({
    ...{ connection: connectionTo(server.url), clock, requestRate },
    ...{ instruments: silentInstruments, userAgent: 'konverge/test' },
  })
  onTestFinished(async () => {
    await client.close(AbortSignal.abort())
    await server.close()
  })
  return { server, clock, client }
}

async function framesOf(frames: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const frame of frames) all.push(frame)
  return all
}

it('sends requests and watches at its rate, and no aborted ones', async () => {
  const { server, clock, client } = await setUp({ perSecond: 10, burst: 2 })
  const called = new AbortController()
  const first = [client.get(StatefulSet, store, signal), client.get(StatefulSet, store, signal)]
  const second = client.list(Pod, {}, called.signal)
  const third = framesOf(client.watch(Pod, {}, signal))
  await Promise.all(first)
  expect(server.requests).toHaveLength(2)
  const reason = new Error('called off')
  called.abort(reason)
  await expect(second).rejects.toBe(reason)
  await clock.advance(199)
  expect(server.requests).toHaveLength(2)
  await clock.advance(1)
  expect(await third).toEqual([])
  expect(server.requests.map(({ path }) => path.includes('watch=true'))).toEqual([false, false, true])
})

it('waits for its rate outside the time limit of a request', async () => {
  const { clock, client } = await setUp({ perSecond: 0.01, burst: 1 })
  await client.get(StatefulSet, store, signal)
  const waiting = client.get(StatefulSet, store, signal)
  await clock.advance(100_000)
  expect(await waiting).toMatchObject({ kind: 'StatefulSet' })
})
