// Bodies of custom objects and custom resource definitions that a create rejects.
import type { Json, JsonObject } from '../../../../src/base/json.ts'
import { definitions, object, widget, widgets } from '../../kinds.ts'
import type { MistakenBody } from './mistake.ts'

const definition = (fields: JsonObject, name = 'gadgets.example.com'): JsonObject =>
  object(definitions, name, {
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'gadgets', kind: 'Gadget' }, ...fields },
  })
const version = (schema: Json, more: JsonObject = {}): JsonObject => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
})
const schemaOf = (properties: JsonObject): JsonObject =>
  definition({ versions: [version({ type: 'object', properties })] })

// biome-ignore format: one line a mistake.
export const customBodies: readonly MistakenBody[] = [
  ['a custom number that is a text', widgets, widget('x', { size: 'big' })],
  ['a custom number that is a fraction', widgets, widget('x', { size: 1.5 })],
  ['a custom number below its minimum', widgets, widget('x', { size: -1 })],
  ['a custom number beyond its format', widgets, widget('x', { replicas: 3_000_000_000 })],
  ['a custom value out of its list', widgets, widget('x', { color: 'pink' })],
  ['a custom set with a value twice', widgets, widget('x', { tags: ['a', 'a'] })],
  ['a custom map list with a key twice', widgets, widget('x', { ports: [{ name: 'a' }, { name: 'a' }] })],
  ['a custom item without its key', widgets, widget('x', { ports: [{ number: 1 }] })],
  ['a custom list that is an object', widgets, widget('x', { steps: {} })],
  ['a custom spec that is a list', widgets, object(widgets, 'x', { spec: [] })],
  ['several custom mistakes', widgets, widget('x', { size: -1, color: 'pink', tags: ['a', 'a'] })],
  ['a definition of another name', definitions, definition({ versions: [version({ type: 'object' })] }, 'other.example.com')],
  ['a definition without versions', definitions, definition({ versions: [] })],
  ['a definition that stores nothing', definitions, definition({ versions: [version({ type: 'object' }, { storage: false })] })],
  ['a definition that stores two versions', definitions, definition({ versions: [version({ type: 'object' }), version({ type: 'object' }, { name: 'v2' })] })],
  ['a definition of one version twice', definitions, definition({ versions: [version({ type: 'object' }), version({ type: 'object' }, { storage: false })] })],
  ['a definition without a schema', definitions, definition({ versions: [{ name: 'v1', served: true, storage: true }] })],
  ['a definition of no scope', definitions, definition({ scope: '', versions: [version({ type: 'object' })] })],
  ['a definition of a protected group', definitions, object(definitions, 'gadgets.x.k8s.io', { spec: { group: 'x.k8s.io', scope: 'Namespaced', names: { plural: 'gadgets', kind: 'Gadget' }, versions: [version({ type: 'object' })] } })],
  ['a definition of a version that is no name', definitions, definition({ versions: [version({ type: 'object' }, { name: 'V_1' })] })],
  ['a schema of no object', definitions, definition({ versions: [version({ type: 'string' })] })],
  ['a schema without a type', definitions, schemaOf({ spec: { properties: { a: { type: 'string' } } } })],
  ['a schema of an unknown type', definitions, schemaOf({ spec: { type: 'text' } })],
  ['a list without items', definitions, schemaOf({ spec: { type: 'array' } })],
  ['a schema of properties and additional ones', definitions, schemaOf({ spec: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } } })],
  ['a default that is no value of its schema', definitions, schemaOf({ spec: { type: 'object', properties: { a: { type: 'integer', default: 'x' } } } })],
  ['a map list without keys', definitions, schemaOf({ spec: { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object' } } })],
  ['a map list of a key that may be absent', definitions, schemaOf({ spec: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'], items: { type: 'object', properties: { a: { type: 'string' } } } } })],
  ['a set of objects', definitions, schemaOf({ spec: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object', properties: { a: { type: 'string' } } } } })],
  ['a pattern that is none', definitions, schemaOf({ spec: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } })],
  ['a reference in a schema', definitions, schemaOf({ spec: { $ref: '#/x' } })],
  ['a rule that cannot be read', definitions, schemaOf({ spec: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.' }] } })],
  ['a rule that is no claim', definitions, schemaOf({ spec: { type: 'object', 'x-kubernetes-validations': [{ rule: '1 + 1' }] } })],
  ['a rule of an unknown field', definitions, schemaOf({ spec: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.absent == 1' }] } })],
  ['an unnamed rule', definitions, schemaOf({ spec: { type: 'object', 'x-kubernetes-validations': [{ rule: '' }] } })],
  ['a column without a path', definitions, definition({ versions: [version({ type: 'object' }, { additionalPrinterColumns: [{ name: 'A', type: 'string' }] })] })],
  ['a column of an unknown type', definitions, definition({ versions: [version({ type: 'object' }, { additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.a' }] })] })],
  ['a scale without a path', definitions, definition({ versions: [version({ type: 'object' }, { subresources: { scale: { statusReplicasPath: '.status.a' } } })] })],
]
