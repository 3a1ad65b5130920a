// Invalid calls of the author's client. Invariant: each rejects with one sentence, and no request is sent.
import { expect, it, onTestFinished } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom } from '../../src/base/random.ts'
import { openWatchOf } from '../../src/cache/feed-watcher.ts'
import { KubeError } from '../../src/kube/kube-errors.ts'
import { OperatorClient } from '../../src/kube/operator-client.ts'
import { ConfigMap, Namespace, Pod } from '../../src/object/built-in.ts'
import { defineResource } from '../../src/object/resource.ts'
import { startCluster } from '../../src/testing/index.ts'

const page = { namespace: 'default', name: 'page' }
const patch = { type: 'merge', body: {} } as const

async function setUp() {
  const cluster = await startCluster({ controllers: [] })
  onTestFinished(() => cluster.stop())
  const port = cluster.clientOf('author')
  const { clock } = cluster
  const openWatch = openWatchOf({ clock, random: seededRandom(1), instruments: silentInstruments, client: port })
  const { signal } = new AbortController()
  return { cluster, client: new OperatorClient({ client: port, openWatch, fieldManager: 'shop-client', signal }) }
}

type Call = (client: OperatorClient) => Promise<unknown>

async function read(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items) return
}

/** A caller without types. */
const untyped = <Value>(value: unknown) => value as Value

it.each<[string, Call, string]>([
  ['get', (client) => client.get(ConfigMap, { name: 'page' }), 'get ConfigMap page: the kind has namespaces; name one'],
  [
    'get of a subresource',
    (client) => client.get(Pod, { name: 'web' }, { subresource: 'log' }),
    'get Pod web: the kind has namespaces; name one',
  ],
  [
    'find',
    (client) => client.find(ConfigMap, { name: 'page' }),
    'find ConfigMap page: the kind has namespaces; name one',
  ],
  [
    'patch',
    (client) => client.patch(ConfigMap, { name: 'page' }, patch),
    'patch ConfigMap page: the kind has namespaces; name one',
  ],
  [
    'delete',
    (client) => client.delete(ConfigMap, { name: 'page' }),
    'delete ConfigMap page: the kind has namespaces; name one',
  ],
  [
    'create',
    (client) => client.create(ConfigMap, { metadata: { name: 'page' } }),
    'create ConfigMap page: the kind has namespaces; name one',
  ],
  [
    'create of a subresource',
    (client) => client.create(Pod, { metadata: { namespace: 'default' } }, { subresource: 'eviction' }),
    'create Pod: it has no name; give it one',
  ],
  [
    'apply',
    (client) => client.apply(ConfigMap, { metadata: { name: 'page' } }),
    'apply ConfigMap page: the kind has namespaces; name one',
  ],
  [
    'update',
    (client) => client.update(ConfigMap, { metadata: { name: 'page', resourceVersion: '1' } }),
    'update ConfigMap page: the kind has namespaces; name one',
  ],
  [
    'deleteCollection',
    (client) => client.deleteCollection(ConfigMap, { labelSelector: 'a' }),
    'delete all configmaps: the kind has namespaces; name one',
  ],
  [
    'get with an empty namespace',
    (client) => client.get(ConfigMap, { namespace: '', name: 'page' }),
    'get ConfigMap page: the kind has namespaces; name one',
  ],
  [
    'list with an empty namespace',
    (client) => client.list(ConfigMap, { namespace: '' }),
    'list configmaps: the kind has namespaces; name one',
  ],
  [
    'watch with an empty namespace',
    (client) => read(client.watch(ConfigMap, { namespace: '' })),
    'watch configmaps: the kind has namespaces; name one',
  ],
  [
    'get with a namespace of a cluster-scoped kind',
    (client) => client.get(Namespace, { namespace: 'default', name: 'shop' }),
    'get Namespace shop: the kind has no namespaces; leave it out',
  ],
  [
    'create with a namespace of a cluster-scoped kind',
    (client) => client.create(Namespace, { metadata: { namespace: 'default', name: 'shop' } }),
    'create Namespace shop: the kind has no namespaces; leave it out',
  ],
  [
    'list with a namespace of a cluster-scoped kind',
    (client) => client.list(Namespace, { namespace: 'default' }),
    'list namespaces: the kind has no namespaces; leave it out',
  ],
  [
    'pages with a namespace of a cluster-scoped kind',
    (client) => read(client.pages(Namespace, { namespace: 'default' })),
    'list namespaces: the kind has no namespaces; leave it out',
  ],
  [
    'watch with a namespace of a cluster-scoped kind',
    (client) => read(client.watch(Namespace, { namespace: 'default' })),
    'watch namespaces: the kind has no namespaces; leave it out',
  ],
  [
    'get without a name',
    (client) => client.get(ConfigMap, untyped({ namespace: 'default' })),
    'get ConfigMap: it has no name; give it one',
  ],
  [
    'find without a place',
    (client) => client.find(Namespace, untyped(undefined)),
    'find Namespace: it has no name; give it one',
  ],
  [
    'delete with an empty name',
    (client) => client.delete(ConfigMap, { namespace: 'default', name: '' }),
    'delete ConfigMap: it has no name; give it one',
  ],
  [
    'patch with a number for a name',
    (client) => client.patch(ConfigMap, untyped({ namespace: 'default', name: 7 }), patch),
    'patch ConfigMap 7: its name is no text; give it one',
  ],
  [
    'apply without a name',
    (client) => client.apply(ConfigMap, untyped({ metadata: { namespace: 'default' } })),
    'apply ConfigMap: it has no name; give it one',
  ],
  [
    'create without metadata',
    (client) => client.create(Namespace, untyped({ spec: {} })),
    'create Namespace: the object has no metadata; give it a name there',
  ],
])('rejects %s', async (_, call, sentence) => {
  const { client, cluster } = await setUp()
  const before = cluster.requests().length
  const thrown = await call(client).catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(KubeError)
  expect(thrown).toMatchObject({ code: 'BadRequest', message: `no request was sent: ${sentence}` })
  expect(cluster.requests().slice(before)).toEqual([])
})

const review = defineResource({
  ...{
    group: 'authorization.k8s.io',
    version: 'v1',
    kind: 'SelfSubjectAccessReview',
    plural: 'selfsubjectaccessreviews',
  },
  scope: 'Cluster',
})

it('creates reviews, which have no name', async () => {
  const { client } = await setUp()
  const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'default' }
  const reviewed = await client.create(review, { metadata: {}, spec: { resourceAttributes } })
  expect(reviewed).toMatchObject({ kind: 'SelfSubjectAccessReview', status: { allowed: true } })
})

it.each([
  { labelSelector: undefined },
  { labelSelector: '' },
  { labelSelector: ' ' },
  { labelSelector: '\t\n' },
  { labelSelector: ',' },
  { fieldSelector: '' },
  { fieldSelector: ',' },
  { fieldSelector: ' , ,' },
  { fieldSelector: '=' },
  { fieldSelector: '==,=' },
  { labelSelector: ' ', fieldSelector: ',' },
])('deletes nothing for selectors of everything: %j', async (selectors) => {
  const { client, cluster } = await setUp()
  await client.create(ConfigMap, { metadata: page })
  const before = cluster.requests().length
  const deletion = client.deleteCollection(ConfigMap, { namespace: 'default', ...selectors })
  await expect(deletion).rejects.toMatchObject({
    code: 'BadRequest',
    message:
      'no request was sent: delete all configmaps: nothing selects them; give a labelSelector or a fieldSelector',
  })
  expect(cluster.requests().slice(before)).toEqual([])
})

it('deletes the objects of one selector beside an empty one', async () => {
  const { client } = await setUp()
  await client.create(ConfigMap, { metadata: page })
  await client.deleteCollection(ConfigMap, {
    namespace: 'default',
    labelSelector: ' ',
    fieldSelector: 'metadata.name=page',
  })
  expect(await client.find(ConfigMap, page)).toBeUndefined()
})

it.each([
  ['', 'the object has no metadata.resourceVersion; get it first'],
  ['0', 'the metadata.resourceVersion "0" is that of no object; get it first'],
  ['000', 'the metadata.resourceVersion "000" is that of no object; get it first'],
  [0, 'the metadata.resourceVersion 0 is that of no object; get it first'],
  [null, 'the metadata.resourceVersion null is that of no object; get it first'],
])('updates nothing at the version %j', async (resourceVersion, problem) => {
  const { client, cluster } = await setUp()
  const made = await client.create(ConfigMap, { metadata: page, data: { text: 'first' } })
  const before = cluster.requests().length
  const object = { ...made, metadata: { ...made.metadata, resourceVersion }, data: { text: 'second' } }
  await expect(client.update(ConfigMap, untyped(object))).rejects.toMatchObject({
    code: 'BadRequest',
    message: `no request was sent: update ConfigMap page: ${problem}`,
  })
  expect(cluster.requests().slice(before)).toEqual([])
  expect(await client.get(ConfigMap, page)).toMatchObject({ data: { text: 'first' } })
})
