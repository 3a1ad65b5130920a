import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Cluster } from '../../src/apiserver/cluster.ts'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import { seededRandom } from '../../src/base/random.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'

let clock: SimClock
let cluster: Cluster

beforeEach(() => {
  clock = new SimClock()
  cluster = new Cluster({
    clock,
    random: seededRandom(1),
    tokens: new Map([
      ['secret', { name: 'admin', groups: ['system:masters'] }],
      ['ann', { name: 'ann', groups: ['system:authenticated'] }],
    ]),
  })
})

afterEach(() => cluster.stop())

describe('a cluster', () => {
  it('has its namespaces at the start', async () => {
    const { body } = await send('GET', '/api/v1/namespaces')
    const names = body.items.map((item: Body) => item.metadata.name)
    expect(names).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system'])
  })

  it('has the Service kubernetes, and recreates it after deletion', async () => {
    const path = '/api/v1/namespaces/default/services/kubernetes'
    const { body } = await send('GET', path)
    expect(body.spec).toMatchObject({ clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443 }] })
    await send('DELETE', path)
    await clock.advance(1_000)
    const { body: again } = await send('GET', path)
    expect(again.metadata.uid).not.toBe(body.metadata.uid)
  })

  it('rejects an anonymous request', async () => {
    const response = await handleFetch(cluster.server, new Request('http://server/api/v1/pods'))
    expect(response.status).toBe(403)
  })

  it('empties a namespace before it removes it', async () => {
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
    const held = { metadata: { name: 'held', finalizers: ['hold.example/on'] } }
    for (const object of [{ metadata: { name: 'free' } }, held])
      await send('POST', '/api/v1/namespaces/shop/configmaps', object)
    const { body } = await send('DELETE', '/api/v1/namespaces/shop')
    expect(body.status.phase).toBe('Terminating')
    await clock.advance(1_000)
    expect(await send('POST', '/api/v1/namespaces/shop/configmaps', { metadata: { name: 'new' } })).toMatchObject({
      status: 403,
      body: { details: { causes: [{ reason: 'NamespaceTerminating' }] } },
    })
    const { body: told } = await send('GET', '/api/v1/namespaces/shop')
    expect(told.status.conditions).toContainEqual(
      expect.objectContaining({
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        message: 'Some content in the namespace has finalizers remaining: hold.example/on in 1 resource instances',
      }),
    )
    const patch = { metadata: { finalizers: null } }
    await send('PATCH', '/api/v1/namespaces/shop/configmaps/held', patch, { type: 'application/merge-patch+json' })
    await clock.advance(1_000)
    expect((await send('GET', '/api/v1/namespaces/shop')).status).toBe(404)
  })

  it('serves a custom kind of a CRD, validates its objects, and deletes them with the CRD', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    expect((await send('POST', definitions, definition)).status).toBe(201)
    await clock.advance(1_000)
    const { body } = await send('GET', `${definitions}/shops.trade.example`)
    expect(body.status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'True' },
    ])
    const shops = '/apis/trade.example/v1/namespaces/default/shops'
    const shop = { apiVersion: 'trade.example/v1', kind: 'Shop', metadata: { name: 'cache' } }
    expect(await send('POST', shops, { ...shop, spec: { replicas: 'many' } })).toMatchObject({ status: 422 })
    const created = await send('POST', shops, {
      ...shop,
      metadata: { name: 'cache', finalizers: ['hold.example/on'] },
      spec: { replicas: 3 },
    })
    expect(created).toMatchObject({ status: 201, body: { metadata: { generation: 1 } } })
    await send('DELETE', `${definitions}/shops.trade.example`)
    await clock.advance(1_000)
    expect(await send('POST', shops, { ...shop, metadata: { name: 'new' } })).toMatchObject({ status: 403 })
    await send('PATCH', `${shops}/cache`, { metadata: { finalizers: null } }, { type: 'application/merge-patch+json' })
    await clock.advance(1_000)
    expect((await send('GET', shops)).status).toBe(404)
    expect((await send('GET', `${definitions}/shops.trade.example`)).status).toBe(404)
  })

  it('answers a SubjectAccessReview about another user', async () => {
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' }, user: 'ann' }
    const review = await send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec })
    expect(review).toMatchObject({ status: 201, body: { kind: 'SubjectAccessReview', status: { allowed: false } } })
  })
})

describe('the rights in a cluster', () => {
  it('let only authenticated users discover the API and review their rights', async () => {
    const known = { authorization: 'Bearer ann' }
    expect((await send('GET', '/apis', undefined, { headers: known })).status).toBe(200)
    const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    const spec = { resourceAttributes: { verb: 'list', resource: 'pods' } }
    expect(await send('POST', review, { spec }, { headers: known })).toMatchObject({
      body: { status: { allowed: false } },
    })
    expect((await send('GET', '/version', undefined, { headers: {} })).status).toBe(200)
    expect((await send('GET', '/apis', undefined, { headers: {} })).status).toBe(403)
  })

  it('include reviews, which discovery lists', async () => {
    const { body } = await send('GET', '/apis/authorization.k8s.io/v1')
    expect(body.resources).toContainEqual({
      name: 'selfsubjectaccessreviews',
      singularName: 'selfsubjectaccessreview',
      namespaced: false,
      kind: 'SelfSubjectAccessReview',
      verbs: ['create'],
    })
  })

  it('follow from the roles of the real server, including aggregated ones', async () => {
    const binding = {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
    }
    const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings'
    await send('POST', bindings, { metadata: { name: 'ann' }, ...binding })
    const headers = { authorization: 'Bearer ann' }
    expect((await send('GET', '/api/v1/namespaces/default/pods', undefined, { headers })).status).toBe(200)
    expect((await send('GET', '/api/v1/namespaces/default/secrets', undefined, { headers })).status).toBe(403)
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }]
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }
    const more = { metadata: { name: 'more', labels }, rules }
    await send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', more)
    await clock.advance(1_000)
    expect((await send('GET', '/api/v1/namespaces/default/secrets', undefined, { headers })).status).toBe(200)
    const { body } = await send('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/view')
    expect(body.metadata.managedFields).toMatchObject([
      { manager: 'clusterrole-aggregation-controller', operation: 'Apply', fieldsV1: { 'f:rules': {} } },
      { manager: 'kube-apiserver', operation: 'Update' },
    ])
  })
})

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shops.trade.example' },
  spec: {
    group: 'trade.example',
    scope: 'Namespaced',
    names: { plural: 'shops', kind: 'Shop' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { replicas: { type: 'integer', default: 1 } } } },
          },
        },
      },
    ],
  },
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are looked into.
type Body = any

interface SendOptions {
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function send(
  method: string,
  path: string,
  body?: unknown,
  { type = 'application/json', headers = { authorization: 'Bearer secret' } }: SendOptions = {},
): Promise<{ status: number; body: Body }> {
  const all = { ...headers, 'content-type': type }
  const init = body === undefined ? { method, headers: all } : { method, headers: all, body: JSON.stringify(body) }
  const response = await handleFetch(cluster.server, new Request(`http://server${path}`, init))
  const isJson = response.headers.get('content-type') === 'application/json'
  return { status: response.status, body: isJson ? await response.json() : await response.text() }
}
