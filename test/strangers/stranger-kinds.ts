// Kinds of the generated worlds. Parent kinds differ in their status schema; child kinds have fields of every list type, with defaults.
import { ConfigMap, defineResource, type Resource, type StatusWithConditions } from '../../src/index.ts'

export const parentKinds = ['Alpha', 'Beta', 'Gamma', 'Delta'] as const
export type ParentKind = (typeof parentKinds)[number]
export const childKinds = ['ConfigMap', 'Part', 'Engine', 'Addon'] as const
export type ChildKind = (typeof childKinds)[number]

const group = 'strangers.test'
export const strangerVersion = `${group}/v1`
const namespaced = { group, version: 'v1', scope: 'Namespaced' } as const
const pluralOf = (kind: string) => `${kind.toLowerCase()}s`

/** `rev` chooses the bodies of the children, `size` how many of them are declared. */
export interface ParentSpec {
  readonly rev: number
  readonly size: number
  readonly isRefused?: boolean
}

/** Gamma has no status. The conditions of Beta are an atomic list. */
export const hasStatus = (kind: ParentKind) => kind !== 'Gamma'

export function parentResource(kind: ParentKind) {
  return defineResource<ParentSpec, StatusWithConditions>({ ...namespaced, kind, plural: pluralOf(kind) })
}

const childResources: Readonly<Record<ChildKind, Resource>> = {
  ConfigMap,
  Part: defineResource({ ...namespaced, kind: 'Part', plural: 'parts' }),
  Engine: defineResource({ ...namespaced, kind: 'Engine', plural: 'engines' }),
  Addon: defineResource({ ...namespaced, kind: 'Addon', plural: 'addons' }),
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

/** The definition of a parent or child kind of this group. */
export function definitionOf(kind: ParentKind | Exclude<ChildKind, 'ConfigMap'>) {
  const isParent = (parentKinds as readonly string[]).includes(kind)
  const withStatus = kind !== 'Gamma' && kind !== 'Part' && kind !== 'Addon'
  const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }
  const conditions = {
    type: 'array',
    ...(kind === 'Beta' ? {} : keyed),
    items: { ...anything, required: ['type'], properties: { type: text } },
  }
  const properties = {
    spec: isParent ? anything : childSpec,
    ...(withStatus ? { status: { ...anything, properties: { conditions } } } : {}),
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${pluralOf(kind)}.${group}` },
    spec: {
      group,
      names: { kind, plural: pluralOf(kind), singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: { openAPIV3Schema: { type: 'object', properties } },
          ...(withStatus ? { subresources: { status: {} } } : {}),
        },
      ],
    },
  }
}
