// Empty values that a controller declares for children of built-in kinds, and edits of these values by users, on the
// embedded server.
import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { addObject, objectOf } from '../../src/index.ts'
import { ConfigMap, Deployment, Event, Pod, Service, ServiceAccount } from '../../src/object/built-in.ts'
import type { LiveObject, StatusWithConditions } from '../../src/object/object.ts'
import { defineResource, type Resource } from '../../src/object/resource.ts'
import { defineController } from '../../src/reconcile/definition.ts'
import { startCluster, type TestCluster, type TestOperator } from '../../src/testing/index.ts'
import { definitionOf, Shop, type TextSpec } from './sharing-controllers.ts'

const NetworkPolicy = defineResource({
  ...{ group: 'networking.k8s.io', version: 'v1', kind: 'NetworkPolicy', plural: 'networkpolicies' },
  scope: 'Namespaced',
})

const emptyContainer = {
  ...{ args: [], command: [], envFrom: [], stdin: false, securityContext: { capabilities: { add: [], drop: [] } } },
}
const emptyPod = {
  ...{ tolerations: [], nodeSelector: {}, hostNetwork: false, hostPID: false },
  securityContext: { sysctls: [], supplementalGroups: [] },
}
const container = { name: 'app', image: 'app:1' }
const template = (pod: JsonObject, fields: JsonObject) => ({
  metadata: { labels: { app: 'a' } },
  spec: { ...pod, containers: [{ ...container, ...fields }] },
})

const metadata = { name: 'a' }
const policySpec = { podSelector: {}, policyTypes: ['Ingress' as const], ingress: [], egress: [] }
const serviceSpec = {
  ...{ ports: [{ port: 80 }], selector: {}, externalIPs: [], loadBalancerSourceRanges: [], ipFamilies: [] },
  publishNotReadyAddresses: false,
}
const pod = { ...emptyPod, imagePullSecrets: [], containers: [{ ...container, ...emptyContainer, resizePolicy: [] }] }
const children = [
  objectOf(NetworkPolicy, { metadata, spec: policySpec }),
  objectOf(Service, { metadata, spec: serviceSpec }),
  objectOf(ServiceAccount, { metadata, imagePullSecrets: [], secrets: [] }),
  objectOf(ConfigMap, { metadata, data: {}, binaryData: {} }),
  objectOf(Pod, { metadata, spec: pod }),
  objectOf(Deployment, {
    metadata,
    spec: {
      ...{ replicas: 0, paused: false, strategy: {}, selector: { matchLabels: { app: 'a' } } },
      template: template(emptyPod, emptyContainer),
    },
  }),
]

const shops = defineController<TextSpec, StatusWithConditions, undefined>(Shop, {
  owns: [NetworkPolicy, Service, ServiceAccount, ConfigMap, Pod, Deployment],
  desired: (chart) => {
    for (const child of children) addObject(chart, child)
  },
  status: () => ({ fields: {}, conditions: [] }),
})

let cluster: TestCluster
let operator: TestOperator
afterEach(() => cluster.stop())

async function settle(): Promise<void> {
  cluster = await startCluster({ definitions: [definitionOf(Shop)] })
  operator = cluster.run(shops)
  await cluster.create(Shop, { metadata: { name: 'a' }, spec: { text: 'x' } })
  await cluster.advance(60_000)
}

async function childOf(resource: Resource): Promise<LiveObject> {
  const live = await cluster.find(resource, 'a')
  if (live === undefined) throw new Error(`there is no ${resource.kind}`)
  return live
}

/** Returns the object without fields that a write changes. */
function withoutBookkeeping({ metadata: _, status: __, ...content }: LiveObject): object {
  return content
}

const contentOf = async (resource: Resource) => withoutBookkeeping(await childOf(resource))

async function edit(resource: Resource, body: JsonObject): Promise<void> {
  const [at, signal] = [{ namespace: 'default', name: 'a' }, new AbortController().signal]
  await cluster.client.patch(resource, at, { type: 'merge', body }, { fieldManager: 'ann' }, signal)
}

const writes = async (ms: number) =>
  (await cluster.requestsDuring(ms)).filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
const reasonsOfEvents = async () => (await cluster.list(Event)).map((event) => event['reason'])
const fieldsOwned = async (resource: Resource) =>
  (await childOf(resource)).metadata.managedFields?.find(({ operation }) => operation === 'Apply')?.fieldsV1

const inPod = (pod: JsonObject) => ({ spec: { template: { spec: pod } } })
const inContainer = (fields: JsonObject) => inPod({ containers: [{ ...container, ...fields }] })

const edits: readonly (readonly [string, Resource, JsonObject])[] = [
  ['ingress of a NetworkPolicy', NetworkPolicy, { spec: { ingress: [{}] } }],
  ['egress of a NetworkPolicy', NetworkPolicy, { spec: { egress: [{}] } }],
  ['externalIPs of a Service', Service, { spec: { externalIPs: ['192.0.2.1'] } }],
  ['selector of a Service', Service, { spec: { selector: { app: 'b' } } }],
  ['publishNotReadyAddresses', Service, { spec: { publishNotReadyAddresses: true } }],
  ['imagePullSecrets of a ServiceAccount', ServiceAccount, { imagePullSecrets: [{ name: 'x' }] }],
  ['args', Deployment, inContainer({ args: ['--insecure'] })],
  ['command', Deployment, inContainer({ command: ['sh'] })],
  ['envFrom', Deployment, inContainer({ envFrom: [{ secretRef: { name: 'x' } }] })],
  ['stdin', Deployment, inContainer({ stdin: true })],
  ['capabilities.add', Deployment, inContainer({ securityContext: { capabilities: { add: ['SYS_ADMIN'] } } })],
  ['tolerations', Deployment, inPod({ tolerations: [{ operator: 'Exists' }] })],
  ['nodeSelector', Deployment, inPod({ nodeSelector: { disk: 'ssd' } })],
  ['sysctls', Deployment, inPod({ securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced', value: '1' }] } })],
  ['supplementalGroups', Deployment, inPod({ securityContext: { supplementalGroups: [0] } })],
  ['hostNetwork', Deployment, inPod({ hostNetwork: true })],
  ['hostPID', Deployment, inPod({ hostPID: true })],
  ['paused', Deployment, { spec: { paused: true } }],
]

describe('an empty value that is declared for a child of a built-in kind', () => {
  it('causes no write while it is in sync, neither at reconcile-now nor after a restart', async () => {
    await settle()
    expect(await writes(600_000)).toEqual([])
    const all = [NetworkPolicy, Service, ServiceAccount, ConfigMap, Pod, Deployment]
    const before = await Promise.all(all.map(childOf))
    await operator.stop()
    operator = cluster.run(shops)
    await cluster.advance(60_000)
    expect(await Promise.all(all.map(childOf))).toEqual(before)
    await cluster.patch(Shop, 'a', { metadata: { annotations: { 'konverge.dev/reconcile-now': '1' } } })
    await cluster.advance(60_000)
    expect(await Promise.all(all.map(contentOf))).toEqual(before.map(withoutBookkeeping))
    expect(await reasonsOfEvents()).not.toContain('FieldsTakenBack')
  })

  it.each(edits)('is restored with an Event when a user fills it: %s', async (_, resource, body) => {
    await settle()
    const before = [await contentOf(resource), await fieldsOwned(resource)]
    await edit(resource, body)
    await cluster.advance(60_000)
    expect([await contentOf(resource), await fieldsOwned(resource)]).toEqual(before)
    expect(await reasonsOfEvents()).toContain('FieldsTakenBack')
    expect(await cluster.condition(Shop, 'a', 'Degraded')).toMatchObject({ status: 'False' })
    expect(await writes(600_000)).toEqual([])
  })

  it('is restored when a user fills it while no operator runs', async () => {
    await settle()
    const before = await contentOf(NetworkPolicy)
    await operator.stop()
    await edit(NetworkPolicy, { spec: { ingress: [{}] } })
    operator = cluster.run(shops)
    await cluster.advance(60_000)
    expect(await contentOf(NetworkPolicy)).toEqual(before)
  })

  it.each([
    ['an atomic list', NetworkPolicy, { spec: { ...policySpec, ingress: [{}] } }],
    ['an atomic map', Service, { spec: { ...serviceSpec, selector: { app: 'b' } } }],
  ])(
    'is restored when a user applies another one under the manager of the operator: %s',
    async (_, resource, fields) => {
      await settle()
      const before = await contentOf(resource)
      const { apiVersion, kind, metadata } = await childOf(resource)
      const { name, namespace, labels, annotations, ownerReferences, managedFields = [] } = metadata
      const owners = ownerReferences === undefined ? {} : { ownerReferences }
      const body = { apiVersion, kind, metadata: { name, namespace, labels, annotations, ...owners }, ...fields }
      const options = { fieldManager: managedFields[0]?.manager ?? '', force: true }
      await cluster.clientOf('ann').apply(resource, body as never, options, new AbortController().signal)
      await cluster.advance(60_000)
      expect(await contentOf(resource)).toEqual(before)
    },
  )

  it.each<[string, Resource, JsonObject]>([
    ['data of a ConfigMap', ConfigMap, { data: { theirs: 'x' } }],
    ['secrets of a ServiceAccount', ServiceAccount, { secrets: [{ name: 'theirs' }] }],
  ])('keeps additions of others to a map or list that is owned by entries: %s', async (_, resource, body) => {
    await settle()
    await edit(resource, body)
    expect(await writes(600_000)).toEqual([])
    expect(await contentOf(resource)).toMatchObject(body)
  })
})
