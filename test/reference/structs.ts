// Objects with named fields in the schema of a kind, by path. In a path, `[]` stands for items of a list and `{}` for
// values of a map.
import { isJsonList, isJsonObject, type JsonObject, own } from '../../src/base/json.ts'

export interface Struct {
  /** For example `spec.databases[].grants[]`. */
  readonly path: string
  readonly schema: JsonObject
  readonly fields: readonly StructField[]
}

export interface StructField {
  readonly name: string
  readonly schema: JsonObject
  readonly isRequired: boolean
  /** Path of the struct that the value is or contains; at most one. */
  readonly struct: string | undefined
}

/** Returns the structs below a schema, parents first, in the order of the schema. */
export function structsOf(schema: JsonObject, path: string): readonly Struct[] {
  const properties = own(schema, 'properties')
  if (!isJsonObject(properties)) {
    const inner = innerOf(schema)
    return inner === undefined ? [] : structsOf(inner.schema, `${path}${inner.mark}`)
  }
  const required = own(schema, 'required')
  const fields = Object.entries(properties).map(([name, property]) => {
    const field = objectIn(property, `${path}.${name}`)
    const isRequired = isJsonList(required) && required.includes(name)
    return { name, schema: field, isRequired, below: structsOf(field, `${path}.${name}`) }
  })
  const named = fields.map(({ below, ...field }) => ({ ...field, struct: below[0]?.path }))
  return [{ path, schema, fields: named }, ...fields.flatMap(({ below }) => below)]
}

export interface Inner {
  readonly schema: JsonObject
  readonly mark: '[]' | '{}'
}

/** Returns the schema of the items of a list or the values of a map. */
export function innerOf(schema: JsonObject): Inner | undefined {
  const [items, values] = [own(schema, 'items'), own(schema, 'additionalProperties')]
  if (isJsonObject(items)) return { schema: items, mark: '[]' }
  return isJsonObject(values) ? { schema: values, mark: '{}' } : undefined
}

function objectIn(value: unknown, path: string): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${path} has no schema`)
  return value
}
