// Two clusters on embedded API servers: resources in one, their children in another. A Page declares a ConfigMap with
// its text and, with a note, a second one after it. A Leaflet declares one in its own cluster.
import { ApiObject } from 'cdk8s'
import { onTestFinished } from 'vitest'
import { silentInstruments } from '../../src/base/instrument.ts'
import { seededRandom, seededSecrets } from '../../src/base/random.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import type { Fence } from '../../src/kube/fence.ts'
import { ConfigMap } from '../../src/object/built-in.ts'
import type { LiveObject, StatusWithConditions } from '../../src/object/object.ts'
import { defineResource, type Resource } from '../../src/object/resource.ts'
import { Operator } from '../../src/operator/operator.ts'
import { type Controller, type ControllerOptions, defineController } from '../../src/reconcile/definition.ts'
import { HealthRegistry } from '../../src/telemetry/health.ts'
import { startCluster, type TestCluster, type TestClusterOptions } from '../../src/testing/index.ts'

export interface PageSpec {
  readonly text: string
  readonly note?: string
}

const group = 'example.dev'

const kind = { group, version: 'v1', scope: 'Namespaced' } as const
export const Page = defineResource<PageSpec, StatusWithConditions>({ ...kind, kind: 'Page', plural: 'pages' })
export const Leaflet = defineResource<PageSpec, StatusWithConditions>({ ...kind, kind: 'Leaflet', plural: 'leaflets' })

const text = { type: 'string' }
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

export const pageDefinitions = [Page, Leaflet].map(({ kind, plural }) => ({
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase() },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { text, note: text } },
              status: {
                type: 'object',
                properties: {
                  observedGeneration: { type: 'integer' },
                  conditions: { type: 'array', items: open },
                  inventory: {
                    type: 'array',
                    maxItems: 1000,
                    items: {
                      type: 'object',
                      required: ['kind', 'name', 'tokenDigest'],
                      properties: { kind: text, namespace: text, name: text, cluster: text, tokenDigest: text },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
}))

type PageOptions = ControllerOptions<PageSpec, StatusWithConditions, undefined>

export function pageController(over: Partial<PageOptions> = {}): Controller {
  return defineController<PageSpec, StatusWithConditions, undefined>(Page, {
    owns: [ConfigMap],
    childrenIn: 'edge',
    desired: (chart, { object: { metadata, spec } }) => {
      const map = (leaf: string, data: object) =>
        new ApiObject(chart, leaf, { ...configMap, metadata: { name: `${metadata.name}-${leaf}` }, data })
      const first = map('text', { text: spec.text })
      if (spec.note !== undefined) map('note', { note: spec.note }).node.addDependency(first)
    },
    status: () => ({ fields: {}, conditions: [] }),
    ...over,
  })
}

export function leafletController(): Controller {
  return defineController<PageSpec, StatusWithConditions, undefined>(Leaflet, {
    owns: [ConfigMap],
    desired: (chart, { object: { metadata, spec } }) => {
      const name = `${metadata.name}-leaflet`
      new ApiObject(chart, 'text', { ...configMap, metadata: { name }, data: { text: spec.text } })
    },
    status: () => ({ fields: {}, conditions: [] }),
  })
}

const configMap = { apiVersion: 'v1', kind: 'ConfigMap' }

/** Starts a cluster for children, with distinct UIDs. Stops with the test. */
export async function startEdge(
  options: Pick<TestClusterOptions, 'seed' | 'clock' | 'definitions' | 'rights'> = {},
): Promise<TestCluster> {
  const edge = await startCluster({ seed: 10, ...options })
  onTestFinished(() => edge.stop())
  return edge
}

/** Starts a cluster for resources. Stops with the test, before its `clusters`. */
export async function startHome(
  clusters: Readonly<Record<string, TestCluster>>,
  options: Pick<TestClusterOptions, 'seed' | 'definitions' | 'rights'> = {},
): Promise<TestCluster> {
  const home = await startCluster({ seed: 2, clusters, definitions: pageDefinitions, ...options })
  onTestFinished(() => home.stop())
  return home
}

export function page(spec: PageSpec, name = 'a') {
  return { metadata: { name }, spec: { ...spec } }
}

export interface Connections {
  readonly client: KubeClient
  readonly clusters: Readonly<Record<string, KubeClient>>
  readonly controller?: Controller
  readonly health?: HealthRegistry
  readonly fence?: Fence
}

/** Runs an operator over connections of the test. Stops with the test, or earlier. */
export function runOperator(home: TestCluster, connections: Connections): { stop(): Promise<void> } {
  const { clock } = home
  const { controller = pageController(), health = new HealthRegistry(), ...clients } = connections
  const operator = new Operator({
    name: 'operator',
    clock,
    random: seededRandom(5),
    secrets: seededSecrets(5),
    instruments: silentInstruments,
    health,
    controllers: [controller],
    ...clients,
  })
  const stop = new AbortController()
  const ended = operator.run(stop.signal)
  const end = async () => {
    stop.abort()
    await clock.advance(15_000)
    await ended
  }
  onTestFinished(end)
  return { stop: end }
}

/** Returns the names of the ConfigMaps of controllers. */
export async function textsIn(cluster: TestCluster): Promise<readonly string[]> {
  return (await childrenIn(cluster)).map(({ metadata: { name } }) => name)
}

export async function childrenIn(cluster: TestCluster): Promise<readonly LiveObject[]> {
  return (await cluster.list(ConfigMap)).filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
}

/** Makes every request of controllers fail, as if the cluster were unreachable. Returns a function that ends this. */
export function cutOff(cluster: TestCluster): () => void {
  return cluster.faults.add({ fault: { kind: 'cut', when: 'before' } })
}

/** Returns status and reason of Ready, e.g. `False/ClusterUnreachable`. */
export async function readinessOf(home: TestCluster, resource: Resource = Page): Promise<string> {
  const condition = await home.condition(resource, 'default/a', 'Ready')
  return `${condition?.status}/${condition?.reason}`
}
