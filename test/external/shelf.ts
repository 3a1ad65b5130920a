// Kind with a box outside the cluster and a ConfigMap inside: the smallest kind with all features of Externals.
import { ApiObject } from 'cdk8s'
import {
  ConfigMap,
  type Controller,
  type ControllerOptions,
  type DesiredExternal,
  defineController,
  defineExternal,
  defineResource,
  type ExternalContext,
  type ExternalRecord,
  type LiveObject,
  reportOf,
  type StatusWithConditions,
} from '../../src/index.ts'
import type { TestCluster } from '../../src/testing/index.ts'
import type { BoxWish, RemoteWorld } from './remote-world.ts'

export interface ShelfSpec {
  readonly size: number
  readonly name?: string
  readonly adopts?: boolean
  readonly driftPolicy?: 'Correct' | 'Report'
  readonly recreatesIfMissing?: boolean
  /** Precondition of the box. */
  readonly waitsFor?: string
  readonly isEmpty?: boolean
  readonly removal?: 'keep' | 'blocked'
}

export interface ShelfStatus extends StatusWithConditions {
  readonly boxes?: string
  readonly external?: readonly ExternalRecord[]
}

export const Shelf = defineResource<ShelfSpec, ShelfStatus>({
  group: 'example.dev',
  version: 'v1',
  kind: 'Shelf',
  plural: 'shelves',
  scope: 'Namespaced',
})

type Context = ExternalContext<ShelfSpec, ShelfStatus, unknown>

export interface ShelfOptions {
  /** Names of further boxes, after the first. */
  readonly more?: readonly string[]
  readonly cadenceMs?: number
  readonly over?: Partial<ControllerOptions<ShelfSpec, ShelfStatus, unknown>>
}

export function shelfController(
  remote: RemoteWorld,
  { more = [], cadenceMs, over = {} }: ShelfOptions = {},
): Controller {
  const boxes = ['box', ...more].map((name) => boxOf(remote, name, cadenceMs))
  return defineController<ShelfSpec, ShelfStatus, unknown>(Shelf, {
    owns: [ConfigMap],
    external: boxes,
    desired: (chart, { object: { metadata, spec } }) => {
      const data = { size: String(spec.size) }
      new ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: metadata.name }, data })
    },
    status: ({ externals }) => {
      const told = externals.map(({ name, state, reason }) => `${name} ${state}/${reason}`)
      const sizes = boxes.map((box) => reportOf(box, externals)?.observed?.size ?? '-')
      return { fields: { boxes: `${told.join(', ')} (${sizes.join(', ')})` }, conditions: [] }
    },
    ...over,
  })
}

function boxOf(remote: RemoteWorld, name: string, cadenceMs: number | undefined) {
  const nameOf = ({ metadata, spec }: Context['object']) => `${spec.name ?? metadata.name}-${name}`
  return defineExternal({
    name,
    ...(cadenceMs === undefined ? {} : { cadenceMs }),
    driver: (tools) => remote.driver(tools),
    desired: ({ object }: Context): DesiredExternal<BoxWish> => {
      const { size, isEmpty = false, waitsFor, name: _, removal: __, ...policies } = object.spec
      if (isEmpty) return { kind: 'none' }
      if (waitsFor !== undefined) {
        return { kind: 'blocked', reason: 'Waiting', message: `the ${name} waits for ${waitsFor}` }
      }
      return { kind: 'wanted', externalName: nameOf(object), desired: { size }, ...policies }
    },
    removal: ({ object }) => {
      const { removal, size } = object.spec
      if (removal === 'keep') return { kind: 'keep', note: 'its policy is to stay' }
      if (removal === 'blocked') return { kind: 'blocked', reason: 'InUse', message: `somebody uses the ${name}` }
      return { kind: 'remove', externalName: nameOf(object), desired: { size } }
    },
  })
}

const text = { type: 'string' }
const whole = { type: 'integer', format: 'int64' }
const condition = {
  type: 'object',
  properties: {
    type: text,
    status: text,
    reason: text,
    message: text,
    lastTransitionTime: text,
    observedGeneration: whole,
  },
}
const token = { type: 'object', required: ['uid', 'generation'], properties: { uid: text, generation: whole } }
const record = {
  type: 'object',
  required: ['name', 'phase', 'externalName', 'token', 'requestedAt'],
  properties: {
    name: text,
    phase: { type: 'string', enum: ['Pending', 'Available', 'Deleting'] },
    externalName: text,
    token,
    requestedAt: { type: 'string', format: 'date-time' },
    providerID: text,
    appliedGeneration: whole,
  },
}

export function shelfDefinition(external: object | 'none' = externalSchema) {
  const status = {
    type: 'object',
    properties: {
      observedGeneration: whole,
      lastHandledReconcileAt: text,
      conditions: { type: 'array', items: condition },
      boxes: text,
      ...(external === 'none' ? {} : { external }),
    },
  }
  const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec, status } } }
  const version = { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'shelves.example.dev' },
    spec: {
      group: 'example.dev',
      names: { kind: 'Shelf', plural: 'shelves', singular: 'shelf', listKind: 'ShelfList' },
      scope: 'Namespaced',
      versions: [version],
    },
  }
}

export const externalSchema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: record,
}

export async function addShelf(cluster: TestCluster, spec: Partial<ShelfSpec> = {}, name = 'a'): Promise<LiveObject> {
  return await cluster.create(Shelf, { metadata: { name, namespace: 'default' }, spec: { size: 1, ...spec } })
}

/** `box available/AsDesired (1)` */
export async function boxesOf(cluster: TestCluster, name = 'a'): Promise<string | undefined> {
  return (await shelfOf(cluster, name))?.status?.boxes
}

export async function shelfOf(
  cluster: TestCluster,
  name = 'a',
): Promise<LiveObject<ShelfSpec, ShelfStatus> | undefined> {
  // The schema of the kind validates all stored objects.
  return (await cluster.find(Shelf, `default/${name}`)) as LiveObject<ShelfSpec, ShelfStatus> | undefined
}
