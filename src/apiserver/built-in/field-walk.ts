// How is an object of a built-in kind read by its fields? The codec has checked every type before, so these readers only
// tell what is there from what is not: an absent field reads as its zero value where the kind has no pointer for it, and a
// parent that is absent has no fields. Writers give a changed copy, and the same object where nothing changes.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import type { FieldError } from '../field-error.ts'

export type FieldErrors = readonly FieldError[]

/** A struct that may be absent; reading from an absent one gives zero values. */
export type Struct = JsonObject | undefined

export const noErrors: FieldErrors = []
const noItems: readonly JsonObject[] = []
const noTexts: readonly string[] = []
const noFields: JsonObject = {}

export function valueAt(struct: Struct, key: string): Json | undefined {
  const value = struct === undefined ? undefined : own(struct, key)
  return value === null ? undefined : value
}

/** The text, `''` where there is none. */
export function textAt(struct: Struct, key: string): string {
  return optionalTextAt(struct, key) ?? ''
}

/** For fields behind a pointer, where `''` and absent differ. */
export function optionalTextAt(struct: Struct, key: string): string | undefined {
  const value = valueAt(struct, key)
  return typeof value === 'string' ? value : undefined
}

/** The integer, 0 where there is none. Only int64 fields may exceed 2^53; this reads them as the nearest number. */
export function integerAt(struct: Struct, key: string): number {
  return optionalIntegerAt(struct, key) ?? 0
}

/** For fields behind a pointer, where 0 and absent differ. */
export function optionalIntegerAt(struct: Struct, key: string): number | undefined {
  const value = valueAt(struct, key)
  return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : undefined
}

/** Is the field `true`? */
export function isTrueAt(struct: Struct, key: string): boolean {
  return valueAt(struct, key) === true
}

export function structAt(struct: Struct, key: string): Struct {
  const value = valueAt(struct, key)
  return isJsonObject(value) ? value : undefined
}

/** The struct at a path of fields: `structIn(job, 'spec', 'template')`. */
export function structIn(struct: Struct, ...keys: readonly string[]): Struct {
  return keys.reduce(structAt, struct)
}

/** A map as it stands (labels, a node selector); empty where there is none. */
export function mapAt(struct: Struct, key: string): JsonObject {
  return structAt(struct, key) ?? noFields
}

/** The items of a list of structs; empty where there is none. */
export function structsAt(struct: Struct, key: string): readonly JsonObject[] {
  const value = valueAt(struct, key)
  // The codec lets nothing but structs into these lists; `null` items are empty structs.
  return isJsonList(value) ? value.map((item) => (isJsonObject(item) ? item : noFields)) : noItems
}

/** The items of a list of strings; empty where there is none. */
export function textsAt(struct: Struct, key: string): readonly string[] {
  const value = valueAt(struct, key)
  return isJsonList(value) ? value.map((item) => (typeof item === 'string' ? item : '')) : noTexts
}

/** The faults of all items, each walked at its own path: `spec.ports[0]`. */
export function eachItem<Item>(
  items: readonly Item[],
  path: string,
  errorsOf: (item: Item, path: string, index: number) => FieldErrors,
): FieldErrors {
  if (items.length === 0) return noErrors
  return items.flatMap((item, index) => errorsOf(item, `${path}[${index}]`, index))
}

/** `object` with one field set; the same object where the field holds this very value already. */
export function withField<Object extends JsonObject>(object: Object, key: string, value: Json): Object {
  return own(object, key) === value ? object : { ...object, [key]: value }
}

/** `object` without a field; the same object where it has none. */
export function withoutField(object: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(object, key)) return object
  const { [key]: _, ...rest } = object
  return rest
}

/** `object` with those defaults set whose fields it has not; the same object where it has them all. */
export function withDefaults(object: JsonObject, defaults: JsonObject): JsonObject {
  let changed: Record<string, Json | undefined> | undefined
  for (const key of Object.keys(defaults)) {
    if (valueAt(object, key) !== undefined) continue
    changed ??= { ...object }
    changed[key] = defaults[key]
  }
  return changed ?? object
}

/** As `withDefaults`, for fields that have no pointer: an empty text and a 0 count as absent. */
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

/** `object` with the struct in one field changed; the same object where nothing changed or the field is absent. */
export function withStruct(object: JsonObject, key: string, change: (struct: JsonObject) => JsonObject): JsonObject {
  const before = structAt(object, key)
  return before === undefined ? object : withField(object, key, change(before))
}

/** As `withStruct`, for a struct that is part of its parent: it is there, empty, even where the text has no such field. */
export function withEmbedded(object: JsonObject, key: string, change: (struct: JsonObject) => JsonObject): JsonObject {
  const before = structAt(object, key) ?? noFields
  const after = change(before)
  return after === before ? object : withField(object, key, after)
}

/** `object` with every item of a list of structs changed; the same object where none did. */
export function withItems(object: JsonObject, key: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const before = structsAt(object, key)
  const after = before.map(change)
  return after.every((item, index) => item === before[index]) ? object : withField(object, key, after)
}
