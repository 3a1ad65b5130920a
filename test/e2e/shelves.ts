// Small kind for tests of the inventory, and two versions of its operator. Version 1 creates children of every sort: in
// the same namespace, in another one, at cluster scope, one to retain, and a PersistentVolumeClaim. Version 2 creates
// neither Secrets nor StorageClasses.
import { ApiObject, type Chart } from 'cdk8s'
import {
  ConfigMap,
  type Controller,
  defineController,
  defineResource,
  PersistentVolumeClaim,
  retain,
  Secret,
  Service,
  type StatusWithConditions,
  StorageClass,
} from '../../src/index.ts'
import { secretText } from '../taint/secret-text.ts'
import { Hand } from './hand.ts'
import type { StoryOperator, StoryServer } from './story-server.ts'

export const homeNamespace = 'inventory-home'
export const farNamespace = 'inventory-far'

const shelfDefinition = {
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
        stringData: { a: secretText('b') },
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

export function shelfObject(name: string) {
  return { apiVersion: 'inventory.example.dev/v1', kind: 'Shelf', metadata: { name }, spec: {} }
}

/** Applies the definition and the two namespaces. */
export async function installShelves(server: StoryServer): Promise<void> {
  const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  await server.apply(shelfDefinition, namespace(homeNamespace), namespace(farNamespace))
  const path = '/apis/inventory.example.dev/v1/shelves'
  const isServed = async () => (await server.request({ method: 'GET', path })).status === 200
  await server.until({ what: 'shelves to be served' }, isServed)
}

/**
 * Removes the finalizers by hand, because no operator runs any more; then deletes the definition and the namespaces.
 */
export async function removeShelves(server: StoryServer): Promise<void> {
  const home = new Hand(server, homeNamespace)
  for (const { metadata } of await home.list('shelf'))
    await home.patch('shelf', metadata.name, { metadata: { finalizers: null } })
  await home.delete('crd', shelfDefinition.metadata.name)
  for (const namespace of [homeNamespace, farNamespace]) await home.delete('namespace', namespace)
}

/** Starts the operator as administrator; resolves when it works. */
export function startShelves(server: StoryServer, controller: Controller, userAgent: string): Promise<StoryOperator> {
  return server.startControllers({ controllers: [controller], userAgent, backoff: { baseMs: 1_000, capMs: 5_000 } })
}

/** Creates a Shelf; waits until version 1 has created all its children. */
export async function makeShelf(server: StoryServer, name: string): Promise<void> {
  const [home, far] = [new Hand(server, homeNamespace), new Hand(server, farNamespace)]
  await home.apply(shelfObject(name))
  await server.until({ what: `the children of ${name}`, everyMs: 200 }, async () => {
    const made = await Promise.all([
      home.find('secret', `${name}-login`),
      home.find('secret', `${name}-kept`),
      far.find('secret', `${name}-far`),
      home.find('storageclass', `${name}-disk`),
      home.find('pvc', `${name}-data`),
      home.find('service', name),
      home.find('configmap', `${name}-pages`),
    ])
    return !made.includes(undefined)
  })
}
