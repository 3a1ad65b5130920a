// Types that a schema declares to rules, with the maximum size of their values. Rules do not see values without a
// declared type.
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
  /** Fields of an object by escaped name; undefined for other types. */
  readonly fields: ReadonlyMap<string, DeclaredType> | undefined
  /** Only for maps. */
  readonly key: DeclaredType | undefined
  /** Only for lists and maps. */
  readonly element: DeclaredType | undefined
  /** Maximum number of elements, characters or bytes of a value. */
  readonly maxElements: number
  /** Minimum size of a value in JSON, in bytes. */
  readonly minBytes: number
}

/** Maximum size of a request, in bytes. */
export const maxRequestBytes = 3 * 1024 * 1024

function scalar(type: CelType, minBytes: number, maxElements = 0): DeclaredType {
  return { type, fields: undefined, key: undefined, element: undefined, maxElements, minBytes }
}

const minStringBytes = 2
const mapKey = scalar(stringType, minStringBytes)

/**
 * Returns the type that rules see; undefined if they see none. The path (`self.spec`) names an object type, so that
 * every object has
 * its own type.
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
    // A field with a default is optional in a request.
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

/** Returns the fields of all object types by type name. */
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

/** Returns the maximum number of values of this type in one request. */
export function maxOccurrences({ minBytes }: DeclaredType): number {
  return Math.trunc(maxRequestBytes / (minBytes + 1))
}

/** True if the schema declares properties. */
export function declaresProperties({ source }: Schema): boolean {
  return isJsonObject(own(source, 'properties'))
}
