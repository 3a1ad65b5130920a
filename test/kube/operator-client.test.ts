// Reads and writes of the author's client, on the embedded API server.
import { expect, expectTypeOf, it, onTestFinished } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { openWatchOf } from '../../src/cache/feed-watcher.ts'
import type { ListOptions } from '../../src/kube/client.ts'
import { Fence } from '../../src/kube/fence.ts'
import { FencedClient } from '../../src/kube/fenced-client.ts'
import { isKubeError } from '../../src/kube/kube-errors.ts'
import type { ObjectEvent } from '../../src/kube/object-event.ts'
import { OperatorClient, type PartialObjectMetadata } from '../../src/kube/operator-client.ts'
import { ConfigMap, Deployment, Pod } from '../../src/object/built-in.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { defineResource, type ObjectOf } from '../../src/object/resource.ts'
import { startCluster } from '../../src/testing/index.ts'
import { website, websiteDefinition } from './website-kind.ts'

const page = { namespace: 'default', name: 'page' }
const web = { namespace: 'default', name: 'web' }

async function setUp() {
  const life = new AbortController()
  const cluster = await startCluster({ definitions: [websiteDefinition], controllers: [] })
  onTestFinished(() => cluster.stop())
  const port = cluster.clientOf('author')
  const { clock } = cluster
  const openWatch = openWatchOf({ clock, random: seededRandom(1), instruments: silentInstruments, client: port })
  const made = (manager: string) =>
    new OperatorClient({ client: port, openWatch, fieldManager: manager, signal: life.signal })
  return { cluster, life, openWatch, client: made('shop-client'), other: made('shop-client:nightly') }
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (thrown: unknown) => (isKubeError(thrown) ? thrown.code : String(thrown)),
  )

it('creates, reads, patches and deletes objects of a kind by its descriptor', async () => {
  const { client } = await setUp()
  const made = await client.create(ConfigMap, { metadata: page, data: { text: 'first' } })
  expect(made).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { text: 'first' } })
  expect(made.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['shop-client'])
  expect(await codeOf(client.create(ConfigMap, { metadata: page }))).toBe('AlreadyExists')
  await client.patch(ConfigMap, page, { type: 'merge', body: { data: { text: 'second' } } })
  const operations = [
    { op: 'test', path: '/data/text', value: 'second' } as const,
    { op: 'add', path: '/data/more', value: 'x' } as const,
  ]
  await client.patch(ConfigMap, page, { type: 'json', body: operations })
  expect(await client.get(ConfigMap, page)).toMatchObject({ data: { text: 'second', more: 'x' } })
  const preconditions = { uid: 'another' }
  expect(await codeOf(client.delete(ConfigMap, page, { preconditions }))).toBe('Conflict')
  await client.delete(ConfigMap, page)
  expect(await client.find(ConfigMap, page)).toBeUndefined()
  expect(await codeOf(client.get(ConfigMap, page))).toBe('NotFound')
  expect(await codeOf(client.delete(ConfigMap, page))).toBe('NotFound')
})

it('lets the server name an object', async () => {
  const { client } = await setUp()
  const { metadata } = await client.create(ConfigMap, { metadata: { generateName: 'page-', namespace: 'default' } })
  expect(metadata.name).toMatch(/^page-\w{5}$/)
})

it('applies parts of objects, and takes fields over from another manager only with force', async () => {
  const { client, other } = await setUp()
  await client.apply(website, { metadata: page, spec: { image: 'a:1', replicas: 1 } })
  await other.apply(website, { metadata: page, spec: { note: 'by night' } })
  const conflict = other.apply(website, { metadata: page, spec: { replicas: 2 } })
  expect(await codeOf(conflict)).toBe('Conflict')
  const taken = await other.apply(website, { metadata: page, spec: { replicas: 2 } }, { force: true })
  expect(taken.spec).toEqual({ image: 'a:1', replicas: 2 })
})

it('reads and writes subresources', async () => {
  const { client } = await setUp()
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] } }
  await client.create(Deployment, {
    metadata: web,
    spec: { replicas: 1, selector: { matchLabels: labels }, template } as never,
  })
  const scale = await client.get(Deployment, web, { subresource: 'scale' })
  expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 1 } })
  const patch = { type: 'merge', body: { spec: { replicas: 3 } } } as const
  await client.patch(Deployment, web, patch, { subresource: 'scale' })
  expect(await client.get(Deployment, web)).toMatchObject({ spec: { replicas: 3 } })
  await client.create(website, { metadata: page, spec: { image: 'a:1', replicas: 1 } })
  const status = { type: 'merge', body: { status: { url: 'http://page' }, spec: { replicas: 9 } } } as const
  const written = await client.patch(website, page, status, { subresource: 'status' })
  expect([written.spec.replicas, written.status?.url]).toEqual([1, 'http://page'])
  const pod = { namespace: 'default', name: 'web-0' }
  await client.create(Pod, { metadata: pod, spec: template.spec as never })
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: pod }
  await client.create(Pod, eviction, { subresource: 'eviction' })
  expect(await codeOf(client.get(Pod, pod))).toBe('NotFound')
  expect(await codeOf(client.get(Pod, pod, { subresource: '../secrets' }))).toBe('BadRequest')
})

it('lists by selectors, in pages of one state', async () => {
  const { client } = await setUp()
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await client.create(ConfigMap, {
      metadata: { namespace: 'default', name, labels: { of: name < 'd' ? 'us' : 'them' } },
    })
  const names = ({ items }: { items: readonly LiveObject[] }) => items.map(({ metadata: { name } }) => name)
  expect(names(await client.list(ConfigMap, { namespace: 'default', labelSelector: 'of=them' }))).toEqual(['d', 'e'])
  expect(names(await client.list(ConfigMap, { fieldSelector: 'metadata.name=b' }))).toEqual(['b'])
  const pages: (readonly string[])[] = []
  for await (const page of client.pages(ConfigMap, { labelSelector: 'of', limit: 2 })) pages.push(names(page))
  expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']])
})

it('updates a whole object at the version of its read', async () => {
  const { client, other } = await setUp()
  await client.create(website, { metadata: page, spec: { image: 'a:1', replicas: 1 } })
  const read = await client.get(website, page)
  const updated = await client.update(website, { ...read, spec: { image: 'a:2', replicas: 1 } })
  expect(updated.spec).toEqual({ image: 'a:2', replicas: 1 })
  expect(await codeOf(other.update(website, { ...read, spec: { image: 'a:3', replicas: 1 } }))).toBe('Conflict')
  const { resourceVersion: _, ...unversioned } = read.metadata
  const blind = { ...read, metadata: unversioned } as unknown as typeof read
  expect(await codeOf(client.update(website, blind))).toBe('BadRequest')
  const tried = await client.update(website, { ...updated, spec: { image: 'a:4', replicas: 1 } }, { dryRun: true })
  expect([tried.spec.image, (await client.get(website, page)).spec.image]).toEqual(['a:4', 'a:2'])
  await client.delete(website, page)
  expect(await codeOf(client.update(website, updated))).toBe('NotFound')
})

it('updates and applies subresources', async () => {
  const { client } = await setUp()
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] } }
  const spec = { replicas: 1, selector: { matchLabels: labels }, template } as never
  await client.create(Deployment, { metadata: web, spec })
  const scale = await client.get(Deployment, web, { subresource: 'scale' })
  await client.update(Deployment, { ...scale, spec: { replicas: 4 } } as never, { subresource: 'scale' })
  expect(await client.get(Deployment, web)).toMatchObject({ spec: { replicas: 4 } })
  const made = await client.create(website, { metadata: page, spec: { image: 'a:1', replicas: 1 } })
  const status = { ...made, spec: { image: 'b:9', replicas: 9 }, status: { url: 'http://a' } }
  const written = await client.update(website, status, { subresource: 'status' })
  expect([written.spec, written.status?.url]).toEqual([{ image: 'a:1', replicas: 1 }, 'http://a'])
  const applied = { metadata: page, status: { url: 'http://b' } }
  await client.apply(website, applied, { subresource: 'status', force: true })
  expect((await client.get(website, page)).status?.url).toBe('http://b')
})

it('deletes all objects of a selector, and never all of a kind', async () => {
  const { client } = await setUp()
  const of = (name: string, set: string) => ({ metadata: { namespace: 'default', name, labels: { set } } })
  for (const name of ['a', 'b']) await client.create(ConfigMap, of(name, 'old'))
  await client.create(ConfigMap, of('c', 'new'))
  await client.deleteCollection(ConfigMap, { namespace: 'default', labelSelector: 'set=old' })
  const left = await client.list(ConfigMap, { namespace: 'default', labelSelector: 'set' })
  expect(left.items.map(({ metadata: { name } }) => name)).toEqual(['c'])
  await client.deleteCollection(ConfigMap, { namespace: 'default', fieldSelector: 'metadata.name=c' })
  expect(await client.find(ConfigMap, of('c', '').metadata)).toBeUndefined()
  expect(await codeOf(client.deleteCollection(ConfigMap, { labelSelector: 'set' }))).toBe('BadRequest')
  for (const labelSelector of [undefined, ''])
    expect(await codeOf(client.deleteCollection(ConfigMap, { namespace: 'default', labelSelector }))).toBe('BadRequest')
})

/** Events that a reader receives until it leaves with `last`. */
async function seenOf(events: AsyncIterable<ObjectEvent>, last: ObjectEvent['kind']): Promise<readonly string[]> {
  const seen: string[] = []
  for await (const event of events) {
    seen.push(event.kind === 'added' ? `added ${event.object.metadata.name}` : event.kind)
    if (event.kind === last) break
  }
  return seen
}

it('watches objects of a kind, until the reader leaves', async () => {
  const { client, cluster } = await setUp()
  await client.create(website, { metadata: page, spec: { image: 'a:1', replicas: 1 } })
  const seen = seenOf(client.watch(website, { namespace: 'default' }), 'modified')
  await cluster.advance(1_000)
  await client.patch(website, page, { type: 'merge', body: { spec: { replicas: 2 } } })
  await cluster.advance(1_000)
  expect(await seen).toEqual(['added page', 'synced', 'modified'])
})

it('rejects a watch that the server rejects', async () => {
  const { client, cluster } = await setUp()
  const Missing = defineResource({ group: 'no.example', version: 'v1', kind: 'No', plural: 'nos', scope: 'Namespaced' })
  const codes = [client.watch(Missing), client.watch(ConfigMap, { fieldSelector: 'data.a=b' })].map((events) =>
    codeOf(seenOf(events, 'synced')),
  )
  await cluster.advance(60_000)
  expect(await Promise.all(codes)).toEqual(['ResourceNotFound', 'BadRequest'])
})

it('ends with its own signal, or the signal of a call', async () => {
  const { client, life } = await setUp()
  const reason = new Error('the caller has gone')
  const call = client.find(ConfigMap, page, { signal: AbortSignal.abort(reason) })
  await expect(call).rejects.toBe(reason)
  life.abort(new Error('the operator stops'))
  await expect(client.find(ConfigMap, page)).rejects.toThrow('the operator stops')
})

it('writes nothing if this process does not lead', async () => {
  const { cluster, life, openWatch } = await setUp()
  const fence = new Fence(cluster.clock)
  const fenced = new FencedClient({ client: cluster.clientOf('author'), fence })
  const client = new OperatorClient({ client: fenced, openWatch, fieldManager: 'shop-client', signal: life.signal })
  const writes = [
    client.create(ConfigMap, { metadata: page }),
    client.update(ConfigMap, { metadata: { ...page, resourceVersion: '1' } }),
    client.deleteCollection(ConfigMap, { namespace: 'default', labelSelector: 'a' }),
  ]
  for (const write of writes) await expect(write).rejects.toMatchObject({ code: 'NotLeader' })
  expect(await client.find(ConfigMap, page)).toBeUndefined()
})

it('has the types of the descriptor', () => {
  type Client = OperatorClient
  const typed = async (client: Client) => {
    expectTypeOf((await client.get(website, page)).spec.replicas).toEqualTypeOf<number>()
    expectTypeOf((await client.list(website)).items[0]?.status?.url).toEqualTypeOf<string | undefined>()
    expectTypeOf((await client.get(website, page, { subresource: 'status' })).spec.image).toEqualTypeOf<string>()
    expectTypeOf((await client.get(website, page, { subresource: 'scale' })).spec).toEqualTypeOf<unknown>()
    for await (const event of client.watch(website)) {
      if (event.kind === 'modified') expectTypeOf(event.object.spec.replicas).toEqualTypeOf<number>()
      if (event.kind === 'deleted') expectTypeOf(event.object.uid).toEqualTypeOf<string>()
    }
    const metadataOnly = true
    type Item = PartialObjectMetadata | undefined
    expectTypeOf((await client.list(website, { metadataOnly })).items[0]).toEqualTypeOf<Item>()
    expectTypeOf((await client.list(website, { metadataOnly: false })).items[0]?.spec.replicas).toEqualTypeOf<
      number | undefined
    >()
    const options: ListOptions = {}
    expectTypeOf((await client.list(website, options)).items[0]).toEqualTypeOf<Item | ObjectOf<typeof website>>()
    // @ts-expect-error: metadata has no spec.
    expect((await client.list(website, { metadataOnly })).items[0]?.spec)
    for await (const { items } of client.pages(website, { limit: 2, metadataOnly: true }))
      expectTypeOf(items[0]).toEqualTypeOf<Item>()
    for await (const event of client.watch(website, { metadataOnly: true }))
      if (event.kind === 'added') expectTypeOf(event.object).toEqualTypeOf<PartialObjectMetadata>()
    // @ts-expect-error: a selector of another name.
    await client.list(website, { labels: 'a=b', metadataOnly })
    // @ts-expect-error: an update names the version that was read.
    await client.update(website, { metadata: page, spec: { image: 'a:1', replicas: 1 } })
    expectTypeOf((await client.find(defineResource(ConfigMap), page))?.spec).toEqualTypeOf<unknown>()
    // @ts-expect-error: replicas is a number.
    await client.apply(website, { metadata: page, spec: { replicas: 'three' } })
    // @ts-expect-error: a whole spec has an image.
    await client.create(website, { metadata: page, spec: { replicas: 3 } })
  }
  expectTypeOf(typed).toBeFunction()
})
