// Faulty paths over sockets and in the process: they forward calls and frames, and inject the given faults.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import type { WatchFrame } from '../../src/kube/client.ts'
import { FetchClient } from '../../src/kube/fetch-client.ts'
import { RestClient } from '../../src/kube/rest-client.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import { connectionTo, ScriptedServer } from '../kube/scripted-server.ts'
import type { Fault, FaultMatch } from './fault.ts'
import { FaultProxy } from './fault-proxy.ts'
import { FaultyFetch } from './faulty-fetch.ts'
import type { FaultyWay } from './faulty-way.ts'

const object = (name: string, resourceVersion = '1') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', uid: name, resourceVersion },
})
const at = { namespace: 'shop', name: 'cart' }
/** A path to a server, and a client at its end. */
interface Laid {
  readonly way: FaultyWay
  readonly client: RestClient
  stop(): Promise<void>
}

async function overSockets(url: string): Promise<Laid> {
  const way = await FaultProxy.start({ url })
  const connection = connectionTo(way.url)
  const client = new RestClient({ connection, clock: systemClock, instruments: silentInstruments, userAgent: 'test' })
  return { way, client, stop: () => way.stop() }
}

async function inProcess(url: string): Promise<Laid> {
  const passOn = (request: Request) => {
    const { pathname, search } = new URL(request.url)
    return fetch(new Request(new URL(pathname + search, url), request))
  }
  const way = new FaultyFetch({ clock: systemClock, fetch: passOn })
  const http = new FetchClient({ fetch: (request) => way.fetch(request), token: '', userAgent: 'test' })
  return { way, client: new RestClient({ http }), stop: async () => way.breakConnections() }
}

describe.each([
  ['over sockets', overSockets],
  ['in the process', inProcess],
] as const)('a way %s:', (_, lay) => {
  let server: ScriptedServer
  let laid: Laid
  let way: FaultyWay
  let client: RestClient
  /** Time without a response that counts as silence. */
  const silenceMs = 300
  const signal = (limitMs = 120_000) => AbortSignal.timeout(limitMs)

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
    laid = await lay(server.url)
    way = laid.way
    client = laid.client
  })
  afterEach(async () => {
    await client.close(AbortSignal.abort())
    await laid.stop()
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

  describe('a call', () => {
    it('passes without a fault, and is recorded with its status', async () => {
      expect(await get()).toEqual(object('cart'))
      await apply()
      expect(way.calls.map(({ call: { verb }, status }) => [verb, status])).toEqual([
        ['get', 200],
        ['apply', 201],
      ])
      expect(way.writes).toHaveLength(1)
    })

    it.each([
      ['before', 0, undefined],
      ['after', 1, 201],
    ] as const)('refused %s: the server has heard of it %i times', async (when, heard, status) => {
      const fault: Fault = { match: {}, when, effect: { kind: 'refuse', status: 429, retryAfterSeconds: 3 } }
      way.inject(fault)
      await expect(apply()).rejects.toMatchObject({ code: 'TooManyRequests', retryAfterMs: 3_000 })
      expect(server.requests).toHaveLength(heard)
      expect(way.calls[0]?.status).toBe(status)
      expect(way.hasStruck(fault) && way.isSpent(fault)).toBe(true)
      await apply()
    })

    it.each(['silence', 'lose', 'freeze'] as const)('under %s is never answered', async (kind) => {
      way.inject({ match: {}, effect: { kind } })
      await expect(apply(silenceMs)).rejects.toMatchObject({ name: 'TimeoutError' })
      expect(server.requests).toHaveLength(0)
    })

    it.each([
      ['before', 0],
      ['after', 1],
    ] as const)('breaks %s', async (when, heard) => {
      way.inject({ match: {}, when, effect: { kind: 'break', afterBytes: 10 } })
      await expect(apply()).rejects.toMatchObject({ code: 'Unreachable' })
      expect(server.requests).toHaveLength(heard)
      await apply()
    })

    it('passes while faults match others, and after they are cleared', async () => {
      const fault = (match: FaultMatch): Fault => ({ match, times: 9, effect: { kind: 'break' } })
      way.inject(fault({ verb: 'apply' }))
      await get()
      await expect(apply()).rejects.toThrow()
      way.heal()
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
      way.inject({ match: { frame: 'MODIFIED' }, effect })
      expect(await watch()).toEqual({ versions, end: 'ended' })
    })

    it.each(['silence', 'freeze'] as const)('hangs under %s with its connection open', async (kind) => {
      way.inject({ match: { frame: 'MODIFIED' }, effect: { kind } })
      const { versions, end } = await watch(5 * silenceMs)
      expect(versions).toEqual(['1'])
      expect(end).toMatchObject({ name: 'TimeoutError' })
    })

    it('breaks in the middle of a frame', async () => {
      way.inject({ match: { frame: 'MODIFIED' }, effect: { kind: 'break', afterBytes: 20 } })
      const { versions, end } = await watch()
      expect(versions).toEqual(['1'])
      expect(end).toMatchObject({ code: 'Unreachable' })
    })
  })

  describe('the line', () => {
    it('lets nothing pass while it is down, and everything when it is up again', async () => {
      await get()
      way.line = 'down'
      await expect(get()).rejects.toMatchObject({ code: 'Unreachable' })
      way.line = 'up'
      await get()
    })

    it('answers nothing while it is silent', async () => {
      way.line = 'silent'
      await expect(get(silenceMs)).rejects.toMatchObject({ name: 'TimeoutError' })
      expect(server.requests).toHaveLength(0)
      way.line = 'up'
      await get()
    })
  })
})

function versionOf(frame: WatchFrame): string {
  return frame.type === 'ERROR' ? `error ${String(frame.object.code)}` : (frame.object.metadata.resourceVersion ?? '')
}
