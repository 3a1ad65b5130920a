// Kind for tests of field ownership. The spec of a Bundle lists its child objects and the policies of each object. So a
// test writes in the spec what a controller declares by constructs.
import { ApiObject } from 'cdk8s'
import {
  ConfigMap,
  type Controller,
  CronJob,
  contribute,
  coOwn,
  type Dependents,
  Deployment,
  defineController,
  defineResource,
  initialOnly,
  keyFor,
  PersistentVolumeClaim,
  recreateOnChange,
  Secret,
  Service,
  StatefulSet,
  type StatusWithConditions,
  shared,
} from '../../src/index.ts'
import { Hand } from './hand.ts'
import type { StoryOperator, StoryServer } from './story-server.ts'

export interface BundledObject {
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly [field: string]: unknown }
  readonly shared?: readonly string[]
  readonly initialOnly?: readonly string[]
  readonly recreate?: Dependents
  readonly contribute?: boolean
  readonly coOwn?: boolean
}

interface BundleSpec {
  readonly objects: readonly BundledObject[]
}

const Bundle = defineResource<BundleSpec, StatusWithConditions>({
  group: 'test.konverge.dev',
  version: 'v1',
  kind: 'Bundle',
  plural: 'bundles',
  scope: 'Namespaced',
})
const of = (group: string, version: string, kind: string, plural: string) =>
  defineResource({ group, version, kind, plural, scope: 'Namespaced' })

export const bundles: Controller = defineController(Bundle, {
  owns: [
    ConfigMap,
    CronJob,
    Deployment,
    Secret,
    Service,
    StatefulSet,
    of('networking.k8s.io', 'v1', 'Ingress', 'ingresses'),
    of('networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies'),
    of('autoscaling', 'v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers'),
    of('discovery.k8s.io', 'v1', 'EndpointSlice', 'endpointslices'),
    { resource: of('test.konverge.dev', 'v1', 'Pruned', 'pruneds'), hasStatus: false },
  ],
  watches: [{ resource: PersistentVolumeClaim, keysFor: (_, lookup) => lookup('all', 'all'), contributes: true }],
  indexes: { all: () => ['all'] },
  desired: (chart, { object: { spec } }) => {
    for (const [index, wish] of spec.objects.entries()) {
      const made = new ApiObject(chart, String(index), wish.object as ConstructorParameters<typeof ApiObject>[2])
      for (const path of wish.shared ?? []) shared(made, path)
      for (const path of wish.initialOnly ?? []) initialOnly(made, path)
      if (wish.recreate !== undefined) recreateOnChange(made, { dependents: wish.recreate })
      if (wish.contribute === true) contribute(made)
      if (wish.coOwn === true) coOwn(made)
    }
  },
  status: () => ({ fields: {}, conditions: [] }),
})

/** Contributes its text as `banner` to the ConfigMap of the same name, which a Bundle owns. */
const Banner = defineResource<{ readonly text: string }, StatusWithConditions>({
  ...{ group: 'test.konverge.dev', version: 'v1', kind: 'Banner', plural: 'banners', scope: 'Namespaced' },
})

export const banners: Controller = defineController(Banner, {
  owns: [],
  watches: [
    {
      resource: ConfigMap,
      keysFor: ({ metadata: { namespace, name } }) => [keyFor(namespace, name)],
      contributes: true,
    },
  ],
  desired: (chart, { object: { metadata, spec } }) => {
    const { name } = metadata
    const lines = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { banner: spec.text } }
    contribute(new ApiObject(chart, 'lines', lines))
  },
  status: () => ({ fields: {}, conditions: [] }),
})

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const definition = (kind: string, plural: string, properties: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.test.konverge.dev` },
  spec: {
    group: 'test.konverge.dev',
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties } },
        subresources: { status: {} },
      },
    ],
  },
})
const pruned = {
  type: 'object',
  properties: {
    size: { type: 'integer', default: 3 },
    quota: { type: 'integer', format: 'int64' },
    quotas: { type: 'array', items: { type: 'integer', format: 'int64' } },
    password: { type: 'string', minLength: 100 },
    modes: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, on: { type: 'boolean', default: true }, note: { type: 'string' } },
      },
    },
  },
}

export async function installBundles(server: StoryServer): Promise<void> {
  await server.apply(
    definition('Bundle', 'bundles', { spec: anything, status: anything }),
    definition('Banner', 'banners', { spec: anything, status: anything }),
    definition('Pruned', 'pruneds', { spec: pruned }),
  )
  for (const plural of ['bundles', 'banners', 'pruneds']) {
    const path = `/apis/test.konverge.dev/v1/${plural}`
    const isServed = async () => (await server.request({ method: 'GET', path })).status === 200
    await server.until({ what: `${plural} to be served` }, isServed)
  }
}

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** One namespace and its Bundles. */
export class Bundles {
  readonly #server: StoryServer
  /** Sends the requests of a user. */
  readonly hand: Hand
  readonly namespace: string

  constructor(server: StoryServer, namespace: string) {
    this.#server = server
    this.hand = new Hand(server, namespace)
    this.namespace = namespace
  }

  async createNamespace(): Promise<void> {
    await this.#server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } })
  }

  /** Starts an operator for this namespace; resolves when it reconciles. */
  async startOperator(): Promise<StoryOperator> {
    const backoff = { baseMs: 500, capMs: 2_000 }
    return this.#server.startControllers({ controllers: [bundles, banners], namespaces: [this.namespace], backoff })
  }

  /** Applies the Bundle with exactly these objects as its spec. */
  async want(name: string, ...objects: readonly BundledObject[]): Promise<void> {
    const bundle = { apiVersion: 'test.konverge.dev/v1', kind: 'Bundle', metadata: { name }, spec: { objects } }
    await this.hand.apply(bundle)
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    await this.#server.until({ what, everyMs: 200 }, isSo)
  }

  /** Waits until the condition has this reason for the newest generation; returns its message. */
  async condition(name: string, type: string, reason: string): Promise<string> {
    let message = ''
    await this.until(`${name} to have ${type} for ${reason}`, async () => {
      const bundle = await this.hand.find('bundles', name)
      const status = bundle?.status as { observedGeneration?: number; conditions?: readonly Condition[] } | undefined
      const found = status?.conditions?.find((condition) => condition.type === type)
      message = found?.message ?? ''
      return found?.reason === reason && status?.observedGeneration === bundle?.metadata.generation
    })
    return message
  }

  /** Waits for the first Event with this reason about a Bundle; returns the notes of all such Events. */
  async notes(name: string, reason: string): Promise<readonly string[]> {
    let notes: readonly string[] = []
    await this.until(`an Event ${reason} about ${name}`, async () => {
      notes = await this.hand.notes(name, reason)
      return notes.length > 0
    })
    return notes
  }

  /** Waits until the operator has reconciled a resource this many times since its start. */
  async turns(operator: StoryOperator, name: string, count: number): Promise<void> {
    await this.until(`${count} turns of ${name}`, async () => turnCount(operator, name) >= count)
  }
}

/** Counts the completed reconciles of a resource since the operator's start. */
export function turnCount({ lines }: StoryOperator, name: string): number {
  return lines.filter((line) => line.msg === 'turn ended' && line['name'] === name).length
}
