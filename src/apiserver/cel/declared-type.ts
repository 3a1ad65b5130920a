// Which types does a schema declare to a rule, and how large can their values be? What has no declared type is invisible.
// Source: k8s.io/apiserver/pkg/cel/{types.go,common/schemas.go}.
import { isJsonList, isJsonObject, type JsonObject, own } from '../../base/json.ts'
import type { Schema } from '../schema/schema.ts'
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  structType,
  timestampType,
} from './cel-type.ts'
import { escapedName } from './escape.ts'
import { withTypeAndMetadata } from './resource-schema.ts'

export interface DeclaredType {
  readonly type: CelType
  /** Of an object, by escaped name; undefined for what is none. */
  readonly fields: ReadonlyMap<string, DeclaredType> | undefined
  /** Of maps. */
  readonly key: DeclaredType | undefined
  /** Of lists and maps. */
  readonly element: DeclaredType | undefined
  /** The most elements, characters or bytes that a value can have. */
  readonly maxElements: number
  /** The fewest bytes that a value takes in JSON. */
  readonly minBytes: number
}

/** The largest request, in bytes. */
export const maxRequestBytes = 3 * 1024 * 1024

function scalar(type: CelType, minBytes: number, maxElements = 0): DeclaredType {
  return { type, fields: undefined, key: undefined, element: undefined, maxElements, minBytes }
}

const minStringBytes = 2
const mapKey = scalar(stringType, minStringBytes)

/**
 * The type that rules see; undefined where they see none. Objects are named by where they are (`self.spec`), so that every
 * one is a type of its own.
 */
export function declaredType(schema: Schema, isResource: boolean, name: string): DeclaredType | undefined {
  if (schema.isIntOrString) return scalar(dynType, 1, textLimit(schema))
  const declared = isResource ? withTypeAndMetadata(schema) : schema
  switch (declared.type) {
    case 'array':
      return listType(declared, name)
    case 'object':
      return objectType(declared, name)
    case 'string':
      return textType(declared)
    case 'boolean':
      return scalar(boolType, 4)
    case 'number':
      return scalar(doubleType, 1)
    case 'integer':
      return scalar(intType, 1)
    default:
      return undefined
  }
}

function listType(schema: Schema, name: string): DeclaredType | undefined {
  const { items } = schema
  const element = items && declaredType(items, items.isEmbeddedResource, `${name}.@idx`)
  if (element === undefined) return undefined
  const maxElements = limit(schema, 'maxItems') ?? Math.trunc((maxRequestBytes - 2) / (element.minBytes + 1))
  return { ...scalar(listOf(element.type), 2, maxElements), element }
}

function objectType(schema: Schema, name: string): DeclaredType | undefined {
  const { additionalProperties } = schema
  if (additionalProperties !== undefined && additionalProperties !== true) {
    const element = declaredType(additionalProperties, additionalProperties.isEmbeddedResource, `${name}.@elem`)
    if (element === undefined) return undefined
    const maxElements = limit(schema, 'maxProperties') ?? Math.trunc((maxRequestBytes - 2) / (element.minBytes + 6))
    return { ...scalar(mapOf(stringType, element.type), 2, maxElements), key: mapKey, element }
  }
  const fields = new Map<string, DeclaredType>()
  let minBytes = 2
  for (const [property, inner] of schema.properties) {
    const escaped = escapedName(property)
    const type = declaredType(inner, inner.isEmbeddedResource, `${name}.${escaped ?? property}`)
    if (type === undefined) continue
    if (escaped !== undefined) fields.set(escaped, type)
    // What has a default is filled in, and needs not be sent.
    if (schema.required.includes(property) && inner.default === undefined)
      minBytes += Buffer.byteLength(property) + type.minBytes + 4
  }
  return { ...scalar(structType(name), minBytes), fields }
}

function textType(schema: Schema): DeclaredType {
  switch (schema.format) {
    case 'byte':
      return scalar(bytesType, minStringBytes, limit(schema, 'maxLength') ?? maxRequestBytes - 2)
    case 'duration':
      return scalar(durationType, 3, 32)
    case 'date':
      return scalar(timestampType, 12, 12)
    case 'date-time':
      return scalar(timestampType, 21, 32)
    default:
      return scalar(stringType, minStringBytes, textLimit(schema))
  }
}

/** A character takes up to four bytes. */
function textLimit(schema: Schema): number {
  const declared = limit(schema, 'maxLength')
  if (declared !== undefined) return declared * 4
  const choices = own(schema.source, 'enum')
  if (schema.isIntOrString || !isJsonList(choices) || choices.length === 0) return maxRequestBytes - 2
  return Math.max(0, ...choices.map((choice) => (typeof choice === 'string' ? Buffer.byteLength(choice) : 0)))
}

function limit({ source }: { readonly source: JsonObject }, key: string): number | undefined {
  const value = own(source, key)
  return typeof value === 'number' ? Math.max(0, value) : undefined
}

/** The fields of all objects of a type, by the name of their type. */
export function fieldsByType(declared: DeclaredType): ReadonlyMap<string, ReadonlyMap<string, CelType>> {
  const found = new Map<string, ReadonlyMap<string, CelType>>()
  const visit = ({ type, fields, element }: DeclaredType): void => {
    if (element !== undefined) visit(element)
    if (fields === undefined) return
    found.set(type.name, new Map([...fields].map(([name, field]) => [name, field.type])))
    for (const field of fields.values()) visit(field)
  }
  visit(declared)
  return found
}

/** How many times a value of this type can occur in one request. */
export function maxOccurrences({ minBytes }: DeclaredType): number {
  return Math.trunc(maxRequestBytes / (minBytes + 1))
}

/** Does the schema say anything of its properties? */
export function declaresProperties({ source }: Schema): boolean {
  return isJsonObject(own(source, 'properties'))
}
