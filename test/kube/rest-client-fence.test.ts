// The fence at the point where a request leaves. A process that slept reads responses before its timers run, and writes
// that waited for a connection would leave first.
import { afterEach, describe, expect, it } from 'vitest'
import type { Clock } from '../../src/base/clock.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import { Fence } from '../../src/kube/fence.ts'
import { RestClient } from '../../src/kube/rest-client.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { answer, connectionTo, type Script, ScriptedServer } from './scripted-server.ts'

const never = new AbortController().signal
const options = { fieldManager: 'test' }
const page = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } })
const live = { ...page('a'), metadata: { name: 'a', uid: 'u', resourceVersion: '1' } }

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** One connection, occupied by a write without a response; time passes without any timer. */
async function held() {
  let nowMs = 0
  const clock: Clock = { now: () => nowMs, monotonicMs: () => nowMs, setTimer: () => ({ cancel: () => {} }) }
  const fence = new Fence(clock)
  fence.openUntil(1_000)
  const arrived = Promise.withResolvers<Parameters<Script>[0]>()
  const server = await ScriptedServer.start((response) => {
    if (server.requests.length === 1) arrived.resolve(response)
    else answer(response, 200, live)
  })
  cleanups.push(() => server.close())
  const connection = connectionTo(server.url)
  const limits = { connections: 1 }
  const client = new RestClient({ connection, clock, instruments: silentInstruments, userAgent: 'test', limits, fence })
  cleanups.push(() => client.close(AbortSignal.abort()))
  const first = client.create(ConfigMap, page('first'), options, never)
  const response = await arrived.promise
  const sleep = () => {
    nowMs = 1_000
    answer(response, 201, live)
  }
  return { client, server, first, sleep }
}

describe('a write that waited while its process slept', () => {
  it('is not sent if the lease has expired meanwhile; reads are sent, over the same connection', async () => {
    const { client, server, first, sleep } = await held()
    const waiting = client.create(ConfigMap, page('waiting'), options, never)
    const reading = client.get(ConfigMap, { namespace: 'default', name: 'a' }, never)
    sleep()
    await expect(waiting).rejects.toMatchObject({ code: 'NotLeader' })
    await first
    await reading
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
    expect(server.totalSockets).toBe(1)
  })
})
