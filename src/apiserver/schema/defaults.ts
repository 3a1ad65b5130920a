// Defaults and nulls of custom kinds by schema. A forbidden null is dropped or becomes the default; a missing field
// gets it.
// Objects read from storage get them too.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { copyOf, setOwn } from './own-fields.ts'
import { pruneItem, pruneValue } from './prune.ts'
import type { Schema } from './schema.ts'

/** Drops each null of a field that is not nullable and has no default. The same reference if there is none. */
export function dropNulls(value: Json, schema: Schema | undefined): Json {
  if (schema === undefined) return value
  if (isJsonList(value)) return mapItems(value, (item) => dropNulls(item, schema.items))
  if (!isJsonObject(value)) return value
  let changed: Record<string, Json> | undefined
  for (const key of Object.keys(value)) {
    const field = value[key]
    if (field === undefined || (field !== null && typeof field !== 'object')) continue
    const inner = schemaOf(schema, key)
    const isDropped = field === null && inner !== undefined && !inner.isNullable && (inner.default ?? null) === null
    const kept = isDropped ? undefined : dropNulls(field, inner)
    if (kept === field) continue
    changed ??= copyOf(value)
    if (kept === undefined) delete changed[key]
    else setOwn(changed, key, kept)
  }
  return changed ?? value
}

/** Sets the defaults of missing fields. The same reference if none is missing. */
export function setDefaults(value: Json, schema: Schema | undefined): Json {
  if (schema === undefined || typeof value !== 'object' || value === null || !hasDefaults(schema)) return value
  if (isJsonList(value)) {
    const { items } = schema
    return mapItems(value, (item) =>
      item === null && items !== undefined && !items.isNullable
        ? (defaultOf(items, schema) ?? null)
        : setDefaults(item, items),
    )
  }
  return isJsonObject(value) ? fieldsWithDefaults(value, schema) : value
}

function fieldsWithDefaults(object: JsonObject, schema: Schema): JsonObject {
  let changed: Record<string, Json> | undefined
  for (const [key, field] of schema.properties) {
    const present = Object.hasOwn(object, key) ? object[key] : undefined
    const isAbsent =
      present === undefined || (present === null && !field.isNullable && (field.default ?? null) !== null)
    const filled = isAbsent ? defaultOf(field) : setDefaults(present, field)
    if (filled === undefined || filled === present) continue
    changed ??= copyOf(object)
    setOwn(changed, key, filled)
  }
  const { additionalProperties } = schema
  if (typeof additionalProperties !== 'object') return changed ?? object
  for (const key of Object.keys(object)) {
    const present = object[key]
    if (present === undefined || schema.properties.has(key)) continue
    const isNull = present === null && !additionalProperties.isNullable
    const filled = isNull ? (defaultOf(additionalProperties) ?? null) : setDefaults(present, additionalProperties)
    if (filled === present) continue
    changed ??= copyOf(object)
    setOwn(changed, key, filled)
  }
  return changed ?? object
}

const preparedDefaults = new WeakMap<Schema, { readonly value: Json | undefined }>()

/** Returns the default of a field, pruned and with nested defaults. Prepared once and shared. */
function defaultOf(schema: Schema, list?: Schema): Json | undefined {
  const known = preparedDefaults.get(schema)
  if (known !== undefined) return known.value
  const { default: declared } = schema
  const value =
    declared === undefined || declared === null
      ? undefined
      : setDefaults(list === undefined ? pruneValue(declared, schema) : pruneItem(declared, list, schema), schema)
  preparedDefaults.set(schema, { value })
  return value
}

const defaultsBelow = new WeakMap<Schema, boolean>()

/**
 * Returns whether the schema has defaults below its root. Terminates, because schemas of custom kinds are finite trees.
 */
function hasDefaults(schema: Schema): boolean {
  const known = defaultsBelow.get(schema)
  if (known !== undefined) return known
  const inner = [...schema.properties.values(), schema.items, schema.additionalProperties]
  const found = inner.some((field) => typeof field === 'object' && (field.default !== undefined || hasDefaults(field)))
  defaultsBelow.set(schema, found)
  return found
}

function schemaOf(schema: Schema, key: string): Schema | undefined {
  const property = schema.properties.get(key)
  if (property !== undefined) return property
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

function mapItems(list: readonly Json[], change: (item: Json) => Json): readonly Json[] {
  let changed: Json[] | undefined
  for (const [index, item] of list.entries()) {
    const kept = change(item)
    if (kept === item) continue
    changed ??= [...list]
    changed[index] = kept
  }
  return changed ?? list
}
