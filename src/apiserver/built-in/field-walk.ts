// Readers and writers of fields of built-in kinds. The codec has checked every type, so readers only distinguish
// present and absent.
// An absent field reads as its zero value if the kind has no pointer for it; an absent parent has no fields.
// Writers return a changed copy, or the same object if nothing changes.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import type { FieldError } from '../field-error.ts'

export type FieldErrors = readonly FieldError[]

/** A struct that may be absent; an absent one reads as zero values. */
export type Struct = JsonObject | undefined

export const noErrors: FieldErrors = []
const noItems: readonly JsonObject[] = []
const noTexts: readonly string[] = []
const noFields: JsonObject = {}

export function valueAt(struct: Struct, key: string): Json | undefined {
  const value = struct === undefined ? undefined : own(struct, key)
  return value === null ? undefined : value
}

/** Returns the text; `''` if absent. */
export function textAt(struct: Struct, key: string): string {
  return optionalTextAt(struct, key) ?? ''
}

/** For pointer fields, where `''` and absent differ. */
export function optionalTextAt(struct: Struct, key: string): string | undefined {
  const value = valueAt(struct, key)
  return typeof value === 'string' ? value : undefined
}

/** Returns the integer; 0 if absent. Only int64 fields may exceed 2^53; they round to the nearest number. */
export function integerAt(struct: Struct, key: string): number {
  return optionalIntegerAt(struct, key) ?? 0
}

/** For pointer fields, where 0 and absent differ. */
export function optionalIntegerAt(struct: Struct, key: string): number | undefined {
  const value = valueAt(struct, key)
  return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : undefined
}

/** Returns true if the field is `true`. */
export function isTrueAt(struct: Struct, key: string): boolean {
  return valueAt(struct, key) === true
}

export function structAt(struct: Struct, key: string): Struct {
  const value = valueAt(struct, key)
  return isJsonObject(value) ? value : undefined
}

/** Returns the struct at a path of fields: `structIn(job, 'spec', 'template')`. */
export function structIn(struct: Struct, ...keys: readonly string[]): Struct {
  return keys.reduce(structAt, struct)
}

/** Returns a map (labels, a node selector); empty if absent. */
export function mapAt(struct: Struct, key: string): JsonObject {
  return structAt(struct, key) ?? noFields
}

/** Returns the items of a list of structs; empty if absent. */
export function structsAt(struct: Struct, key: string): readonly JsonObject[] {
  const value = valueAt(struct, key)
  // The codec admits only structs into these lists; `null` items are empty structs.
  return isJsonList(value) ? value.map((item) => (isJsonObject(item) ? item : noFields)) : noItems
}

/** Returns the items of a list of strings; empty if absent. */
export function textsAt(struct: Struct, key: string): readonly string[] {
  const value = valueAt(struct, key)
  return isJsonList(value) ? value.map((item) => (typeof item === 'string' ? item : '')) : noTexts
}

/** Returns the errors of all items; each item has its own path: `spec.ports[0]`. */
export function eachItem<Item>(
  items: readonly Item[],
  path: string,
  errorsOf: (item: Item, path: string, index: number) => FieldErrors,
): FieldErrors {
  if (items.length === 0) return noErrors
  return items.flatMap((item, index) => errorsOf(item, `${path}[${index}]`, index))
}

/** Returns `object` with one field set; the same reference if the field has this value already. */
export function withField<Object extends JsonObject>(object: Object, key: string, value: Json): Object {
  return own(object, key) === value ? object : { ...object, [key]: value }
}

/** Returns `object` without a field; the same reference if the field is absent. */
export function withoutField(object: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(object, key)) return object
  const { [key]: _, ...rest } = object
  return rest
}

/** Returns `object` with defaults for its absent fields; the same reference if none is absent. */
export function withDefaults(object: JsonObject, defaults: JsonObject): JsonObject {
  let changed: Record<string, Json | undefined> | undefined
  for (const key of Object.keys(defaults)) {
    if (valueAt(object, key) !== undefined) continue
    changed ??= { ...object }
    changed[key] = defaults[key]
  }
  return changed ?? object
}

/** As `withDefaults`, for non-pointer fields: an empty text and 0 count as absent. */
export function withZeroDefaults(object: JsonObject, defaults: JsonObject): JsonObject {
  let changed: Record<string, Json | undefined> | undefined
  for (const key of Object.keys(defaults)) {
    const value = valueAt(object, key)
    if (value !== undefined && value !== '' && value !== 0) continue
    changed ??= { ...object }
    changed[key] = defaults[key]
  }
  return changed ?? object
}

/**
 * Returns `object` with the struct in one field changed; the same reference if nothing changed or the field is absent.
 */
export function withStruct(object: JsonObject, key: string, change: (struct: JsonObject) => JsonObject): JsonObject {
  const before = structAt(object, key)
  return before === undefined ? object : withField(object, key, change(before))
}

/** As `withStruct`, for an embedded struct: an absent one counts as empty. */
export function withEmbedded(object: JsonObject, key: string, change: (struct: JsonObject) => JsonObject): JsonObject {
  const before = structAt(object, key) ?? noFields
  const after = change(before)
  return after === before ? object : withField(object, key, after)
}

/** Returns `object` with every item of a list of structs changed; the same reference if no item changed. */
export function withItems(object: JsonObject, key: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const before = structsAt(object, key)
  const after = before.map(change)
  return after.every((item, index) => item === before[index]) ? object : withField(object, key, after)
}
