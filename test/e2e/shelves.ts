// A small kind for tests of the inventory, and two versions of its operator in this process. Version 1 makes something of every
// sort: at home, in another namespace, in no namespace, to be retained, and a claim; version 2 makes neither Secrets nor
// StorageClasses.
import { ApiObject, type Chart } from 'cdk8s'
import {
  ConfigMap,
  type Controller,
  defineController,
  defineResource,
  PersistentVolumeClaim,
  retain,
  runOperator,
  Secret,
  Service,
  type StatusWithConditions,
  StorageClass,
} from '../../src/index.ts'

export const homeNamespace = 'inventory-home'
export const farNamespace = 'inventory-far'

export const shelfDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'shelves.inventory.example.dev',
    labels: { 'applyset.kubernetes.io/is-parent-type': 'true' },
  },
  spec: {
    group: 'inventory.example.dev',
    scope: 'Namespaced',
    names: { kind: 'Shelf', plural: 'shelves', singular: 'shelf' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

const Shelf = defineResource<object, StatusWithConditions>({
  group: 'inventory.example.dev',
  version: 'v1',
  kind: 'Shelf',
  plural: 'shelves',
  scope: 'Namespaced',
})

export const versionOne: Controller = defineController(Shelf, {
  owns: [ConfigMap, Service, PersistentVolumeClaim, Secret, { resource: StorageClass, hasStatus: false }],
  desired: (chart, { object: { metadata } }) => {
    const { name } = metadata
    makeTheRest(chart, name)
    const secret = (leaf: string, more = {}) =>
      new ApiObject(chart, leaf, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${name}-${leaf}`, ...more },
        stringData: { a: 'b' },
      })
    secret('login')
    secret('far', { namespace: farNamespace })
    retain(secret('kept'))
    new ApiObject(chart, 'disk', {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: `${name}-disk` },
      provisioner: 'inventory.example.dev/none',
    })
  },
  status: () => ({ fields: {}, conditions: [] }),
})

export const versionTwo: Controller = defineController(Shelf, {
  owns: [ConfigMap, Service, PersistentVolumeClaim],
  desired: (chart, { object: { metadata } }) => makeTheRest(chart, metadata.name),
  status: () => ({ fields: {}, conditions: [] }),
})

function makeTheRest(chart: Chart, name: string): void {
  const pages = new ApiObject(chart, 'pages', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-pages` },
    data: { a: 'b' },
  })
  const service = new ApiObject(chart, 'service', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { shelf: name }, ports: [{ port: 80 }] },
  })
  service.addDependency(pages)
  new ApiObject(chart, 'data', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: `${name}-data` },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
  })
}

/** An operator in this process; `stop` resolves when it has ended, and rejects with what ended it before. */
export class ShelfOperator {
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>

  constructor(kubeconfig: string, controller: Controller, userAgent: string) {
    this.#ended = runOperator(
      {
        controllers: [controller],
        environment: {},
        output: { write: () => true },
        userAgent,
        kubeconfig,
        backoff: { baseMs: 1_000, capMs: 5_000 },
        http: { host: '127.0.0.1', port: 0 },
      },
      this.#stop.signal,
    )
    // Told by stop.
    this.#ended.catch(() => {})
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }
}
