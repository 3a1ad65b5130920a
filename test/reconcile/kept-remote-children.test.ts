// Users of another namespace cannot keep a remote child. The inventory entry in the status of its parent decides
// whether it is deleted, and not its own metadata. An Event names objects that stay. Whole reconciles over the embedded
// API server.
import { afterEach, describe, expect, it } from 'vitest'
import { ConfigMap, Event, Namespace } from '../../src/object/built-in.ts'
import type { LiveObject, StatusWithConditions } from '../../src/object/object.ts'
import { defineController } from '../../src/reconcile/definition.ts'
import { retain } from '../../src/synth/field-policies.ts'
import { addObject } from '../../src/synth/plain-object.ts'
import { startCluster, type TestCluster, type TestOperator } from '../../src/testing/index.ts'
import { definitionOf, Landlord, Tenant, type TenantSpec, tenantSpec } from './tenants.ts'

let cluster: TestCluster
let operator: TestOperator
afterEach(() => cluster.stop())

const tenant = (isRetained = false, resource = Tenant) =>
  defineController<TenantSpec, StatusWithConditions, undefined>(resource, {
    owns: [ConfigMap],
    desired: (chart, { object: { spec } }) => {
      if (spec.note === 'none') return
      const metadata = { name: 'grant', namespace: spec.namespace }
      const grant = addObject(chart, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { note: spec.note ?? '' } })
      if (isRetained) retain(grant)
    },
    status: () => ({ fields: {}, conditions: [] }),
  })

async function settle(isRetained = false, records?: object): Promise<void> {
  cluster = await startCluster({ definitions: [definitionOf('Tenant', tenantSpec, records)] })
  await cluster.create(Namespace, { metadata: { name: 'b' } })
  operator = cluster.run(tenant(isRetained))
  await cluster.create(Tenant, { metadata: { name: 'a' }, spec: { namespace: 'b' } })
  await cluster.settle()
}

interface StatusWithInventory {
  readonly inventory?: readonly { readonly retained?: boolean }[]
}

const grant = () => cluster.find(ConfigMap, 'b/grant')
const edit = (metadata: object) => cluster.patch(ConfigMap, 'b/grant', { metadata })

async function mine(): Promise<{ readonly [field: string]: string }> {
  const { metadata } = await cluster.create(ConfigMap, { metadata: { name: 'mine', namespace: 'b' } })
  return { apiVersion: 'v1', kind: 'ConfigMap', name: 'mine', uid: metadata.uid }
}

/** Returns the children in `status.inventory`. */
async function recorded(): Promise<readonly { readonly retained?: boolean }[]> {
  const status = (await cluster.find(Tenant, 'a'))?.status as StatusWithInventory | undefined
  return status?.inventory ?? []
}

async function leftAlone(): Promise<readonly string[]> {
  const events = (await cluster.list(Event)) as readonly (LiveObject & { reason?: string; note?: string })[]
  return events.flatMap(({ reason, note = '' }) => (reason === 'LeftAlone' ? [note] : []))
}

/** The child is no longer declared, or its parent is deleted. */
const ways = {
  pruned: () => cluster.patch(Tenant, 'a', { spec: { note: 'none' } }),
  deleted: () => cluster.delete(Tenant, 'a'),
}

const ofSibling = {
  manager: 'operator/tenants.example.com_x',
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
}
const attacks: Readonly<Record<string, () => Promise<unknown>>> = {
  'konverge.dev/prune': () => edit({ annotations: { 'konverge.dev/prune': 'disabled' } }),
  'an additional owner reference': async () => edit({ ownerReferences: [await mine()] }),
  'a controller reference': async () => edit({ ownerReferences: [{ ...(await mine()), controller: true }] }),
  'the marks of a second owner': async () => {
    const owner = await mine()
    return edit({ ownerReferences: [owner], labels: { [`owner.konverge.dev/${owner['uid']}`]: 'tenants.example.com' } })
  },
  'the label of a sibling, and no records': () =>
    edit({
      labels: { 'konverge.dev/owned-by': 'tenants.example.com_x', 'konverge.dev/managed-by': 'x' },
      managedFields: [{}],
    }),
  'the record of a sibling': () =>
    edit({
      labels: { 'konverge.dev/managed-by': 'x' },
      managedFields: [{ ...ofSibling, fieldsV1: { 'f:data': { 'f:note': {} } } }],
    }),
}
const underOurManager = async () => {
  const live = await grant()
  const { labels, annotations, managedFields = [] } = live?.metadata ?? {}
  const metadata = {
    name: 'grant',
    namespace: 'b',
    labels,
    annotations: { ...annotations, 'konverge.dev/prune': 'disabled' },
  }
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: live?.['data'] }
  const options = { fieldManager: managedFields[0]?.manager ?? '', force: true }
  await cluster.client.apply(ConfigMap, body as never, options, new AbortController().signal)
}
const schemas = [
  { schema: 'with retained', records: undefined },
  { schema: 'of an earlier version', records: {} },
]
const matrix = Object.keys(ways).flatMap((way) =>
  schemas.map((schema) => ({ way: way as keyof typeof ways, ...schema })),
)

describe.each(matrix)('a remote child that is $way, by a schema $schema', ({ way, records }) => {
  it.each(Object.entries(attacks))('is deleted although a user wrote %s', async (_, attack) => {
    await settle(false, records)
    await attack()
    await cluster.settle()
    expect(await cluster.condition(Tenant, 'a', 'Ready')).toMatchObject({ status: 'True' })
    await ways[way]()
    await cluster.settle()
    expect(await grant()).toBeUndefined()
    expect(await recorded()).toEqual([])
    expect(await leftAlone()).toEqual([])
  })

  it.each(Object.entries(attacks))('is deleted although a user wrote %s while no operator ran', async (_, attack) => {
    await settle(false, records)
    await operator.stop()
    await attack()
    await ways[way]()
    cluster.run(tenant())
    await cluster.settle()
    expect(await grant()).toBeUndefined()
    expect(await leftAlone()).toEqual([])
  })

  it('stays if it is retained, and an Event names it', async () => {
    await settle(true, records)
    await ways[way]()
    await cluster.settle()
    expect(await grant()).toBeDefined()
    expect(await leftAlone()).toEqual([expect.stringMatching(/^ConfigMap b\/grant stays, because it is retained/)])
    expect(await recorded()).toEqual([])
  })

  it('stays if its token is gone, and an Event names it', async () => {
    await settle(false, records)
    await operator.stop()
    await edit({ annotations: { 'konverge.dev/inventory-token': null } })
    await ways[way]()
    cluster.run(tenant())
    await cluster.settle()
    expect(await grant()).toBeDefined()
    expect(await leftAlone()).toEqual([expect.stringMatching(/^ConfigMap b\/grant stays: it is not a child of Tenant/)])
  })
})

describe.each(Object.keys(ways) as (keyof typeof ways)[])('the inventory entry of a remote child that is %s', (way) => {
  it('overrides an annotation under the manager of the operator', async () => {
    await settle()
    await operator.stop()
    await underOurManager()
    await ways[way]()
    cluster.run(tenant())
    await cluster.settle()
    expect(await grant()).toBeUndefined()
  })

  it('protects a retained child whose annotation a user removed', async () => {
    await settle(true)
    await operator.stop()
    await edit({ annotations: { 'konverge.dev/prune': null } })
    await ways[way]()
    cluster.run(tenant(true))
    await cluster.settle()
    expect(await grant()).toBeDefined()
    expect(await leftAlone()).toHaveLength(1)
  })
})

describe('the inventory entry of a remote child', () => {
  it('follows the retain policy of the construct', async () => {
    await settle()
    expect(await recorded()).toMatchObject([{ retained: false }])
    for (const isRetained of [true, false]) {
      await operator.stop()
      operator = cluster.run(tenant(isRetained))
      await cluster.settle()
      expect(await recorded()).toMatchObject([{ retained: isRetained }])
    }
  })
})

describe('a child in a namespace of a cluster-scoped parent', () => {
  it.each([
    { title: 'an additional owner reference', isController: false },
    { title: 'another controller reference', isController: true },
  ])('is deleted with its parent although a user wrote $title', async ({ isController }) => {
    const definition = definitionOf('Landlord', tenantSpec, undefined, 'Cluster')
    cluster = await startCluster({ definitions: [definition] })
    await cluster.create(Namespace, { metadata: { name: 'b' } })
    operator = cluster.run(tenant(false, Landlord))
    await cluster.create(Landlord, { metadata: { name: 'a' }, spec: { namespace: 'b' } })
    await cluster.settle()
    const owners = (await grant())?.metadata.ownerReferences ?? []
    expect(owners).toHaveLength(1)
    await operator.stop()
    const theirs = await mine()
    await edit({ ownerReferences: isController ? [{ ...theirs, controller: true }] : [...owners, theirs] })
    await cluster.delete(Landlord, 'a')
    cluster.run(tenant(false, Landlord))
    await cluster.settle()
    expect(await grant()).toBeUndefined()
    expect(await cluster.find(Landlord, 'a')).toBeUndefined()
    expect(await leftAlone()).toEqual([])
  })
})
