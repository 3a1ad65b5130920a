// Parses the schema of a CustomResourceDefinition into a shape. Structural schemas only, as the API server requires:
// every node has a type, is an int-or-string, or keeps unknown fields. anyOf, oneOf, allOf and not add conditions on
// values, never on shapes, so they are ignored. Source: apiextensions/v1 JSONSchemaProps and the rules for structural
// schemas.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { constraintsOf } from './constraints.ts'
import type { Field, Schema, Shape } from './crd.ts'
import { GenerateError } from './generate-error.ts'

/** A node in a document: its file and its path. */
export interface SchemaPlace {
  readonly source: string
  readonly path: string
}

/** Deeper schemas are loops of YAML aliases. */
const maxDepth = 64

/** @throws {GenerateError} `UnsupportedSchema`, with the path of the node. */
export function readSchema(node: Json, place: SchemaPlace, depth = 0): Schema {
  if (!isJsonObject(node)) throw unsupported(place, 'a schema is an object')
  if (depth > maxDepth)
    throw unsupported(place, `schemas are nested deeper than ${maxDepth}; break the loop of aliases`)
  if (own(node, '$ref') !== undefined)
    throw unsupported(place, '$ref is not allowed in a structural schema; write the schema out')
  const description = own(node, 'description')
  const defaultValue = own(node, 'default')
  return {
    shape: shapeOf(node, place, depth),
    isNullable: own(node, 'nullable') === true,
    description: typeof description === 'string' ? description : '',
    ...(defaultValue === undefined ? {} : { defaultValue }),
    constraints: constraintsOf(node),
  }
}

function shapeOf(node: JsonObject, place: SchemaPlace, depth: number): Shape {
  const values = own(node, 'enum')
  if (values !== undefined) return enumOf(values, place)
  if (own(node, 'x-kubernetes-int-or-string') === true) return { kind: 'intOrString' }
  const type = own(node, 'type')
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return { kind: 'scalar', type }
    case 'integer':
      return { kind: 'scalar', type: 'number' }
    case 'array':
      return listOf(node, place, depth)
    case 'object':
      return objectOf(node, place, depth)
    case undefined:
      if (keepsUnknownFields(node)) return { kind: 'anything' }
      throw unsupported(place, 'has no type; give it one, or set x-kubernetes-preserve-unknown-fields: true')
    default:
      throw unsupported(place, `has the unknown type ${JSON.stringify(type)}`)
  }
}

function enumOf(values: Json, place: SchemaPlace): Shape {
  if (!isJsonList(values) || values.length === 0)
    throw unsupported(child(place, 'enum'), 'must be a list of at least one value')
  // null in the list means the same as `nullable`.
  return { kind: 'enum', values: values.filter((value) => value !== null) }
}

function listOf(node: JsonObject, place: SchemaPlace, depth: number): Shape {
  const items = own(node, 'items')
  if (items === undefined) throw unsupported(place, 'a list needs items, the schema of what it holds')
  if (isJsonList(items)) throw unsupported(child(place, 'items'), 'one schema for all items, not a list of them')
  return { kind: 'list', items: readSchema(items, child(place, 'items'), depth + 1) }
}

function objectOf(node: JsonObject, place: SchemaPlace, depth: number): Shape {
  const properties = own(node, 'properties')
  const additional = own(node, 'additionalProperties')
  if (additional !== undefined && additional !== false) {
    if (properties !== undefined) throw unsupported(place, 'properties and additionalProperties exclude each other')
    const at = child(place, 'additionalProperties')
    return additional === true
      ? { kind: 'object', fields: [], keepsUnknownFields: true }
      : { kind: 'map', values: readSchema(additional, at, depth + 1) }
  }
  if (properties !== undefined && !isJsonObject(properties))
    throw unsupported(child(place, 'properties'), 'must be an object')
  const fields = fieldsOf(node, properties ?? {}, place, depth)
  return own(node, 'x-kubernetes-embedded-resource') === true
    ? { kind: 'object', fields: [...embedded(fields), ...fields], keepsUnknownFields: keepsUnknownFields(node) }
    : { kind: 'object', fields, keepsUnknownFields: keepsUnknownFields(node) }
}

/** Returns the fields of an object, in the order of the schema. */
export function fieldsOf(node: JsonObject, properties: JsonObject, place: SchemaPlace, depth: number): Field[] {
  const required = own(node, 'required') ?? []
  if (!isJsonList(required)) throw unsupported(child(place, 'required'), 'must be a list of names')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    schema: readSchema(property ?? null, child(place, `properties.${name}`), depth + 1),
  }))
}

/** Returns the fields of every embedded object besides those of the schema. */
function embedded(named: readonly Field[]): Field[] {
  const text: Shape = { kind: 'scalar', type: 'string' }
  const metadata: Shape = { kind: 'object', fields: [], keepsUnknownFields: true }
  const field = (name: string, shape: Shape): Field => ({
    name,
    isRequired: true,
    schema: { shape, isNullable: false, description: '', constraints: [] },
  })
  const all = [field('apiVersion', text), field('kind', text), field('metadata', metadata)]
  return all.filter(({ name }) => !named.some((other) => other.name === name))
}

function keepsUnknownFields(node: JsonObject): boolean {
  return own(node, 'x-kubernetes-preserve-unknown-fields') === true
}

function child(place: SchemaPlace, step: string): SchemaPlace {
  return { ...place, path: `${place.path}.${step}` }
}

function unsupported(place: SchemaPlace, problem: string): GenerateError {
  return new GenerateError({ code: 'UnsupportedSchema', ...place, problem })
}
