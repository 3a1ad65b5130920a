// Kinds of the generated worlds. Parent kinds differ in their status schema; child kinds have fields of every list
// type, with defaults.
import type { JsonObject } from '../../src/base/json.ts'
import { ConfigMap, defineResource, type Resource, type StatusWithConditions } from '../../src/index.ts'

/** Omega is cluster-scoped. */
export const parentKinds = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Omega'] as const
export type ParentKind = (typeof parentKinds)[number]
/** Zone is cluster-scoped. */
export const childKinds = ['ConfigMap', 'Part', 'Engine', 'Addon', 'Zone'] as const
export type ChildKind = (typeof childKinds)[number]

const group = 'strangers.test'
export const strangerVersion = `${group}/v1`
export const scopeOf = (kind: string) => (kind === 'Omega' || kind === 'Zone' ? 'Cluster' : 'Namespaced')
const typeOf = <Kind extends string>(kind: Kind) =>
  ({ group, version: 'v1', scope: scopeOf(kind), kind, plural: pluralOf(kind) }) as const
const pluralOf = (kind: string) => `${kind.toLowerCase()}s`

/** `rev` selects the bodies of the children, `size` the number of declared children. */
export interface ParentSpec {
  readonly rev: number
  readonly size: number
  readonly isRefused?: boolean
}

/** Gamma has no status. The conditions of Beta are an atomic list. */
export const hasStatus = (kind: ParentKind) => kind !== 'Gamma'

export function parentResource(kind: ParentKind) {
  return defineResource<ParentSpec, StatusWithConditions>(typeOf(kind))
}

const childResources: Readonly<Record<ChildKind, Resource>> = {
  ConfigMap,
  Part: defineResource(typeOf('Part')),
  Engine: defineResource(typeOf('Engine')),
  Addon: defineResource(typeOf('Addon')),
  Zone: defineResource(typeOf('Zone')),
}

export function childResource(kind: ChildKind): Resource {
  return childResources[kind]
}

const text = { type: 'string' }
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const childSpec = {
  type: 'object',
  properties: {
    size: { type: 'integer', default: 3 },
    note: text,
    modes: {
      type: 'array',
      items: { type: 'object', properties: { name: text, on: { type: 'boolean', default: true }, note: text } },
    },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: text, port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
      },
    },
    rules: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'protocol'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: text, protocol: { type: 'string', default: 'TCP' }, port: { type: 'integer' } },
      },
    },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    options: { type: 'object', additionalProperties: text },
    block: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { mode: text, level: { type: 'integer', default: 1 } },
    },
    fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }] },
  },
}

/** Change of a definition in a later release: a field, a field with a default, or a version that is not stored. */
export type Extension = 'field' | 'default' | 'version'
export type DefinedKind = ParentKind | Exclude<ChildKind, 'ConfigMap'>

/** Returns the definition of a parent or child kind of this group. */
export function definitionOf(kind: DefinedKind, extension?: Extension) {
  const isParent = (parentKinds as readonly string[]).includes(kind)
  const withStatus = !['Gamma', 'Part', 'Addon', 'Zone'].includes(kind)
  const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }
  const conditions = {
    type: 'array',
    ...(kind === 'Beta' ? {} : keyed),
    items: { ...anything, required: ['type'], properties: { type: text } },
  }
  const properties = {
    spec: isParent ? anything : extended(childSpec, extension),
    ...(withStatus ? { status: { ...anything, properties: { conditions } } } : {}),
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${pluralOf(kind)}.${group}` },
    spec: {
      group,
      names: { kind, plural: pluralOf(kind), singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: scopeOf(kind),
      versions: ['v1', ...(extension === 'version' ? ['v2'] : [])].map((name) => ({
        ...{ name, served: true, storage: name === 'v1' },
        schema: { openAPIV3Schema: { type: 'object', properties } },
        ...(withStatus ? { subresources: { status: {} } } : {}),
      })),
    },
  }
}

/** Returns a child's spec without the field that a later definition may have defaulted. */
export function withoutExtension({ grade: _, ...spec }: Readonly<Record<string, unknown>>): JsonObject {
  return spec as JsonObject // From a live object.
}

function extended(schema: typeof childSpec, extension: Extension | undefined): object {
  if (extension === undefined || extension === 'version') return schema
  const grade = extension === 'field' ? text : { ...text, default: 'A' }
  return { ...schema, properties: { ...schema.properties, grade } }
}
