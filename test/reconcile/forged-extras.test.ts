// A user with the right to patch a child applies it under the operator's field manager, with the hash of the last
// apply. The apply adds fields inside an atomic value. managedFields and hash then equal those of the operator's own
// apply. Whole reconciles over the embedded API server.
import { afterEach, describe, expect, it } from 'vitest'
import { CustomResourceDefinition, Namespace } from '../../src/object/built-in.ts'
import type { LiveObject, StatusWithConditions } from '../../src/object/object.ts'
import { defineResource, type Resource } from '../../src/object/resource.ts'
import { defineController } from '../../src/reconcile/definition.ts'
import { startCluster, type TestCluster, type TestOperator } from '../../src/testing/index.ts'
import { definitionOf, Tenant, type TenantSpec, tenantSpec } from './tenants.ts'

const text = { type: 'string' }
const rule = { type: 'object', properties: { host: text, path: text, weight: { type: 'integer', default: 1 } } }
const only = {
  type: 'object',
  properties: { name: text },
  'x-kubernetes-map-type': 'atomic',
}
const routeSpec = { type: 'object', properties: { rules: { type: 'array', items: rule }, only } }

const Route = defineResource({
  ...{ group: 'example.com', version: 'v1', kind: 'Route', plural: 'routes', scope: 'Namespaced' },
})
const NetworkPolicy = defineResource({
  ...{ group: 'networking.k8s.io', version: 'v1', kind: 'NetworkPolicy', plural: 'networkpolicies' },
  scope: 'Namespaced',
})

const peer = { podSelector: { matchLabels: { app: 'x' } } }
const declared = {
  policy: { podSelector: {}, policyTypes: ['Ingress'], ingress: [{ from: [peer], ports: [{ port: 80 }] }] },
  route: { rules: [{ host: 'a' }], only: {} },
}
const forged = {
  policy: {
    ...{ podSelector: { matchLabels: { nothing: 'matches' } }, policyTypes: ['Ingress'] },
    ingress: [{ from: [{ ...peer, namespaceSelector: {} }], ports: [{ port: 80 }] }],
  },
  rules: { rules: [{ host: 'a', path: '/' }], only: {} },
  weight: { rules: [{ host: 'a', weight: 5 }], only: {} },
  only: { rules: [{ host: 'a' }], only: { name: 'forged' } },
}

const tenant = (resyncMs?: number) =>
  defineController<TenantSpec, StatusWithConditions, undefined>(Tenant, {
    owns: [NetworkPolicy, { resource: Route, hasStatus: false }],
    ...(resyncMs === undefined ? {} : { resyncMs }),
    desired: (_chart, { object: { spec } }) => [
      {
        ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', spec: declared.policy },
        metadata: { name: 'deny', namespace: spec.namespace },
      },
      {
        ...{ apiVersion: 'example.com/v1', kind: 'Route', spec: declared.route },
        metadata: { name: 'main', namespace: spec.namespace, annotations: { note: spec.note ?? '' } },
      },
    ],
    status: () => ({ fields: {}, conditions: [] }),
  })

let cluster: TestCluster
let operator: TestOperator
/** The namespace of the Tenant; its children are in b. */
let home: string
afterEach(() => cluster.stop())

async function settleIn(namespace: string, resyncMs?: number): Promise<void> {
  home = namespace
  cluster = await startCluster({
    definitions: [definitionOf('Tenant', tenantSpec), definitionOf('Route', routeSpec)],
  })
  await cluster.create(Namespace, { metadata: { name: 'b' } })
  operator = cluster.run(tenant(resyncMs))
  await cluster.create(Tenant, { metadata: { name: 'a', namespace: home }, spec: { namespace: 'b' } })
  await cluster.advance(30_000)
}

async function childOf(resource: Resource): Promise<LiveObject> {
  const live = await cluster.find(resource, resource === Route ? 'b/main' : 'b/deny')
  if (live === undefined) throw new Error(`no ${resource.kind}`)
  return live
}

async function forge(resource: Resource, spec: object): Promise<void> {
  const { apiVersion, kind, metadata } = await childOf(resource)
  const { name, namespace, labels, annotations, ownerReferences, managedFields = [] } = metadata
  const owners = ownerReferences === undefined ? {} : { ownerReferences }
  const body = { apiVersion, kind, metadata: { name, namespace, labels, annotations, ...owners }, spec }
  const options = { fieldManager: managedFields[0]?.manager ?? '', force: true }
  await cluster.clientOf('user-of-b').apply(resource, body as never, options, new AbortController().signal)
}

const conditionOf = (type: string) => cluster.condition(Tenant, `${home}/a`, type)
const specOf = async (resource: Resource) => (await childOf(resource))['spec']
const ask = (token: string) =>
  cluster.patch(Tenant, `${home}/a`, { metadata: { annotations: { 'konverge.dev/reconcile-now': token } } })
const writesSince = (before: number) =>
  cluster
    .requests()
    .slice(before)
    .filter(({ verb, userAgent }) => verb !== 'watch' && verb !== 'list' && !userAgent.includes('user-of-b'))

const places = [
  { title: 'at home', namespace: 'b' },
  { title: 'in another namespace', namespace: 'default' },
]

describe.each(places)('a child $title, applied by a user under the operator’s manager', ({ namespace }) => {
  it.each([
    { title: 'the selectors of a NetworkPolicy', resource: NetworkPolicy, spec: forged.policy },
    { title: 'a field of an item of a list', resource: Route, spec: forged.rules },
    { title: 'another value than the default', resource: Route, spec: forged.weight },
  ])('is applied again at once if $title differs from the last response', async ({ resource, spec }) => {
    await settleIn(namespace)
    const before = await specOf(resource)
    await forge(resource, spec)
    await cluster.advance(30_000)
    expect(await specOf(resource)).toEqual(before)
    expect(await conditionOf('Ready')).toMatchObject({ status: 'True' })
  })

  it('is applied again if the operator has only read it since its start', async () => {
    await settleIn(namespace)
    await operator.stop()
    operator = cluster.run(tenant())
    await cluster.advance(30_000)
    const before = await specOf(Route)
    await forge(Route, forged.rules)
    await cluster.advance(30_000)
    expect(await specOf(Route)).toEqual(before)
  })

  it.each([
    { title: 'a field of an item of a list', resource: Route, spec: forged.rules },
    { title: 'an atomic map that is declared empty', resource: Route, spec: forged.only },
  ])('while no operator ran, is verified by reconcile-now: $title', async ({ resource, spec }) => {
    await settleIn(namespace)
    const before = await specOf(resource)
    await operator.stop()
    await forge(resource, spec)
    operator = cluster.run(tenant())
    await cluster.advance(30_000)
    await ask('1')
    await cluster.advance(30_000)
    expect(await specOf(resource)).toEqual(before)
  })

  it('while no operator ran, is verified by a reconcile-now of that time', async () => {
    await settleIn(namespace)
    const before = await specOf(Route)
    await operator.stop()
    await forge(Route, forged.rules)
    await ask('1')
    operator = cluster.run(tenant())
    await cluster.advance(30_000)
    expect(await specOf(Route)).toEqual(before)
  })

  it('while no operator ran, is verified at the next resync', async () => {
    await settleIn(namespace, 60_000)
    const before = await specOf(Route)
    await operator.stop()
    await forge(Route, forged.rules)
    operator = cluster.run(tenant(60_000))
    await cluster.advance(90_000)
    expect(await specOf(Route)).toEqual(before)
  })

  it('while no operator ran, is applied at once if nothing can be a default', async () => {
    await settleIn(namespace)
    const before = await specOf(NetworkPolicy)
    await operator.stop()
    await forge(NetworkPolicy, forged.policy)
    operator = cluster.run(tenant())
    await cluster.advance(30_000)
    expect(await specOf(NetworkPolicy)).toEqual(before)
  })
})

describe('a child with defaults inside an atomic value', () => {
  it('needs no request when in sync and after a restart', async () => {
    await settleIn('default')
    let before = cluster.requests().length
    await cluster.patch(Tenant, 'default/a', { metadata: { annotations: { look: 'again' } } })
    await cluster.advance(600_000)
    expect(writesSince(before)).toEqual([])
    await operator.stop()
    before = cluster.requests().length
    operator = cluster.run(tenant())
    await cluster.advance(600_000)
    expect(
      writesSince(before).filter(({ resource }) => resource === 'routes' || resource === 'networkpolicies'),
    ).toEqual([])
  })

  it('is applied once for each reconcile-now and resync, without a change or a field fight', async () => {
    await settleIn('default', 60_000)
    const { resourceVersion } = (await childOf(Route)).metadata
    const before = cluster.requests().length
    await cluster.advance(600_000)
    const applies = writesSince(before)
    expect(applies.length).toBeGreaterThanOrEqual(8)
    expect(applies.length).toBeLessThanOrEqual(10)
    expect([...new Set(applies.map(({ verb, resource }) => `${verb} ${resource}`))]).toEqual(['patch routes'])
    for (const token of ['1', '2', '3', '4', '5']) {
      await ask(token)
      await cluster.advance(5_000)
    }
    expect((await childOf(Route)).metadata.resourceVersion).toBe(resourceVersion)
    expect(await conditionOf('Ready')).toMatchObject({ status: 'True' })
  })
})

describe('an immutable child', () => {
  it('keeps its fields when a reconcile-now requests a verification', async () => {
    await settleIn('b')
    await operator.stop()
    await forge(Route, forged.rules)
    const immutable = { rule: 'self == oldSelf', reason: 'FieldValueForbidden', message: 'spec is immutable' }
    const { spec } = definitionOf('Route', { ...routeSpec, 'x-kubernetes-validations': [immutable] })
    await cluster.patch(CustomResourceDefinition, 'routes.example.com', { spec })
    operator = cluster.run(tenant())
    await cluster.advance(30_000)
    await ask('1')
    await cluster.advance(60_000)
    expect(cluster.requests().filter(({ resource, code }) => resource === 'routes' && code === 422)).toHaveLength(1)
    expect(await conditionOf('Degraded')).toMatchObject({ status: 'False' })
  })
})

describe.each(places)('a child $title that a user forges repeatedly', ({ namespace }) => {
  it('pauses after three rounds, and Degraded names the field', async () => {
    await settleIn(namespace)
    for (let round = 0; round < 4; round++) {
      await forge(Route, { rules: [{ host: 'a', path: `/${round}` }], only: {} })
      await cluster.advance(10_000)
    }
    expect(await conditionOf('Degraded')).toMatchObject({
      status: 'True',
      reason: 'NotConverging',
      message: expect.stringContaining('spec.rules[0].path'),
    })
  })
})
