import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import type { Clock } from '../../src/base/clock.ts'
import type { Instruments } from '../../src/base/instrument.ts'
import { silentInstruments } from '../../src/base/instrument.ts'
import type { WatchFrame } from '../../src/kube/client.ts'
import type { Connection, Credentials } from '../../src/kube/connection.ts'
import { ConnectionError } from '../../src/kube/connection-error.ts'
import type { HttpClientOptions } from '../../src/kube/http-client.ts'
import { isKubeError, KubeError } from '../../src/kube/kube-errors.ts'
import { RestClient } from '../../src/kube/rest-client.ts'
import { ConfigMap, Namespace, Pod, Secret, StatefulSet } from '../../src/object/built-in.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { answer, connectionTo, type Script, ScriptedServer, type ScriptedServerOptions } from './scripted-server.ts'

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
const signal = new AbortController().signal
const store = { namespace: 'default', name: 'store' }
const storeObject = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: store }
const liveStore = { ...storeObject, metadata: { ...store, uid: 'u1', resourceVersion: '7' }, futureField: { a: 1 } }

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function serve(script: Script, options?: ScriptedServerOptions): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(script, options)
  cleanups.push(() => server.close())
  return server
}

function clientOf(connection: Connection, options: Partial<HttpClientOptions> = {}): RestClient {
  const client = new RestClient({
    connection,
    clock: new SimClock(),
    instruments: silentInstruments,
    userAgent: 'konverge/test',
    ...options,
  })
  cleanups.push(() => client.close(AbortSignal.abort()))
  return client
}

async function framesOf(watch: AsyncIterable<WatchFrame>): Promise<WatchFrame[]> {
  const frames: WatchFrame[] = []
  for await (const frame of watch) frames.push(frame)
  return frames
}

async function failureOf(work: Promise<unknown>): Promise<KubeError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(thrown).toBeInstanceOf(KubeError)
  return thrown as KubeError // Checked in the line above.
}

/** A response that continues until its reader leaves. */
const endless =
  (status: number): Script =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  }

/** Resolves with each request in turn, so that a test can act while the server holds it. */
function gate(): { script: Script; arrived: Promise<Parameters<Script>> } {
  const { promise, resolve } = Promise.withResolvers<Parameters<Script>>()
  return { script: (...parts) => resolve(parts), arrived: promise }
}

describe('RestClient: requests', () => {
  const uid = { preconditions: { uid: 'u1' } }
  const manager = { fieldManager: 'konverge' }
  it.each<[string, (client: RestClient) => Promise<unknown>, Record<string, unknown>]>([
    [
      'get',
      (client) => client.get(StatefulSet, store, signal),
      { method: 'GET', path: '/apis/apps/v1/namespaces/default/statefulsets/store', body: '' },
    ],
    [
      'create',
      (client) => client.create(StatefulSet, storeObject, manager, signal),
      {
        method: 'POST',
        path: '/apis/apps/v1/namespaces/default/statefulsets?fieldManager=konverge',
        body: JSON.stringify(storeObject),
        headers: { 'content-type': 'application/json' },
      },
    ],
    [
      'apply',
      (client) => client.apply(StatefulSet, storeObject, { ...manager, force: true }, signal),
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/default/statefulsets/store?fieldManager=konverge&force=true',
        body: JSON.stringify(storeObject),
        headers: { 'content-type': 'application/apply-patch+yaml' },
      },
    ],
    [
      'apply of a status as a dry run',
      (client) =>
        client.apply(
          StatefulSet,
          storeObject,
          { ...manager, force: false, dryRun: true, subresource: 'status' },
          signal,
        ),
      {
        path: '/apis/apps/v1/namespaces/default/statefulsets/store/status?fieldManager=konverge&force=false&dryRun=All',
      },
    ],
    [
      'merge patch',
      (client) => client.patch(StatefulSet, store, { type: 'merge', body: { spec: null } }, manager, signal),
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/default/statefulsets/store?fieldManager=konverge',
        body: '{"spec":null}',
        headers: { 'content-type': 'application/merge-patch+json' },
      },
    ],
    [
      'JSON patch',
      (client) =>
        client.patch(
          StatefulSet,
          store,
          { type: 'json', body: [{ op: 'test', path: '/metadata/uid', value: 'u1' }] },
          manager,
          signal,
        ),
      {
        body: '[{"op":"test","path":"/metadata/uid","value":"u1"}]',
        headers: { 'content-type': 'application/json-patch+json' },
      },
    ],
    [
      'delete',
      (client) => client.delete(StatefulSet, store, { ...uid, propagationPolicy: 'Foreground' }, signal),
      {
        method: 'DELETE',
        path: '/apis/apps/v1/namespaces/default/statefulsets/store',
        body: '{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u1"},"propagationPolicy":"Foreground"}',
      },
    ],
    [
      'update of a scale',
      (client) => client.update(StatefulSet, storeObject, { ...manager, subresource: 'scale' }, signal),
      {
        method: 'PUT',
        path: '/apis/apps/v1/namespaces/default/statefulsets/store/scale?fieldManager=konverge',
        body: JSON.stringify(storeObject),
        headers: { 'content-type': 'application/json' },
      },
    ],
    [
      'deletecollection',
      (client) => {
        const selection = { namespace: 'default', labelSelector: 'a=b' }
        return client.deleteCollection(StatefulSet, selection, { propagationPolicy: 'Orphan' }, signal)
      },
      {
        method: 'DELETE',
        path: '/apis/apps/v1/namespaces/default/statefulsets?labelSelector=a%3Db',
        body: '{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Orphan"}',
      },
    ],
    ['read', (client) => client.read('/version', signal), { method: 'GET', path: '/version' }],
  ])('sends %s', async (_verb, run, wanted) => {
    const server = await serve((response) => answer(response, 200, liveStore))
    await run(clientOf(connectionTo(server.url)))
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]).toMatchObject(wanted)
    expect(server.requests[0]?.headers).toMatchObject({ 'user-agent': 'konverge/test', accept: 'application/json' })
  })

  it('keeps the path of the server URL, as gateways to many clusters have one', async () => {
    const server = await serve((response) => answer(response, 200, { gitVersion: 'v1.36.3' }))
    expect(await clientOf(connectionTo(`${server.url}/k8s/c-1`)).read('/version', signal)).toEqual({
      gitVersion: 'v1.36.3',
    })
    expect(server.requests[0]?.path).toBe('/k8s/c-1/version')
  })

  it('sends nothing for a name that would address another object', async () => {
    const server = await serve((response) => answer(response, 200, liveStore))
    const work = clientOf(connectionTo(server.url)).get(Secret, { namespace: 'default', name: '../x' }, signal)
    expect((await failureOf(work)).code).toBe('BadRequest')
    expect(server.requests).toHaveLength(0)
  })
})

describe('RestClient: responses', () => {
  it('keeps fields that it does not know', async () => {
    const server = await serve((response) => answer(response, 201, liveStore))
    const client = clientOf(connectionTo(server.url))
    expect(await client.apply(StatefulSet, storeObject, { fieldManager: 'konverge', force: true }, signal)).toEqual(
      liveStore,
    )
  })

  it('returns a page with its token and sets apiVersion and kind on items, which lists omit', async () => {
    const { apiVersion, kind, ...bare } = liveStore
    const server = await serve((response) =>
      answer(response, 200, {
        kind: 'StatefulSetList',
        metadata: { resourceVersion: '9', continue: 'more' },
        items: [bare],
      }),
    )
    expect(await clientOf(connectionTo(server.url)).list(StatefulSet, { limit: 1 }, signal)).toEqual({
      resourceVersion: '9',
      continueToken: 'more',
      items: [{ apiVersion, kind, ...bare }],
    })
  })

  it('parses a page item by item for a caller with beforeItem, and returns the same', async () => {
    const [first, second] = [liveStore, { ...liveStore, metadata: { ...liveStore.metadata, uid: 'u2' } }]
    const server = await serve((response) =>
      answer(response, 200, { items: [first, second], metadata: { resourceVersion: '9', continue: 'more' } }),
    )
    const client = clientOf(connectionTo(server.url))
    let calls = 0
    const beforeItem = async () => {
      calls += 1
    }
    const page = await client.list(StatefulSet, { beforeItem }, signal)
    expect(page).toEqual(await client.list(StatefulSet, {}, signal))
    expect(page.items).toHaveLength(2)
    expect(calls).toBe(3)
  })

  it.each(['{"items":[{"p":"hunter2"', '{"metadata":{},"items":["hunter2"]}', '<html>hunter2</html>', '{"items":[]}'])(
    'rejects a page that is %j, parsed item by item, and quotes nothing of it',
    async (text) => {
      const server = await serve((response) => response.writeHead(200).end(text))
      const beforeItem = () => undefined
      const failure = await failureOf(clientOf(connectionTo(server.url)).list(Secret, { beforeItem }, signal))
      expect(failure.code).toBe('ServerError')
      expect(`${failure.message} ${failure.cause}`).not.toContain('hunter2')
    },
  )

  it('returns the requested kind for a list of metadata, and drops other fields that a server sends', async () => {
    const metadata = { name: 's', namespace: 'default', uid: 'u1', resourceVersion: '7' }
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata, data: { password: 'x' } }
    const server = await serve((response) =>
      answer(response, 200, { metadata: { resourceVersion: '9', continue: 'more' }, items: [partial] }),
    )
    expect(await clientOf(connectionTo(server.url)).list(Secret, { metadataOnly: true }, signal)).toEqual({
      resourceVersion: '9',
      continueToken: 'more',
      items: [{ apiVersion: 'v1', kind: 'Secret', metadata }],
    })
    expect(server.requests).toMatchObject([
      {
        path: '/api/v1/secrets',
        headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
      },
    ])
  })

  it('reads a last page and an empty list written as null', async () => {
    const server = await serve((response) =>
      answer(response, 200, { metadata: { resourceVersion: '9', continue: '' }, items: null }),
    )
    expect(await clientOf(connectionTo(server.url)).list(Pod, {}, signal)).toEqual({ resourceVersion: '9', items: [] })
  })

  it.each([
    ['HTML', '<html>hunter2</html>'],
    ['half an object', '{"kind":"Secret","data":{"p":"hunter2"'],
    ['a list', '["hunter2"]'],
    ['an object without metadata', '{"kind":"Secret","data":"hunter2"}'],
  ])('rejects a success that is %s, and quotes nothing of it', async (_what, text) => {
    const server = await serve((response) => response.writeHead(200).end(text))
    const failure = await failureOf(clientOf(connectionTo(server.url)).get(Secret, store, signal))
    expect(failure.code).toBe('ServerError')
    expect(failure.message).toContain('get Secret default/store')
    expect(`${failure.message} ${failure.cause}`).not.toContain('hunter2')
  })

  it('turns a rejection into its KubeError, and carries the requested wait without waiting', async () => {
    const server = await serve((response) =>
      answer(response, 429, { kind: 'Status', message: 'slow down' }, { 'retry-after': '7' }),
    )
    const failure = await failureOf(clientOf(connectionTo(server.url)).get(Pod, store, signal))
    expect(failure).toMatchObject({
      code: 'TooManyRequests',
      retryAfterMs: 7_000,
      message: 'get Pod default/store: slow down',
    })
    expect(server.requests).toHaveLength(1)
  })

  it('carries a rejection in plain text, as the rate limiter writes it', async () => {
    const server = await serve((response) =>
      response.writeHead(429, { 'retry-after': '1' }).end('Too many requests.\n'),
    )
    const failure = await failureOf(clientOf(connectionTo(server.url)).list(Pod, { namespace: 'a' }, signal))
    expect(failure.message).toBe('list Pod in a: Too many requests.')
  })

  it('does not follow redirects', async () => {
    const server = await serve((response) => response.writeHead(302, { location: '/login' }).end())
    expect((await failureOf(clientOf(connectionTo(server.url)).get(Pod, store, signal))).httpStatus).toBe(302)
    expect(server.requests).toHaveLength(1)
  })

  it('logs a warning of the server once', async () => {
    const server = await serve((response) =>
      answer(response, 200, liveStore, { warning: '299 - "unknown field \\"spec.x\\""' }),
    )
    const warned: unknown[] = []
    const log = { ...silentInstruments.log, warn: (fields: unknown) => void warned.push(fields) }
    const client = clientOf(connectionTo(server.url), { instruments: { ...silentInstruments, log } })
    await client.get(StatefulSet, store, signal)
    await client.get(StatefulSet, store, signal)
    expect(warned).toEqual([{ attempt: 'get StatefulSet default/store', warning: 'unknown field "spec.x"' }])
  })

  it('counts requests by code and measures them by verb and resource, never by object', async () => {
    const seen: unknown[] = []
    const instruments: Instruments = {
      ...silentInstruments,
      metrics: {
        ...silentInstruments.metrics,
        counter: ({ name }) => ({ add: (labels) => void seen.push([name, labels]), remove: () => {} }),
        histogram: ({ name }) => ({ observe: (labels) => void seen.push([name, labels]), remove: () => {} }),
      },
    }
    const server = await serve((response) => answer(response, 404, {}))
    await failureOf(clientOf(connectionTo(server.url), { instruments }).get(StatefulSet, store, signal))
    expect(seen).toEqual([
      ['rest_client_requests_total', { code: '404', method: 'GET', host: new URL(server.url).host }],
      ['rest_client_request_duration_seconds', { verb: 'get', resource: 'statefulsets.apps' }],
    ])
  })
})

describe('RestClient: credentials', () => {
  const withToken = (token: string): Credentials => ({ headers: { authorization: `Bearer ${token}` } })
  const onlyAccepts =
    (token: string): Script =>
    (response, request) =>
      answer(response, request.headers.authorization === `Bearer ${token}` ? 200 : 401, liveStore)

  /** Issues the tokens in turn, the next one after a rejection of the current one. */
  function renewing(...tokens: readonly string[]): Pick<Connection, 'credentials' | 'refuse'> & { refused: string[] } {
    const all = tokens.map(withToken)
    const refused: string[] = []
    let index = 0
    return {
      refused,
      credentials: async () => all[index] ?? { headers: {} },
      refuse: (credentials) => {
        refused.push(String(credentials.headers.authorization))
        if (credentials === all[index] && index < all.length - 1) index += 1
      },
    }
  }

  it('renews rejected credentials, and retries once with them', async () => {
    const server = await serve(onlyAccepts('new'))
    const source = renewing('old', 'new')
    const client = clientOf(connectionTo(server.url, source))
    expect(await client.apply(StatefulSet, storeObject, { fieldManager: 'konverge', force: true }, signal)).toEqual(
      liveStore,
    )
    expect(server.requests.map(({ body }) => body)).toEqual([JSON.stringify(storeObject), JSON.stringify(storeObject)])
    expect(source.refused).toEqual(['Bearer old'])
  })

  it('does so for a watch as well', async () => {
    const server = await serve((response, request) =>
      request.headers.authorization === 'Bearer new' ? response.writeHead(200).end() : answer(response, 401, {}),
    )
    const client = clientOf(connectionTo(server.url, renewing('old', 'new')))
    expect(await framesOf(client.watch(Pod, {}, signal))).toEqual([])
  })

  it('fails after the second rejection', async () => {
    const server = await serve(onlyAccepts('none'))
    const failure = await failureOf(clientOf(connectionTo(server.url, renewing('a', 'b', 'c'))).get(Pod, store, signal))
    expect(failure.code).toBe('Unauthorized')
    expect(server.requests).toHaveLength(2)
  })

  it('does not retry with the same credentials', async () => {
    const server = await serve(onlyAccepts('none'))
    const failure = await failureOf(clientOf(connectionTo(server.url, renewing('only'))).get(Pod, store, signal))
    expect(failure.code).toBe('Unauthorized')
    expect(server.requests).toHaveLength(1)
  })

  it('reports why there are no credentials', async () => {
    const error = new ConnectionError('PluginMissing', 'the credential plugin x was not found: install it')
    const server = await serve(onlyAccepts('none'))
    const client = clientOf(connectionTo(server.url, { credentials: () => Promise.reject(error) }))
    expect(await failureOf(client.get(Pod, store, signal))).toMatchObject({
      code: 'Unauthorized',
      message: 'get Pod default/store: the credential plugin x was not found: install it',
    })
    expect(server.requests).toHaveLength(0)
  })

  it('releases the connection of a rejection when there are no new credentials', async () => {
    const server = await serve((response) => response.writeHead(401).write('x'.repeat(1_000_000)))
    let isRefused = false
    const client = clientOf(
      connectionTo(server.url, {
        credentials: () =>
          isRefused
            ? Promise.reject(new ConnectionError('PluginFailed', 'not logged in'))
            : Promise.resolve({ headers: {} }),
        refuse: () => {
          isRefused = true
        },
      }),
    )
    const closed = Promise.withResolvers<void>()
    const failure = await failureOf(client.get(Pod, store, signal))
    expect(failure.message).toBe('get Pod default/store: not logged in')
    for (const socket of server.sockets) socket.once('close', () => closed.resolve())
    if (server.sockets.size === 0) closed.resolve()
    await closed.promise
  })
})

describe('RestClient: limits and aborts', () => {
  it('fails when no headers come within the limit', async () => {
    const { script, arrived } = gate()
    const server = await serve(script)
    const clock = new SimClock()
    const failure = failureOf(clientOf(connectionTo(server.url), { clock }).get(Pod, store, signal))
    await arrived
    await clock.advance(30_000)
    expect(await failure).toMatchObject({ code: 'Timeout', remedy: 'retry' })
    expect((await failure).message).toContain('within 30 s')
  })

  it('fails when the body stops midway', async () => {
    const { script, arrived } = gate()
    const server = await serve(script)
    const clock = new SimClock()
    const failure = failureOf(clientOf(connectionTo(server.url), { clock }).get(Pod, store, signal))
    const [response] = await arrived
    await new Promise<void>((resolve) => response.writeHead(200).write('{"kind":', () => resolve()))
    await clock.advance(30_000)
    expect((await failure).code).toBe('Timeout')
  })

  it('fails on a watch whose headers do not come, but not on one that is silent afterwards', async () => {
    const clock = new SimClock()
    const silent = gate()
    const server = await serve(silent.script)
    const answered = Promise.withResolvers<void>()
    const options = { onAnswered: answered.resolve }
    const watching = clientOf(connectionTo(server.url), { clock }).watch(Pod, options, signal)[Symbol.asyncIterator]()
    const first = watching.next()
    const [response] = await silent.arrived
    const frame = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '1' } } }
    response.writeHead(200).flushHeaders()
    await answered.promise
    response.write(`${JSON.stringify(frame)}\n`)
    expect((await first).value).toEqual(frame)
    const second = watching.next()
    await clock.advance(3_600_000)
    response.end()
    expect((await second).done).toBe(true)

    const mute = gate()
    const muteServer = await serve(mute.script)
    const refuse = () => expect.unreachable('no answer came')
    const watchingMute = clientOf(connectionTo(muteServer.url), { clock }).watch(Pod, { onAnswered: refuse }, signal)
    const failure = failureOf(framesOf(watchingMute))
    await mute.arrived
    await clock.advance(30_000)
    expect((await failure).code).toBe('Timeout')
  })

  it('rejects with the reason of the signal while it waits, and closes the connection', async () => {
    const { script, arrived } = gate()
    const server = await serve(script)
    const controller = new AbortController()
    const work = clientOf(connectionTo(server.url)).get(Pod, store, controller.signal)
    const [, , message] = await arrived
    const closed = new Promise((resolve) => message.socket.once('close', resolve))
    const reason = new Error('the turn was called off')
    controller.abort(reason)
    await expect(work).rejects.toBe(reason)
    await closed
  })

  it('sends nothing once the signal has aborted', async () => {
    const server = await serve((response) => answer(response, 200, liveStore))
    const work = clientOf(connectionTo(server.url)).get(Pod, store, AbortSignal.abort(new Error('over')))
    await expect(work).rejects.toThrow('over')
    expect(server.requests).toHaveLength(0)
  })

  it('limits 100 concurrent requests to its connections, and watches take none of them', async () => {
    const server = await serve((response, request) =>
      request.path.includes('watch=true')
        ? response.writeHead(200).flushHeaders()
        : setImmediate(() => answer(response, 200, liveStore)),
    )
    const client = clientOf(connectionTo(server.url), { limits: { connections: 4 } })
    const controller = new AbortController()
    const watches = Array.from({ length: 5 }, () => framesOf(client.watch(Pod, {}, controller.signal)))
    const answers = await Promise.all(Array.from({ length: 100 }, () => client.get(StatefulSet, store, signal)))
    expect(answers).toHaveLength(100)
    expect(server.mostSockets).toBeLessThanOrEqual(4 + 5)
    controller.abort(new Error('over'))
    for (const result of await Promise.allSettled(watches)) expect(result.status).toBe('rejected')
  })

  it('opens a watch while 600 others are open', { timeout: 20_000 }, async () => {
    const answered = Promise.withResolvers<void>()
    let open = 0
    const server = await serve((response) => response.writeHead(200).flushHeaders())
    const client = clientOf(connectionTo(server.url))
    const controller = new AbortController()
    const onAnswered = () => {
      open += 1
      if (open === 601) answered.resolve()
    }
    const watches = Array.from({ length: 601 }, () => framesOf(client.watch(Pod, { onAnswered }, controller.signal)))
    const ended = Promise.allSettled(watches)
    await answered.promise
    controller.abort(new Error('over'))
    await ended
  })

  it('reports that a request was not sent when all connections were busy until its limit', async () => {
    const { script, arrived } = gate()
    const server = await serve(script)
    const limits: (() => void)[] = []
    const clock: Clock = {
      now: () => 0,
      monotonicMs: () => 0,
      setTimer: (_delayMs, run) => {
        limits.push(run)
        return { cancel: () => {} }
      },
    }
    const client = clientOf(connectionTo(server.url), { clock, limits: { connections: 1 } })
    const first = failureOf(client.get(Pod, store, signal))
    await arrived
    const second = failureOf(client.get(Pod, { namespace: 'default', name: 'next' }, signal))
    // Both at once, so that the end of the first does not release the second.
    for (const reachLimit of limits) reachLimit()
    expect((await first).message).toContain('gave no whole answer within 30 s')
    expect(await second).toMatchObject({
      code: 'Timeout',
      remedy: 'retry',
      message: `get Pod default/next: not sent to ${server.url}: no connection was free within 30 s, 1 at most are open for requests; check how long the server takes for them`,
    })
    expect(server.requests).toHaveLength(1)
  })

  it('reports that a request was not sent when no credentials came until its limit', async () => {
    const server = await serve((response) => answer(response, 200, liveStore))
    const asked = Promise.withResolvers<void>()
    const clock = new SimClock()
    const credentials = (until: AbortSignal) => {
      asked.resolve()
      return new Promise<Credentials>((_, reject) => until.addEventListener('abort', () => reject(until.reason)))
    }
    const failure = failureOf(clientOf(connectionTo(server.url, { credentials }), { clock }).get(Pod, store, signal))
    await asked.promise
    await clock.advance(30_000)
    expect((await failure).message).toBe(
      `get Pod default/store: not sent to ${server.url}: no credentials came within 30 s; check what issues them`,
    )
    expect(server.requests).toHaveLength(0)
  })

  it('reuses connections', async () => {
    const server = await serve((response) => answer(response, 200, liveStore))
    const client = clientOf(connectionTo(server.url))
    for (let count = 0; count < 20; count++) await client.get(StatefulSet, store, signal)
    // The pool may open a second one while the first is being released.
    expect(server.mostSockets).toBeLessThanOrEqual(2)
  })
})

describe('RestClient: watch', () => {
  it('yields the requested kind with metadata only when it asks for metadata, and bookmarks and errors unchanged', async () => {
    const metadata = { name: 's', namespace: 'default', uid: 'u1', resourceVersion: '7' }
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' }
    const bookmark = { type: 'BOOKMARK', object: { ...partial, metadata: { resourceVersion: '8' } } }
    const error = { type: 'ERROR', object: { kind: 'Status', code: 410 } }
    const frames = [{ type: 'MODIFIED', object: { ...partial, metadata, data: { password: 'x' } } }, bookmark, error]
    // The last one without its newline.
    const lines = frames.map((frame) => JSON.stringify(frame)).join('\n')
    const server = await serve((response) => response.writeHead(200).end(lines))
    expect(await framesOf(clientOf(connectionTo(server.url)).watch(Secret, { metadataOnly: true }, signal))).toEqual([
      { type: 'MODIFIED', object: { apiVersion: 'v1', kind: 'Secret', metadata } },
      bookmark,
      error,
    ])
    expect(server.requests[0]?.headers.accept).toBe('application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1')
  })

  const frameOf = (name: string) => ({ type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name } } })

  it('yields frames as they come, cut anywhere', async () => {
    const frames = ['été', '名前', '🦊'].map(frameOf)
    const bytes = Buffer.from(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''))
    const server = await serve(async (response) => {
      response.writeHead(200)
      for (const byte of bytes)
        await new Promise<void>((resolve) => response.write(Uint8Array.of(byte), () => resolve()))
      response.end()
    })
    expect(await framesOf(clientOf(connectionTo(server.url)).watch(ConfigMap, {}, signal))).toEqual(frames)
    expect(server.requests[0]?.path).toBe('/api/v1/configmaps?watch=true&allowWatchBookmarks=true')
  })

  it('yields an ERROR frame as a frame, because the HTTP response was a success', async () => {
    const frame = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }
    const server = await serve((response) => response.writeHead(200).end(`${JSON.stringify(frame)}\n`))
    expect(await framesOf(clientOf(connectionTo(server.url)).watch(Pod, {}, signal))).toEqual([frame])
  })

  it('yields a last frame without a newline', async () => {
    const server = await serve((response) => response.writeHead(200).end(JSON.stringify(frameOf('a'))))
    expect(await framesOf(clientOf(connectionTo(server.url)).watch(ConfigMap, {}, signal))).toEqual([frameOf('a')])
  })

  it.each([
    [410, 'Expired'],
    [403, 'Forbidden'],
    [404, 'ResourceNotFound'],
  ] as const)('throws when the server rejects the watch itself with HTTP %i', async (status, code) => {
    const server = await serve((response) => answer(response, status, { kind: 'Status', message: 'no' }))
    const failure = await failureOf(framesOf(clientOf(connectionTo(server.url)).watch(Pod, { namespace: 'a' }, signal)))
    expect(failure).toMatchObject({ code, message: 'watch Pod in a: no' })
  })

  it('throws when the connection is cut midway, after the received frames', async () => {
    const server = await serve((response, _request, message) =>
      response.writeHead(200).write(`${JSON.stringify(frameOf('a'))}\n`, () => message.socket.destroy()),
    )
    const seen: WatchFrame[] = []
    const failure = await failureOf(
      (async () => {
        for await (const frame of clientOf(connectionTo(server.url)).watch(ConfigMap, {}, signal)) seen.push(frame)
      })(),
    )
    expect(seen).toEqual([frameOf('a')])
    expect(failure.code).toBe('Unreachable')
    expect(failure.message).toContain('broke')
  })

  it('closes the connection when its reader leaves', async () => {
    const { script, arrived } = gate()
    const server = await serve(script)
    const reading = (async () => {
      for await (const frame of clientOf(connectionTo(server.url)).watch(ConfigMap, {}, signal)) return frame
      return undefined
    })()
    const [response, , message] = await arrived
    const closed = new Promise((resolve) => message.socket.once('close', resolve))
    response.writeHead(200).write(`${JSON.stringify(frameOf('a'))}\n`)
    expect(await reading).toEqual(frameOf('a'))
    await closed
  })

  it('ends with the reason of the signal while it waits for the next frame, and closes the connection', async () => {
    const { script, arrived } = gate()
    const server = await serve(script)
    const controller = new AbortController()
    const watching = clientOf(connectionTo(server.url)).watch(Pod, {}, controller.signal)[Symbol.asyncIterator]()
    const first = watching.next()
    const [response, , message] = await arrived
    const closed = new Promise((resolve) => message.socket.once('close', resolve))
    response.writeHead(200).write(`${JSON.stringify(frameOf('a'))}\n`)
    await first
    const second = watching.next()
    const reason = new Error('shutting down')
    controller.abort(reason)
    await expect(second).rejects.toBe(reason)
    await closed
  })
})

describe('RestClient: transport', () => {
  const serverTls = { key: fixture('server-key.pem'), cert: fixture('server.pem') }
  const alice = { certificate: fixture('client.pem'), key: fixture('client-key.pem') }
  const mutualTls = { ...serverTls, ca: fixture('ca.pem'), requestCert: true }
  /** Answers with the subject of the client's certificate. */
  const whoami: Script = (response, _request, message) => {
    const subject = (message.socket as TLSSocket).getPeerCertificate().subject // The server under these tests is TLS.
    answer(response, 200, { user: String(subject?.CN ?? 'nobody') })
  }

  it('trusts the given authority', async () => {
    const server = await serve(whoami, { tls: serverTls })
    const client = clientOf(connectionTo(server.url, { authority: fixture('ca.pem') }))
    expect(await client.read('/', signal)).toEqual({ user: 'nobody' })
  })

  it('uses HTTP/1.1 although the server supports more', async () => {
    const server = await serve(
      (response, _request, message) => answer(response, 200, { version: message.httpVersion }),
      { tls: serverTls },
    )
    const client = clientOf(connectionTo(server.url, { authority: fixture('ca.pem') }))
    expect(await client.read('/', signal)).toEqual({ version: '1.1' })
  })

  it('names the certificate as the cause when its authority is unknown', async () => {
    const server = await serve(whoami, { tls: serverTls })
    const failure = await failureOf(clientOf(connectionTo(server.url)).get(Namespace, { name: 'a' }, signal))
    expect(failure.code).toBe('Unreachable')
    expect(failure.message).toMatch(
      /get Namespace a: the certificate of .* is not trusted .*certificate-authority-data/,
    )
  })

  it('checks the name in the certificate, and accepts another one if configured', async () => {
    const server = await serve(whoami, { tls: serverTls })
    const trusting = { authority: fixture('ca.pem') }
    const wrong = clientOf(connectionTo(server.url, { ...trusting, serverName: 'other.example' }))
    expect((await failureOf(wrong.read('/', signal))).message).toContain('for another name')
    const right = clientOf(connectionTo(server.url, { ...trusting, serverName: 'kubernetes' }))
    expect(await right.read('/', signal)).toEqual({ user: 'nobody' })
  })

  it('trusts any server if configured to skip the check', async () => {
    const server = await serve(whoami, { tls: serverTls })
    expect(await clientOf(connectionTo(server.url, { skipTlsVerify: true })).read('/', signal)).toEqual({
      user: 'nobody',
    })
  })

  it('presents its client certificate', async () => {
    const server = await serve(whoami, { tls: mutualTls })
    const authority = fixture('ca.pem')
    const connection = connectionTo(server.url, {
      credentials: async () => ({ headers: {}, certificate: alice, authority }),
    })
    expect(await clientOf(connection).read('/', signal)).toEqual({ user: 'alice' })
  })

  it('opens new connections when the client certificate changes, and closes the old ones', async () => {
    const server = await serve(whoami, { tls: { ...mutualTls, rejectUnauthorized: false } })
    const authority = fixture('ca.pem')
    let current: Credentials = { headers: {}, authority }
    const client = clientOf(connectionTo(server.url, { credentials: async () => current }))
    expect(await client.read('/', signal)).toEqual({ user: 'nobody' })
    const closed = Promise.all(
      [...server.sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    )
    current = { headers: {}, certificate: alice, authority }
    expect(await client.read('/', signal)).toEqual({ user: 'alice' })
    await closed
    const opened = server.totalSockets
    for (let count = 0; count < 5; count++) {
      // The same certificate in a new object is no change.
      current = { headers: {}, certificate: { ...alice }, authority }
      expect(await client.read('/', signal)).toEqual({ user: 'alice' })
    }
    expect(server.totalSockets - opened).toBeLessThanOrEqual(1)
  })

  it('opens new connections when the authority changes', async () => {
    const server = await serve(whoami, { tls: serverTls })
    let current: Credentials = { headers: {} }
    const client = clientOf(connectionTo(server.url, { credentials: async () => current }))
    expect((await failureOf(client.read('/', signal))).message).toContain('is not trusted')
    current = { headers: {}, authority: fixture('ca.pem') }
    expect(await client.read('/', signal)).toEqual({ user: 'nobody' })
  })

  it('reports that the server does not speak TLS', async () => {
    const server = await serve((response) => answer(response, 200, {}))
    const client = clientOf(connectionTo(server.url.replace('http:', 'https:')))
    expect((await failureOf(client.read('/', signal))).message).toContain('does not speak TLS')
  })

  it('reports that no server listens', async () => {
    const server = await ScriptedServer.start(() => {})
    await server.close()
    const failure = await failureOf(clientOf(connectionTo(server.url)).get(Pod, store, signal))
    expect(failure).toMatchObject({ code: 'Unreachable', remedy: 'retry' })
    expect(failure.message).toBe(
      `get Pod default/store: ${server.url} refused the connection; check that the API server runs and that its address is right`,
    )
  })

  it('reports that the connection was cut before a response', async () => {
    const server = await serve((_response, _request, message) => message.socket.destroy())
    const failure = await failureOf(clientOf(connectionTo(server.url)).get(Pod, store, signal))
    expect(failure.message).toContain('broke; a write may have happened all the same')
  })

  it('rejects a response larger than its limit', async () => {
    const server = await serve((response) => answer(response, 200, { text: 'x'.repeat(2_000) }))
    const client = clientOf(connectionTo(server.url), { limits: { answerBytes: 1_000 } })
    expect((await failureOf(client.read('/', signal))).message).toContain('larger than this client accepts')
  })

  it.each<[string, (client: RestClient) => Promise<unknown>]>([
    ['get', (client) => client.get(StatefulSet, store, signal)],
    ['apply', (client) => client.apply(StatefulSet, storeObject, { fieldManager: 'k', force: true }, signal)],
    ['patch', (client) => client.patch(StatefulSet, store, { type: 'merge', body: {} }, { fieldManager: 'k' }, signal)],
    ['create', (client) => client.create(StatefulSet, storeObject, { fieldManager: 'k' }, signal)],
    ['update', (client) => client.update(StatefulSet, storeObject, { fieldManager: 'k' }, signal)],
    ['delete', (client) => client.delete(StatefulSet, store, { preconditions: { uid: 'u1' } }, signal)],
  ])('cuts off an endless response with one object to %s', async (verb, ask) => {
    const server = await serve(endless(200))
    const client = clientOf(connectionTo(server.url), { limits: { objectBytes: 100_000 } })
    const failure = await failureOf(ask(client))
    expect(failure).toMatchObject({ code: 'ServerError' })
    expect(failure.message).toMatch(new RegExp(`^${verb} StatefulSet default(/store)?: the answer of .* is larger`))
    await expect.poll(() => server.sockets.size).toBe(0)
  })

  it('accepts a list that is larger than the limit of one object', async () => {
    const list = { metadata: { resourceVersion: '1' }, items: [{ metadata: { name: 'x'.repeat(2_000) } }] }
    const server = await serve((response) => answer(response, 200, list))
    const client = clientOf(connectionTo(server.url), { limits: { objectBytes: 1_000 } })
    expect((await client.list(Pod, {}, signal)).items).toHaveLength(1)
    await client.deleteCollection(Pod, {}, {}, signal)
    expect(await client.read('/', signal)).toEqual(list)
  })

  it.each([429, 500])('reads only the beginning of an endless error %d', async (status) => {
    const server = await serve(endless(status))
    const client = clientOf(connectionTo(server.url))
    const code = status === 429 ? 'TooManyRequests' : 'ServerError'
    for (const ask of [() => client.get(StatefulSet, store, signal), () => framesOf(client.watch(Pod, {}, signal))]) {
      const failure = await failureOf(ask())
      expect(failure).toMatchObject({ code, httpStatus: status })
      expect(failure.message.length).toBeLessThan(300)
    }
    await expect.poll(() => server.sockets.size).toBe(0)
  })

  it('uses a proxy, which sees only the address', async () => {
    const server = await serve(whoami, { tls: serverTls })
    const connects: string[] = []
    const proxy = await startTunnel(connects, server.url)
    const connection = connectionTo(server.url, { authority: fixture('ca.pem'), proxyUrl: proxy })
    expect(await clientOf(connection).read('/', signal)).toEqual({ user: 'nobody' })
    expect(connects).toEqual([`CONNECT ${new URL(server.url).host} HTTP/1.1`])
  })

  it('waits for requests in flight when it closes, ends watches, and rejects later calls', async () => {
    const held = gate()
    const server = await serve((response, request, message) =>
      request.path.includes('watch=true')
        ? response.writeHead(200).flushHeaders()
        : held.script(response, request, message),
    )
    const client = clientOf(connectionTo(server.url))
    const watching = failureOf(framesOf(client.watch(Pod, {}, signal)))
    const getting = client.get(StatefulSet, store, signal)
    const [response] = await held.arrived
    const closing = client.close(signal)
    expect((await watching).code).toBe('Unreachable')
    answer(response, 200, liveStore)
    expect(await getting).toEqual(liveStore)
    await closing
    expect((await failureOf(client.get(StatefulSet, store, signal))).message).toContain('is closed')
  })

  it('may be closed before its first request, and twice', async () => {
    const client = clientOf(connectionTo('http://127.0.0.1:1'))
    await client.close(signal)
    await client.close(signal)
    expect((await failureOf(client.get(StatefulSet, store, signal))).message).toContain('is closed')
  })

  it('cuts off requests in flight when the signal of close aborts', async () => {
    const held = gate()
    const server = await serve(held.script)
    const client = clientOf(connectionTo(server.url))
    const getting = failureOf(client.get(StatefulSet, store, signal))
    await held.arrived
    await client.close(AbortSignal.abort())
    expect((await getting).code).toBe('Unreachable')
  })
})

/** An HTTP proxy that opens tunnels to `server` and records the requested addresses. */
async function startTunnel(connects: string[], server: string): Promise<string> {
  const { connect } = await import('node:net')
  const proxy: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (head) => {
      connects.push(head.toString('latin1').split('\r\n')[0] ?? '')
      const upstream = connect(Number(new URL(server).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(upstream).pipe(socket)
      })
      upstream.on('error', () => socket.destroy())
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => new Promise((resolve) => proxy.close(resolve)))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` // A TCP server has an AddressInfo.
}

describe('isKubeError', () => {
  it('distinguishes a KubeError of one of these codes from other errors', () => {
    const error = new KubeError({ code: 'Conflict', message: 'x' })
    expect(isKubeError(error)).toBe(true)
    expect(isKubeError(error, 'NotFound', 'Conflict')).toBe(true)
    expect(isKubeError(error, 'NotFound')).toBe(false)
    expect(isKubeError(new Error('x'))).toBe(false)
  })
})
