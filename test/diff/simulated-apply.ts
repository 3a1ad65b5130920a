// Objects of random shape with a simulated server response: fields, atomic values, list maps and sets, nested at
// random. A simulated apply stores them among defaults and values of other managers.
import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { appliedHashAnnotation, withAppliedHash } from '../../src/diff/applied-hash.ts'
import { type FieldPath, fieldElement, formatPathElement, type PathElement } from '../../src/diff/field-path.ts'
import type { KubeObject, LiveObject } from '../../src/object/object.ts'

/** A declared value with its topology. */
export type Node =
  | { readonly kind: 'scalar'; readonly value: string | number | boolean }
  | { readonly kind: 'struct'; readonly fields: Fields }
  | { readonly kind: 'atomic'; readonly value: Json }
  | { readonly kind: 'items'; readonly items: readonly Item[] }
  | { readonly kind: 'set'; readonly values: readonly string[] }

type Fields = readonly (readonly [string, Node])[]

export interface Item {
  readonly key: JsonObject
  readonly fields: Fields
}

export const manager = 'konverge'

const name = fc.stringMatching(/^[a-e]{1,2}$/)
const scalar = fc.oneof(fc.string({ maxLength: 4 }), fc.integer({ min: -3, max: 3 }), fc.boolean())
const uniqueBy = <T>(arbitrary: fc.Arbitrary<T>, selector: (value: T) => string, minLength = 0): fc.Arbitrary<T[]> =>
  fc.uniqueArray(arbitrary, { minLength, maxLength: 4, selector })

const oneKey: fc.Arbitrary<JsonObject> = fc.record({ id: fc.nat(9) })
const twoKeys: fc.Arbitrary<JsonObject> = fc.record({ id: fc.nat(9), type: fc.constantFrom('T', 'U') })

const trees = fc.letrec<{ node: Node; fields: Fields }>((tie) => ({
  fields: uniqueBy(fc.tuple(name, tie('node')), ([field]) => field),
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ kind: fc.constant('scalar' as const), value: scalar }),
    fc.record({ kind: fc.constant('set' as const), values: uniqueBy(fc.string({ maxLength: 3 }), String, 1) }),
    fc.record({
      kind: fc.constant('atomic' as const),
      value: fc.array(fc.oneof(scalar, fc.dictionary(name, scalar, { minKeys: 1, maxKeys: 3 })), { maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('struct' as const), fields: tie('fields') }),
    fc.record({
      kind: fc.constant('items' as const),
      items: fc.boolean().chain((hasTwoKeys) =>
        uniqueBy(
          fc.record({
            key: hasTwoKeys ? twoKeys : oneKey,
            fields: tie('fields'),
          }),
          ({ key }) => JSON.stringify(key),
          1,
        ),
      ),
    }),
  ),
}))

/** The spec of an object of a kind without a schema. */
export const specs: fc.Arbitrary<Node> = fc.record({ kind: fc.constant('struct' as const), fields: trees.fields })

export function desiredOf(spec: Node): KubeObject {
  return withAppliedHash({ apiVersion: 'example.com/v1', kind: 'Odd', metadata: { name: 'odd' }, spec: jsonOf(spec) })
}

/** Returns the server's object after an apply of `owned`; `stored` has its topology and may have other values. */
export function simulateApply(owned: Node, stored: Node = owned): LiveObject {
  const fieldsV1 = {
    'f:metadata': { 'f:annotations': { [`f:${appliedHashAnnotation}`]: {} } },
    'f:spec': ownedOf(owned),
  }
  const managedFields = [{ manager, operation: 'Apply', apiVersion: 'example.com/v1', fieldsV1 }] as const
  const { annotations } = desiredOf(owned).metadata
  const metadata = {
    ...{ name: 'odd', uid: 'odd-uid', resourceVersion: '1', labels: { theirs: 'x' } },
    ...(annotations === undefined ? {} : { annotations }),
    managedFields,
  }
  return { apiVersion: 'example.com/v1', kind: 'Odd', metadata, spec: liveOf(stored), status: { ready: true } }
}

export function jsonOf(node: Node): Json {
  switch (node.kind) {
    case 'scalar':
    case 'atomic':
      return node.value
    case 'set':
      return node.values
    case 'struct':
      return fieldsOf(node.fields, jsonOf)
    case 'items':
      return node.items.map(({ key, fields }) => ({ ...key, ...fieldsOf(fields, jsonOf) }))
  }
}

function ownedOf(node: Node): JsonObject {
  switch (node.kind) {
    case 'scalar':
    case 'atomic':
      return {}
    case 'set':
      return Object.fromEntries(node.values.map((value) => [formatPathElement({ kind: 'value', value }), {}]))
    case 'struct':
      return ownedFieldsV1(node.fields)
    case 'items':
      return Object.fromEntries(
        node.items.map(({ key, fields }) => [
          formatPathElement({ kind: 'key', key }),
          {
            '.': {},
            ...Object.fromEntries(Object.keys(key).map((field) => [`f:${field}`, {}])),
            ...ownedFieldsV1(fields),
          },
        ]),
      )
  }
}

function ownedFieldsV1(fields: Fields): JsonObject {
  return Object.fromEntries(fields.map(([field, node]) => [`f:${field}`, ownedOf(node)]))
}

/** Adds defaults and parts of other managers wherever possible. */
function liveOf(node: Node): Json {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'atomic':
      return Array.isArray(node.value)
        ? node.value.map((item) => (typeof item === 'object' ? { ...item, gained: 'default' } : item))
        : node.value
    case 'set':
      return ['theirs', ...node.values]
    case 'struct':
      return { ...fieldsOf(node.fields, liveOf), theirs: { of: 'others' } }
    case 'items':
      return node.items.flatMap(({ key, fields }, index) => [
        { ...key, id: 100 + index, theirs: true },
        { gained: 1, ...fieldsOf(fields, liveOf), ...key },
      ])
  }
}

function fieldsOf(fields: Fields, write: (node: Node) => Json): JsonObject {
  return Object.fromEntries(fields.map(([field, node]) => [field, write(node)]))
}

export interface Edit {
  readonly path: FieldPath
  readonly node: Node
}

/** Returns every change of one leaf of the spec, with the path at which it has to be found. */
export function edits(node: Node, path: FieldPath = [fieldElement('spec')]): Edit[] {
  switch (node.kind) {
    case 'scalar':
      return [{ path, node: { ...node, value: otherThan(node.value) } }]
    case 'atomic':
      return [{ path, node: { ...node, value: [...(node.value as readonly Json[]), 'one more'] } }] // Lists.
    case 'set':
      return node.values.map((value) => ({
        path: [...path, { kind: 'value', value } as const],
        node: { ...node, values: node.values.filter((other) => other !== value) },
      }))
    case 'struct':
      return editsOfFields(node.fields, path).map((edit) => ({
        path: edit.path,
        node: { ...node, fields: edit.fields },
      }))
    case 'items':
      return node.items.flatMap((item, index) => {
        const element: PathElement = { kind: 'key', key: item.key }
        return editsOfFields(item.fields, [...path, element]).map((edit) => ({
          path: edit.path,
          node: { ...node, items: node.items.with(index, { ...item, fields: edit.fields }) },
        }))
      })
  }
}

function editsOfFields(fields: Fields, path: FieldPath): { readonly path: FieldPath; readonly fields: Fields }[] {
  return fields.flatMap(([field, node], index) =>
    edits(node, [...path, fieldElement(field)]).map((edit) => ({
      path: edit.path,
      fields: fields.with(index, [field, edit.node]),
    })),
  )
}

function otherThan(value: string | number | boolean): string | number | boolean {
  if (typeof value === 'string') return `${value}x`
  return typeof value === 'number' ? value + 1 : !value
}
