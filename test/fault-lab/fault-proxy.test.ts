// Does the proxy pass on what it should, and break what it is told to?
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import type { WatchFrame } from '../../src/kube/client.ts'
import { RestClient } from '../../src/kube/rest-client.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { connectionTo, ScriptedServer } from '../kube/scripted-server.ts'
import type { Fault, FaultMatch } from './fault.ts'
import { FaultProxy } from './fault-proxy.ts'

const object = (name: string, resourceVersion = '1') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', uid: name, resourceVersion },
})
const at = { namespace: 'shop', name: 'cart' }
let server: ScriptedServer
let proxy: FaultProxy
let client: RestClient
/** Silence is only heard by waiting for a while. */
const silenceMs = 300
const signal = (limitMs = 20_000) => AbortSignal.timeout(limitMs)

beforeEach(async () => {
  server = await ScriptedServer.start((response, { path, method }) => {
    response.writeHead(method === 'PATCH' ? 201 : 200, { 'content-type': 'application/json' })
    if (!path.includes('watch=true')) return void response.end(JSON.stringify(object('cart')))
    for (let version = 1; version <= 4; version++) {
      const type = version === 1 ? 'ADDED' : 'MODIFIED'
      response.write(`${JSON.stringify({ type, object: object('cart', String(version)) })}\n`)
    }
    response.end()
  })
  proxy = await FaultProxy.start({ url: server.url })
  const connection = connectionTo(proxy.url)
  client = new RestClient({ connection, clock: systemClock, instruments: silentInstruments, userAgent: 'test' })
})
afterEach(async () => {
  await client.close(AbortSignal.abort())
  await proxy.stop()
  await server.close()
})

const get = (limitMs?: number) => client.get(ConfigMap, at, signal(limitMs))
const apply = (limitMs?: number) =>
  client.apply(ConfigMap, object('cart'), { fieldManager: 'test', force: false }, signal(limitMs))

async function watch(limitMs?: number): Promise<{ readonly versions: readonly string[]; readonly end: unknown }> {
  const versions: string[] = []
  try {
    const options = { namespace: 'shop', resourceVersion: '0' }
    for await (const frame of client.watch(ConfigMap, options, signal(limitMs))) versions.push(versionOf(frame))
    return { versions, end: 'ended' }
  } catch (thrown) {
    return { versions, end: thrown }
  }
}

function versionOf(frame: WatchFrame): string {
  return frame.type === 'ERROR' ? `error ${String(frame.object.code)}` : (frame.object.metadata.resourceVersion ?? '')
}

describe('a call', () => {
  it('that nothing strikes passes, and is recorded with its answer', async () => {
    expect(await get()).toEqual(object('cart'))
    await apply()
    expect(proxy.calls.map(({ call: { verb }, status }) => [verb, status])).toEqual([
      ['get', 200],
      ['apply', 201],
    ])
    expect(proxy.writes).toHaveLength(1)
  })

  it.each([
    ['before', 0, undefined],
    ['after', 1, 201],
  ] as const)('refused %s: the server has heard of it %i times', async (when, heard, status) => {
    const fault: Fault = { match: {}, when, effect: { kind: 'refuse', status: 429, retryAfterSeconds: 3 } }
    proxy.inject(fault)
    await expect(apply()).rejects.toMatchObject({ code: 'TooManyRequests', retryAfterMs: 3_000 })
    expect(server.requests).toHaveLength(heard)
    expect(proxy.calls[0]?.status).toBe(status)
    expect(proxy.hasStruck(fault) && proxy.isSpent(fault)).toBe(true)
    await apply()
  })

  it.each(['silence', 'lose', 'freeze'] as const)('under %s is never answered', async (kind) => {
    proxy.inject({ match: {}, effect: { kind } })
    await expect(apply(silenceMs)).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(server.requests).toHaveLength(0)
  })

  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('breaks %s', async (when, heard) => {
    proxy.inject({ match: {}, when, effect: { kind: 'break', afterBytes: 10 } })
    await expect(apply()).rejects.toMatchObject({ code: 'Unreachable' })
    expect(server.requests).toHaveLength(heard)
    await apply()
  })

  it('passes while faults are for others, and again when they are taken back', async () => {
    const fault = (match: FaultMatch): Fault => ({ match, times: 9, effect: { kind: 'break' } })
    proxy.inject(fault({ verb: 'apply' }))
    await get()
    await expect(apply()).rejects.toThrow()
    proxy.heal()
    await apply()
  })
})

describe('a watch', () => {
  it('passes frame by frame', async () => {
    expect(await watch()).toEqual({ versions: ['1', '2', '3', '4'], end: 'ended' })
  })

  it.each<readonly [Fault['effect'], readonly string[]]>([
    [{ kind: 'lose' }, ['1', '3', '4']],
    [{ kind: 'delay', delayMs: 5 }, ['1', '2', '3', '4']],
    [{ kind: 'refuse', status: 410, reason: 'Expired' }, ['1', 'error 410']],
  ])('goes on or ends under %j', async (effect, versions) => {
    proxy.inject({ match: { frame: 'MODIFIED' }, effect })
    expect(await watch()).toEqual({ versions, end: 'ended' })
  })

  it.each(['silence', 'freeze'] as const)('hangs under %s with its connection open', async (kind) => {
    proxy.inject({ match: { frame: 'MODIFIED' }, effect: { kind } })
    const { versions, end } = await watch(5 * silenceMs)
    expect(versions).toEqual(['1'])
    expect(end).toMatchObject({ name: 'TimeoutError' })
  })

  it('breaks in the middle of a frame', async () => {
    proxy.inject({ match: { frame: 'MODIFIED' }, effect: { kind: 'break', afterBytes: 20 } })
    const { versions, end } = await watch()
    expect(versions).toEqual(['1'])
    expect(end).toMatchObject({ code: 'Unreachable' })
  })
})

describe('the line', () => {
  it('lets nothing pass while it is down, and all when it is up again', async () => {
    await get()
    proxy.line = 'down'
    await expect(get()).rejects.toMatchObject({ code: 'Unreachable' })
    proxy.line = 'up'
    await get()
  })

  it('answers nothing while it is silent', async () => {
    proxy.line = 'silent'
    await expect(get(silenceMs)).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(server.requests).toHaveLength(0)
    proxy.line = 'up'
    await get()
  })
})
