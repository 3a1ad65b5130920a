import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { handleFetch } from '../../../src/apiserver/fetch-handler.ts'
import { AskedCluster } from '../asked-cluster.ts'

let asked: AskedCluster

beforeEach(() => {
  asked = new AskedCluster()
})

afterEach(() => asked.stop())

describe('OpenAPI documents of a cluster', () => {
  it('have URLs that contain the hash of their content', async () => {
    const { body } = await asked.send('GET', '/openapi/v3')
    const { serverRelativeURL } = body.paths['apis/apps/v1']
    const response = await get(serverRelativeURL)
    const hash = createHash('sha512')
      .update(await response.text())
      .digest('hex')
      .toUpperCase()
    expect(serverRelativeURL).toBe(`/openapi/v3/apis/apps/v1?hash=${hash}`)
    expect(response.headers.get('cache-control')).toBe('public, immutable')
    expect((await get('/openapi/v3/apis/apps/v1', { 'if-none-match': `"${hash}"` })).status).toBe(304)
    const other = await get('/openapi/v3/apis/apps/v1?hash=00')
    expect([other.status, other.headers.get('location')]).toEqual([301, serverRelativeURL])
    expect((await get('/openapi/v3/apis/apps/v1', { accept: 'application/x-protobuf' })).status).toBe(406)
    expect((await get('/openapi/v3/apis/nope/v1')).status).toBe(404)
    expect((await get('/openapi/v4')).status).toBe(404)
  })

  it('appear and disappear with CRDs', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    for (const kind of ['Odd', 'Even']) await asked.create(definitions, definitionOf(kind))
    await asked.clock.advance(1_000)
    const path = '/openapi/v3/apis/num-bers.example/v1'
    const { body } = await asked.send('GET', path)
    expect(Object.keys(body.components.schemas)).toEqual(
      expect.arrayContaining(['example.num-bers.v1.Odd', 'example.num-bers.v1.EvenList']),
    )
    const at = '/apis/num-bers.example/v1/namespaces/{namespace}/evens'
    expect(body.paths[at].post).toMatchObject({
      description: 'create an Even',
      operationId: 'createNumBersExampleV1NamespacedEven',
      tags: ['numBersExample_v1'],
    })
    expect(body.paths[`${at}/{name}/scale`]).toBeUndefined()
    const { value, inner } = body.components.schemas['example.num-bers.v1.Odd'].properties.spec.properties
    expect(value.anyOf).toEqual([{ type: 'integer' }, { type: 'string' }])
    expect(inner.required).toEqual(['kind', 'apiVersion'])
    for (const kind of ['odds', 'evens']) await asked.send('DELETE', `${definitions}/${kind}.num-bers.example`)
    await asked.clock.advance(1_000)
    expect((await asked.send('GET', path)).status).toBe(404)
  })
})

function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const request = new Request(`http://server${path}`, { headers: { authorization: 'Bearer root', ...headers } })
  return handleFetch(asked.cluster.server, request)
}

function definitionOf(kind: string): object {
  const plural = `${kind.toLowerCase()}s`
  const inner = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  }
  const spec = { type: 'object', properties: { value: { 'x-kubernetes-int-or-string': true }, inner } }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  return {
    metadata: { name: `${plural}.num-bers.example` },
    spec: {
      group: 'num-bers.example',
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  }
}
