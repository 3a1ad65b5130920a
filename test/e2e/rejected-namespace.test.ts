// Spec that moves a child into a namespace where the operator has no rights, on the embedded server. After the
// correction of the spec the resource is Ready again.
import { ApiObject } from 'cdk8s'
import { afterEach, expect, it } from 'vitest'
import {
  ConfigMap,
  defineController,
  defineResource,
  findCondition,
  type KubeObject,
  Namespace,
  type StatusWithConditions,
} from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { at } from '../model-api.ts'
import { kindOf } from './story-kinds.ts'

const Tenant = defineResource<{ readonly targetNamespace: string }, StatusWithConditions>({
  ...{ group: 'example.dev', version: 'v1', kind: 'Tenant', plural: 'tenants', scope: 'Namespaced' },
})
const definitionWith = (schema: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'tenants.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { kind: 'Tenant', plural: 'tenants', singular: 'tenant' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: 'object', ...schema } },
      },
    ],
  },
})
const anything = { 'x-kubernetes-preserve-unknown-fields': true }
const definition = definitionWith(anything)
const tenant = defineController(Tenant, {
  owns: [ConfigMap],
  desired: (chart, { object: { metadata, spec } }) =>
    void new ApiObject(chart, 'map', {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { note: 'x' } },
      metadata: { name: `tenant-${metadata.name}`, namespace: spec.targetNamespace },
    }),
  status: () => ({ fields: {}, conditions: [] }),
})

const user = 'tenants'
const rule = (group: string, resources: readonly string[], verbs: readonly string[]) => ({
  ...{ apiGroups: [group], resources, verbs },
})
const writes = ['get', 'create', 'patch', 'delete']
let cluster: TestCluster
afterEach(() => cluster.stop())

/** Grants rights on Tenants everywhere and on ConfigMaps in `games` only; a cache may list ConfigMaps everywhere. */
async function start(): Promise<void> {
  const tenants = rule('example.dev', ['tenants', 'tenants/status'], ['*'])
  const rights = [tenants, rule('', ['configmaps'], ['list', 'watch']), rule('', ['events'], ['*'])]
  cluster = await startCluster({ definitions: [definition], user, rights })
  for (const name of ['shop', 'games', 'reports']) await cluster.create(Namespace, { metadata: { name } })
  await grantIn('games')
  cluster.run(tenant)
  await cluster.create(Tenant, { metadata: { name: 'a', namespace: 'shop' }, spec: { targetNamespace: 'games' } })
  await cluster.settle()
  expect(await ready()).toBe('True')
}

async function grantIn(namespace: string): Promise<void> {
  const metadata = { name: user, namespace }
  await cluster.create(kindOf('Role'), { metadata, rules: [rule('', ['configmaps'], writes)] })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user }
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }]
  await cluster.create(kindOf('RoleBinding'), { metadata, roleRef, subjects })
}

const declare = async (targetNamespace: string) => {
  await cluster.patch(Tenant, 'shop/a', { spec: { targetNamespace } })
  await cluster.clock.advance(60_000)
}
const find = () => cluster.find(Tenant, 'shop/a')
const ready = async () => {
  const { conditions = [] } = ((await find())?.status ?? {}) as StatusWithConditions // The status of a Tenant.
  return findCondition(conditions, 'Ready')?.status
}
const recorded = async () => {
  const entries = at((await find()) as KubeObject, 'status', 'inventory') as readonly { readonly namespace: string }[] // Written by the runtime.
  return entries.map(({ namespace }) => namespace)
}

it('continues in the permitted namespace, and can be deleted', async () => {
  await start()
  await declare('reports')
  expect(await ready()).toBe('False')
  expect(await recorded()).toEqual(['games'])
  await declare('games')
  expect(await ready()).toBe('True')
  await cluster.patch(ConfigMap, 'games/tenant-a', { data: { note: 'drifted' } })
  await cluster.clock.advance(1_000)
  expect(await cluster.find(ConfigMap, 'games/tenant-a')).toMatchObject({ data: { note: 'x' } })
  await cluster.delete(Tenant, 'shop/a')
  await cluster.clock.advance(60_000)
  expect(await find()).toBeUndefined()
  expect(await cluster.find(ConfigMap, 'games/tenant-a')).toBeUndefined()
})

it('is not written repeatedly when its CRD has no status.inventory', async () => {
  const properties = { spec: { type: 'object', ...anything }, status: { type: 'object' } }
  cluster = await startCluster({ definitions: [definitionWith({ properties })] })
  cluster.run(tenant)
  await cluster.create(Tenant, { metadata: { name: 'a' }, spec: { targetNamespace: 'kube-public' } })
  await cluster.clock.advance(1_000)
  expect(cluster.requests().filter(({ verb }) => verb === 'patch').length).toBeLessThan(10)
})

it('moves there once the right is granted', async () => {
  await start()
  await declare('reports')
  await grantIn('reports')
  await cluster.clock.advance(600_000)
  expect(await ready()).toBe('True')
  expect(await recorded()).toEqual(['reports'])
  expect(await cluster.find(ConfigMap, 'games/tenant-a')).toBeUndefined()
})
