// A kind for tests of ownership: a Bundle lists the very objects it wants, and which policies hold for them. So a test says
// in the spec what a controller would say in constructs.
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiObject } from 'cdk8s'
import {
  ConfigMap,
  type Controller,
  CronJob,
  contribute,
  type Dependents,
  Deployment,
  defineController,
  defineResource,
  initialOnly,
  PersistentVolumeClaim,
  recreateOnChange,
  Secret,
  Service,
  StatefulSet,
  type StatusWithConditions,
  shared,
} from '../../src/index.ts'
import type { ControlPlaneClient } from '../control-plane/control-plane-client.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { OperatorHere } from './operator-here.ts'

export interface BundledObject {
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly [field: string]: unknown }
  readonly shared?: readonly string[]
  readonly initialOnly?: readonly string[]
  readonly recreate?: Dependents
  readonly contribute?: boolean
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
    }
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
    modes: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, on: { type: 'boolean', default: true } } },
    },
  },
}

export async function installBundles(cluster: ControlPlaneClient): Promise<void> {
  await cluster.apply(
    definition('Bundle', 'bundles', { spec: anything, status: anything }),
    definition('Pruned', 'pruneds', { spec: pruned }),
  )
  for (const plural of ['bundles', 'pruneds']) {
    const wait = ['wait', '--for=condition=Established', '--timeout=60s', `crd/${plural}.test.konverge.dev`]
    const { exitCode, stderr } = await cluster.kubectl(...wait)
    if (exitCode !== 0) throw new Error(stderr)
  }
}

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** One namespace and the bundles in it. */
export class Bundles {
  readonly #cluster: ControlPlaneClient
  readonly namespace: string

  constructor(cluster: ControlPlaneClient, namespace: string) {
    this.#cluster = cluster
    this.namespace = namespace
  }

  async createNamespace(): Promise<void> {
    await this.#cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } })
  }

  /** Resolves when it takes turns for this namespace. */
  async startOperator(): Promise<OperatorHere> {
    const kubeconfig = this.#cluster.connection.kubeconfigPath
    return await new OperatorHere({ kubeconfig, controllers: [bundles], namespaces: [this.namespace] }).ready()
  }

  /** Writes the bundle; its whole spec is what is given. */
  async want(name: string, ...objects: readonly BundledObject[]): Promise<void> {
    await this.#cluster.apply({
      apiVersion: 'test.konverge.dev/v1',
      kind: 'Bundle',
      metadata: { name, namespace: this.namespace },
      spec: { objects },
    })
  }

  async kubectl(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await this.#cluster.kubectl('-n', this.namespace, ...args)
    if (exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  /** `kubectl <verb> -f` of an object, with more arguments after it. */
  async send(verb: 'apply' | 'create' | 'replace', object: object, ...args: readonly string[]): Promise<void> {
    const file = join(this.#cluster.folder, `${randomUUID()}.json`)
    await writeFile(file, JSON.stringify(object))
    await this.kubectl(verb, '-f', file, ...args)
  }

  async live(kind: string, name: string): Promise<LiveJson | undefined> {
    const text = await this.kubectl('get', kind, name, '-o', 'json', '--show-managed-fields', '--ignore-not-found')
    return text === '' ? undefined : (JSON.parse(text) as LiveJson)
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    await waitUntil({ what, limitMs: 60_000, everyMs: 200 }, isSo)
  }

  /** Waits until the condition of the bundle has this reason, for its newest spec; then gives its message. */
  async condition(name: string, type: string, reason: string): Promise<string> {
    let message = ''
    await this.until(`${name} to have ${type} for ${reason}`, async () => {
      const bundle = await this.live('bundles', name)
      const status = bundle?.status as { observedGeneration?: number; conditions?: readonly Condition[] } | undefined
      const found = status?.conditions?.find((condition) => condition.type === type)
      message = found?.message ?? ''
      return found?.reason === reason && status?.observedGeneration === bundle?.metadata.generation
    })
    return message
  }

  /** Notes of the Events about a bundle with this reason; waits for the first. */
  async notes(name: string, reason: string): Promise<readonly string[]> {
    let notes: readonly string[] = []
    await this.until(`an Event ${reason} about ${name}`, async () => {
      const text = await this.kubectl('get', 'events.events.k8s.io', '-o', 'json')
      const { items } = JSON.parse(text) as {
        items: readonly { reason: string; note: string; regarding: { name: string } }[]
      }
      notes = items.filter((event) => event.reason === reason && event.regarding.name === name).map(({ note }) => note)
      return notes.length > 0
    })
    return notes
  }
}

export interface LiveJson {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
    readonly generation?: number
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[]
    readonly managedFields?: readonly {
      readonly manager: string
      readonly operation: string
      readonly fieldsV1: object
    }[]
  }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: unknown
}
