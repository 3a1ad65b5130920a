// Uniqueness of set members and of list map keys.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype.
import { canonicalJson, isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { duplicate, type FieldError, invalid, sortedByKey } from '../field-error.ts'
import type { Schema } from './schema.ts'

/** Returns one error per duplicate member or key; `field` is the path of the value, '' for a whole object. */
export function validateUniqueness(value: Json, schema: Schema, field: string): FieldError[] {
  if (!hasUniqueLists(schema)) return []
  const errors: FieldError[] = []
  walk(value, schema, field, errors)
  return errors
}

function walk(value: Json, schema: Schema, field: string, errors: FieldError[]): void {
  if (isJsonList(value)) walkList(value, schema, field, errors)
  else if (isJsonObject(value)) walkObject(value, schema, field, errors)
}

function walkObject(object: JsonObject, schema: Schema, field: string, errors: FieldError[]): void {
  const { additionalProperties, properties } = schema
  for (const key of Object.keys(object)) {
    const inner = own(object, key)
    if (typeof inner !== 'object' || inner === null) continue
    if (typeof additionalProperties === 'object' && hasUniqueLists(additionalProperties))
      walk(inner, additionalProperties, `${field}[${key}]`, errors)
    const property = properties.get(key)
    if (property !== undefined && hasUniqueLists(property))
      walk(inner, property, field === '' ? key : `${field}.${key}`, errors)
  }
}

function walkList(list: readonly Json[], schema: Schema, field: string, errors: FieldError[]): void {
  if (schema.listType === 'set')
    for (const index of repeated(list.map((item) => canonicalJson(item))))
      errors.push(duplicate(`${field}[${index}]`, sortedByKey(list[index] ?? null)))
  if (schema.listType === 'map') errors.push(...keyErrors(list, schema.listMapKeys, field))
  const { items } = schema
  if (items === undefined || !hasUniqueLists(items)) return
  for (const [index, item] of list.entries()) walk(item, items, `${field}[${index}]`, errors)
}

function keyErrors(list: readonly Json[], keyFields: readonly string[], field: string): FieldError[] {
  const stray = list.findIndex((item) => item !== null && !isJsonObject(item))
  if (stray >= 0) return [invalid(`${field}[${stray}]`, list[stray], 'must be an object for an array of list-type map')]
  return repeated(list.map((item) => keyText(item, keyFields))).map((index) =>
    duplicate(`${field}[${index}]`, sortedByKey(keyOf(list[index] ?? null, keyFields))),
  )
}

/** Returns a text that is equal only for items with the same key fields and values. */
function keyText(item: Json, keyFields: readonly string[]): string {
  if (!isJsonObject(item)) return keyFields.map(() => '').join()
  return keyFields
    .map((key) => {
      const value = own(item, key)
      return value === undefined ? '' : canonicalJson(value)
    })
    .join()
}

/** Returns the key fields of an item. */
function keyOf(item: Json, keyFields: readonly string[]): JsonObject {
  if (!isJsonObject(item)) return {}
  const present = keyFields.flatMap((key) => {
    const value = own(item, key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return Object.fromEntries(present)
}

/** Returns the index of the second occurrence of each repeated text. */
function repeated(texts: readonly string[]): number[] {
  if (new Set(texts).size === texts.length) return []
  const times = new Map<string, number>()
  return texts.flatMap((text, index) => {
    const before = times.get(text) ?? 0
    times.set(text, before + 1)
    return before === 1 ? [index] : []
  })
}

const uniqueListsBelow = new WeakMap<Schema, boolean>()

/**
 * Returns whether the schema contains a set or a list map. Terminates, because schemas of custom kinds are finite
 * trees.
 */
function hasUniqueLists(schema: Schema): boolean {
  const known = uniqueListsBelow.get(schema)
  if (known !== undefined) return known
  const { listType, items, additionalProperties, properties } = schema
  const inner = [items, additionalProperties, ...properties.values()]
  const found =
    listType === 'set' ||
    listType === 'map' ||
    inner.some((field) => typeof field === 'object' && hasUniqueLists(field))
  uniqueListsBelow.set(schema, found)
  return found
}
