// Integers beyond 2^53 in children: the operator applies changed declarations, and corrects drift.
import { ApiObject } from 'cdk8s'
import { expect, it } from 'vitest'
import { defineController } from '../../src/index.ts'
import { defineResource } from '../../src/object/resource.ts'
import { startCluster } from '../../src/testing/index.ts'
import { definitionOf, Shop } from './sharing-controllers.ts'

const Meter = defineResource<object>({
  ...{ group: 'example.com', version: 'v1', kind: 'Meter', plural: 'meters', scope: 'Namespaced' },
})
const [big, other] = [9223372036854775807n, 9007199254740993n]
const int64 = { type: 'integer', format: 'int64' }
const keyed = { type: 'object', required: ['id'], properties: { id: int64, text: { type: 'string' } } }
const spec = {
  type: 'object',
  properties: {
    quota: int64,
    atomic: { type: 'array', items: int64 },
    set: { type: 'array', items: int64, 'x-kubernetes-list-type': 'set' },
    keyed: { type: 'array', items: keyed, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] },
  },
}
const meters = {
  metadata: { name: 'meters.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced' },
    names: { kind: 'Meter', plural: 'meters', singular: 'meter', listKind: 'MeterList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
      },
    ],
  },
}

/** Declares a Meter whose spec is the Shop's `meter`. */
const controller = defineController(Shop, {
  owns: [{ resource: Meter, hasStatus: false }],
  desired: (chart, { object: { metadata, spec } }) => {
    const { meter } = spec as unknown as { readonly meter: object } // Created so below.
    const { name } = metadata
    new ApiObject(chart, 'meter', {
      ...{ apiVersion: 'example.com/v1', kind: 'Meter', metadata: { name } },
      spec: meter,
    })
  },
  status: () => ({ fields: {}, conditions: [] }),
})

const ofKey = (id: bigint, text: string) => ({ id, text })

it.each([
  { title: 'in a field', before: { quota: big }, after: { quota: other } },
  { title: 'in an atomic list', before: { atomic: [big] }, after: { atomic: [other] } },
  // Additions of another manager to sets and list maps stay beside the declared values.
  { title: 'in a set', before: { set: [big] }, after: { set: [other] }, beside: { set: [big, other] } },
  {
    title: 'in the key of a list map',
    before: { keyed: [ofKey(big, 'a')] },
    after: { keyed: [ofKey(other, 'a')] },
    beside: { keyed: [ofKey(big, 'a'), ofKey(other, 'a')] },
  },
  {
    title: 'beside the key of a list map',
    before: { keyed: [ofKey(big, 'a')] },
    after: { keyed: [ofKey(big, 'b')] },
  },
])('a child with a large integer $title follows its declaration, and is in sync', async ({ before, after, beside }) => {
  await using cluster = await startCluster({ definitions: [definitionOf(Shop), meters] })
  cluster.run(controller)
  await cluster.create(Shop, { metadata: { name: 'a' }, spec: { meter: before } })
  await cluster.settle()
  const specNow = async () => (await cluster.find(Meter, 'a'))?.spec
  expect(await specNow()).toEqual(before)
  await cluster.patch(Shop, 'a', { spec: { meter: { ...emptied(before), ...after } } })
  await cluster.settle()
  expect(await specNow()).toEqual(after)
  expect(await cluster.condition(Shop, 'a', 'Degraded')).toMatchObject({ status: 'False' })
  await cluster.patch(Meter, 'a', { spec: before })
  await cluster.settle()
  expect(await specNow()).toEqual(beside ?? after)
  expect((await cluster.requestsDuring(600_000)).filter(({ verb }) => verb !== 'watch')).toEqual([])
})

/** A merge patch removes keys that it sets to null. */
function emptied(before: object): object {
  return Object.fromEntries(Object.keys(before).map((key) => [key, null]))
}
