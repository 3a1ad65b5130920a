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
    tokens: new Map([['secret', { name: 'admin', groups: ['system:masters'] }]]),
  })
})

afterEach(() => cluster.stop())

describe('a cluster', () => {
  it('has its namespaces from the first moment', async () => {
    const { body } = await send('GET', '/api/v1/namespaces')
    const names = body.items.map((item: Body) => item.metadata.name)
    expect(names).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system'])
  })

  it('answers nobody whom it does not know', async () => {
    const response = await handleFetch(cluster.server, new Request('http://server/api/v1/pods'))
    expect(response.status).toBe(403)
  })

  it('empties a namespace before it lets it go', async () => {
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
    await send('PATCH', '/api/v1/namespaces/shop/configmaps/held', patch, 'application/merge-patch+json')
    await clock.advance(1_000)
    expect((await send('GET', '/api/v1/namespaces/shop')).status).toBe(404)
  })

  it('asks again who somebody is when reviewed', async () => {
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' }, user: 'ann' }
    const review = await send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec })
    expect(review).toMatchObject({ status: 201, body: { kind: 'SubjectAccessReview', status: { allowed: false } } })
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
  const headers = { authorization: 'Bearer secret', 'content-type': type }
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  const response = await handleFetch(cluster.server, new Request(`http://server${path}`, init))
  return { status: response.status, body: await response.json() }
}
