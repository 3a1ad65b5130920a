import { describe, expect, it } from 'vitest'
import { shopDefinition } from '../../bench/apiserver/loads.ts'
import type { AdmissionPlugin } from '../../src/apiserver/admission/admission.ts'
import { ApiServer } from '../../src/apiserver/api-server.ts'
import { Cluster } from '../../src/apiserver/cluster.ts'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import { forbiddenRequest } from '../../src/apiserver/status-error.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { seededRandom } from '../../src/base/random.ts'
import { SimClock } from '../../src/testing/sim-clock.ts'
import { toys } from './toy-resource.ts'

const toy = '/apis/play.example/v1/namespaces/default/toys/ball'
const red = { apiVersion: 'play.example/v1', kind: 'Toy', metadata: { name: 'ball' }, spec: { color: 'red' } }

describe('a repeated apply', () => {
  it('changes nothing, and gets the same answer', async () => {
    const { server, clock } = toyServer()
    const { body } = await send(server, 'PATCH', toy, red)
    const { revision } = server.log
    await clock.advance(5_000)
    for (let round = 0; round < 3; round++) expect(await send(server, 'PATCH', toy, red)).toEqual({ status: 200, body })
    expect(server.log.revision).toBe(revision)
  })

  it('is applied after another write has changed the object', async () => {
    const { server } = toyServer()
    for (let round = 0; round < 3; round++) await send(server, 'PATCH', toy, red)
    const blue = { ...red, spec: { color: 'blue' } }
    await send(server, 'PATCH', `${toy}?force=true&fieldManager=other`, blue)
    expect((await send(server, 'PATCH', toy, red)).status).toBe(409)
  })

  it('is applied for another manager', async () => {
    const { server } = toyServer()
    for (let round = 0; round < 3; round++) await send(server, 'PATCH', toy, red)
    const { body } = await send(server, 'PATCH', `${toy}?fieldManager=other`, red)
    expect(body['metadata']).toMatchObject({ managedFields: [{ manager: 'other' }, { manager: 'tester' }] })
  })

  it('is still rejected by admission', async () => {
    let isOpen = true
    const gate: AdmissionPlugin = {
      validate: ({ name }) => {
        if (!isOpen) throw forbiddenRequest({ group: 'play.example', resource: 'toys' }, name, 'closed')
      },
    }
    const { server } = toyServer([gate])
    for (let round = 0; round < 3; round++) expect((await send(server, 'PATCH', toy, red)).status).toBeLessThan(300)
    isOpen = false
    expect((await send(server, 'PATCH', toy, red)).status).toBe(403)
  })

  it('is decoded with the current schema', async () => {
    const clock = new SimClock()
    const cluster = new Cluster({ clock, random: seededRandom(1), tokens: new Map([['secret', admin]]) })
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await send(cluster.server, 'POST', definitions, shopDefinition)
    await clock.advance(10_000)
    const shop = '/apis/bench.konverge.dev/v1/namespaces/default/shops/a?fieldValidation=Strict'
    const spec = { limit: 3, banner: 'Open', shards: [{ name: 'shard-0' }] }
    const wanted = { apiVersion: 'bench.konverge.dev/v1', kind: 'Shop', metadata: { name: 'a' }, spec }
    for (let round = 0; round < 3; round++)
      expect((await send(cluster.server, 'PATCH', shop, wanted)).status).toBe(round === 0 ? 201 : 200)
    const banner = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/banner'
    const without = [{ op: 'remove', path: banner }]
    const path = `${definitions}/shops.bench.konverge.dev`
    expect((await send(cluster.server, 'PATCH', path, without, 'application/json-patch+json')).status).toBe(200)
    await clock.advance(10_000)
    expect((await send(cluster.server, 'PATCH', shop, wanted)).status).toBeGreaterThanOrEqual(400)
    cluster.stop()
  })
})

const admin = { name: 'admin', groups: ['system:masters'] }

function toyServer(admission: readonly AdmissionPlugin[] = []): { server: ApiServer; clock: SimClock } {
  const clock = new SimClock()
  const random = seededRandom(1)
  return { clock, server: new ApiServer({ clock, random, resources: [toys], catalogue: [], admission }) }
}

interface Answered {
  readonly status: number
  readonly body: JsonObject
}

async function send(
  server: ApiServer,
  method: string,
  target: string,
  body: object,
  type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json',
): Promise<Answered> {
  const url = new URL(target, 'http://server')
  if (type.includes('apply') && !url.searchParams.has('fieldManager')) url.searchParams.set('fieldManager', 'tester')
  const headers = { 'content-type': type, authorization: 'Bearer secret' }
  const response = await handleFetch(server, new Request(url, { method, headers, body: JSON.stringify(body) }))
  return { status: response.status, body: (await response.json()) as JsonObject } // The server answers with objects.
}
