import { beforeEach, describe, expect, it } from 'vitest'
import { ApiServer } from '../../src/apiserver/api-server.ts'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import { seededRandom } from '../../src/base/random.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { toys } from './toy-resource.ts'

const collection = '/apis/play.example/v1/namespaces/box/toys'

let clock: SimClock
let server: ApiServer

beforeEach(() => {
  clock = new SimClock()
  server = new ApiServer({ clock, random: seededRandom(1), resources: [toys], catalogue: [] })
})

describe('the API server', () => {
  it('creates an object with uid, resourceVersion and creationTimestamp, and returns it', async () => {
    const { status, body } = await send('POST', collection, toy('ball'))
    expect(status).toBe(201)
    expect(body).toMatchObject({
      kind: 'Toy',
      metadata: { name: 'ball', namespace: 'box', resourceVersion: '2', creationTimestamp: '2026-01-01T00:00:00Z' },
    })
    expect((await send('GET', `${collection}/ball`)).body).toEqual(body)
  })

  it('rejects a second object of the same name with the message of the real server', async () => {
    await send('POST', collection, toy('ball'))
    expect(await send('POST', collection, toy('ball'))).toMatchObject({
      status: 409,
      body: { reason: 'AlreadyExists', message: 'toys.play.example "ball" already exists' },
    })
  })

  it('generates a name from generateName', async () => {
    const { body } = await send('POST', collection, { ...toy(''), metadata: { generateName: 'ball-' } })
    expect(body.metadata.name).toMatch(/^ball-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  })

  it('keeps the resourceVersion for an update without changes, and rejects an outdated one', async () => {
    const { body: first } = await send('POST', collection, toy('ball'))
    expect((await send('PUT', `${collection}/ball`, first)).body.metadata.resourceVersion).toBe('2')
    const second = await send('PUT', `${collection}/ball`, { ...first, spec: { color: 'red' } })
    expect(second.body.metadata.resourceVersion).toBe('3')
    expect(await send('PUT', `${collection}/ball`, { ...first, spec: { color: 'blue' } })).toMatchObject({
      status: 409,
      body: { reason: 'Conflict' },
    })
    const { resourceVersion: _, ...metadata } = first.metadata
    expect(await send('PUT', `${collection}/ball`, { ...first, metadata })).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'metadata.resourceVersion' }] } },
    })
  })

  it('applies merge patches and JSON patches', async () => {
    await send('POST', collection, { ...toy('ball'), spec: { color: 'red', size: 1 } })
    const merged = await send('PATCH', `${collection}/ball`, { spec: { size: null } }, 'application/merge-patch+json')
    expect(merged.body.spec).toEqual({ color: 'red' })
    const operations = [{ op: 'replace', path: '/spec/color', value: 'blue' }]
    const patched = await send('PATCH', `${collection}/ball`, operations, 'application/json-patch+json')
    expect(patched.body.spec).toEqual({ color: 'blue' })
  })

  it('applies, records field owners, and reports conflicts between managers', async () => {
    const apply = (manager: string, spec: object, more = '') =>
      send(
        'PATCH',
        `${collection}/ball?fieldManager=${manager}${more}`,
        { ...toy('ball'), spec },
        'application/apply-patch+yaml',
      )
    expect((await apply('ann', { color: 'red' })).status).toBe(201)
    const again = await apply('ann', { color: 'red' })
    expect([again.status, again.body.metadata.resourceVersion]).toEqual([200, '2'])
    expect(await apply('ben', { color: 'blue' })).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "ann": .spec.color' },
    })
    const taken = await apply('ben', { color: 'blue' }, '&force=true')
    expect(taken.body.metadata.managedFields).toMatchObject([
      { manager: 'ann', operation: 'Apply', fieldsV1: { 'f:spec': {} } },
      { manager: 'ben', operation: 'Apply', fieldsV1: { 'f:spec': { '.': {}, 'f:color': {} } } },
    ])
  })

  it('marks an object with finalizers as deleting, and removes it with the last finalizer', async () => {
    const { body } = await send('POST', collection, {
      ...toy('ball'),
      metadata: { name: 'ball', finalizers: ['a.b/c'] },
    })
    const marked = await send('DELETE', `${collection}/ball`)
    expect(marked.body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      deletionTimestamp: '2026-01-01T00:00:00Z',
    })
    expect((await send('DELETE', `${collection}/ball`)).body.metadata.resourceVersion).toBe(
      marked.body.metadata.resourceVersion,
    )
    const { finalizers: _, ...metadata } = marked.body.metadata
    expect((await send('PUT', `${collection}/ball`, { ...body, metadata })).status).toBe(200)
    expect((await send('GET', `${collection}/ball`)).status).toBe(404)
  })

  it('deletes an object without finalizers immediately', async () => {
    const { body } = await send('POST', collection, toy('ball'))
    expect((await send('DELETE', `${collection}/ball`)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'ball', group: 'play.example', kind: 'toys', uid: body.metadata.uid },
    })
  })

  it('returns all pages of a list at the revision of the first page', async () => {
    for (const name of ['a', 'b', 'c']) await send('POST', collection, toy(name))
    const first = await send('GET', `${collection}?limit=2`)
    expect(namesOf(first.body)).toEqual(['a', 'b'])
    expect(first.body.metadata.remainingItemCount).toBe(1)
    await send('DELETE', `${collection}/c`)
    await send('POST', collection, toy('d'))
    const second = await send('GET', `${collection}?limit=2&continue=${first.body.metadata.continue}`)
    expect(namesOf(second.body)).toEqual(['c'])
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion)
    expect(namesOf((await send('GET', collection)).body)).toEqual(['a', 'b', 'd'])
  })

  it('watches from a resourceVersion, and reports objects that enter and leave a selection', async () => {
    await send('POST', collection, toy('before'))
    const events = await watch('?resourceVersion=2&labelSelector=kind%3Dround')
    const { body } = await send('POST', collection, {
      ...toy('ball'),
      metadata: { name: 'ball', labels: { kind: 'round' } },
    })
    await send('PUT', `${collection}/ball`, { ...body, metadata: { ...body.metadata, labels: {} } })
    expect(await events.next()).toMatchObject({ type: 'ADDED', object: { metadata: { resourceVersion: '3' } } })
    expect(await events.next()).toMatchObject({
      type: 'DELETED',
      object: { metadata: { resourceVersion: '4', labels: { kind: 'round' } } },
    })
    events.stop()
  })

  it('starts a watch with the existing objects and ends them with a bookmark', async () => {
    await send('POST', collection, toy('ball'))
    const events = await watch('?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true')
    expect(await events.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'ball' } } })
    expect(await events.next()).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Toy',
        apiVersion: 'play.example/v1',
        metadata: { resourceVersion: '2', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    })
    await clock.advance(60_000)
    expect(await events.next()).toMatchObject({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '2' } } })
    events.stop()
  })

  it('ends a watch at its timeout', async () => {
    const events = await watch('?timeoutSeconds=5')
    await clock.advance(5_000)
    expect(await events.next()).toBeUndefined()
  })

  it('reports a compacted resourceVersion as an event of the watch', async () => {
    for (const name of ['a', 'b', 'c']) await send('POST', collection, toy(name))
    server.log.compact(4)
    const events = await watch('?resourceVersion=2')
    expect(await events.next()).toMatchObject({
      type: 'ERROR',
      object: { code: 410, reason: 'Expired', message: 'too old resource version: 2 (4)' },
    })
    expect(await events.next()).toBeUndefined()
  })

  it('answers a list at a future resourceVersion when it is reached, or fails after three seconds', async () => {
    const early = send('GET', `${collection}?resourceVersion=2`)
    await send('POST', collection, toy('ball'))
    expect(namesOf((await early).body)).toEqual(['ball'])
    const never = send('GET', `${collection}?resourceVersion=99`)
    await Promise.resolve()
    await clock.advance(3_000)
    expect(await never).toMatchObject({
      status: 504,
      body: { message: 'Timeout: Too large resource version: 99, current: 2' },
    })
  })
})

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are looked into.
type Body = any

async function send(
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
): Promise<{ status: number; body: Body }> {
  const init =
    body === undefined ? { method } : { method, body: JSON.stringify(body), headers: { 'content-type': type } }
  const response = await handleFetch(server, new Request(`http://server${path}`, init))
  return { status: response.status, body: await response.json() }
}

function toy(name: string): object {
  return { apiVersion: 'play.example/v1', kind: 'Toy', metadata: { name } }
}

function namesOf(list: Body): string[] {
  return list.items.map((item: Body) => item.metadata.name)
}

async function watch(query: string): Promise<{ next(): Promise<Body>; stop(): void }> {
  const separator = query === '' ? '?' : '&'
  const response = await handleFetch(server, new Request(`http://server${collection}${query}${separator}watch=true`))
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  return {
    next: async () => {
      const { value, done } = await reader.read()
      return done ? undefined : JSON.parse(value)
    },
    stop: () => void reader.cancel(),
  }
}
