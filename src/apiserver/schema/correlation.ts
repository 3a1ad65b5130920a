// Correlation of new and old values for ratcheting: an error in an unchanged part does not reject an update.
// Source: k8s.io/apiserver/pkg/cel/common (equality.go, maplist.go).
import { canonicalJson, deepEqual, isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import type { Schema } from './schema.ts'

/** New value with its old counterpart. Parts without an old value have no correlation. */
export class Correlation {
  readonly value: Json
  readonly old: Json
  readonly #schema: Schema
  readonly #children = new Map<string | number, Correlation>()
  #oldByKey: ReadonlyMap<string, JsonObject> | undefined
  #isEqual: boolean | undefined

  constructor(value: Json, old: Json, schema: Schema) {
    this.value = value
    this.old = old
    this.#schema = schema
  }

  /** True if equal by upstream's rules: list maps in any order; a field without schema never counts as unchanged. */
  get isUnchanged(): boolean {
    this.#isEqual ??= this.#compare()
    return this.#isEqual
  }

  field(name: string): Correlation | undefined {
    const known = this.#children.get(name)
    if (known !== undefined) return known
    if (!isJsonObject(this.value) || !isJsonObject(this.old)) return undefined
    const value = own(this.value, name)
    const old = own(this.old, name)
    if (value === undefined || old === undefined) return undefined
    const { properties, additionalProperties } = this.#schema
    const schema = properties.get(name) ?? additionalProperties
    return typeof schema === 'object' ? this.#keep(name, new Correlation(value, old, schema)) : undefined
  }

  /** Returns the correlation of an item. Only list maps have one, by their keys. */
  item(index: number): Correlation | undefined {
    const known = this.#children.get(index)
    if (known !== undefined) return known
    const { items } = this.#schema
    if (!isJsonList(this.value) || !isJsonList(this.old) || items === undefined) return undefined
    if (this.#schema.listType !== 'map') return undefined
    const value = this.value[index]
    const key = value === undefined ? undefined : itemKey(value, this.#schema.listMapKeys)
    this.#oldByKey ??= itemsByKey(this.old, this.#schema)
    const old = key === undefined ? undefined : this.#oldByKey.get(key)
    return value === undefined || old === undefined ? undefined : this.#keep(index, new Correlation(value, old, items))
  }

  #keep(step: string | number, child: Correlation): Correlation {
    this.#children.set(step, child)
    return child
  }

  #compare(): boolean {
    const { value, old } = this
    if (value === old && typeof value !== 'object') return true
    if (isJsonList(value) && isJsonList(old)) return this.#compareLists(value, old)
    if (isJsonObject(value) && isJsonObject(old)) {
      const keys = Object.keys(value)
      return keys.length === Object.keys(old).length && keys.every((key) => this.field(key)?.isUnchanged === true)
    }
    return deepEqual(value, old)
  }

  #compareLists(value: readonly Json[], old: readonly Json[]): boolean {
    if (value.length !== old.length) return false
    if (this.#schema.listType === 'map' && this.#schema.items !== undefined)
      return value.every((_, index) => this.item(index)?.isUnchanged === true)
    return deepEqual(value, old)
  }
}

function itemsByKey(items: readonly Json[], schema: Schema): ReadonlyMap<string, JsonObject> {
  const byKey = new Map<string, JsonObject>()
  if (schema.type !== 'array') return byKey
  for (const item of items) {
    const key = itemKey(item, schema.listMapKeys)
    // The first of several items with one key counts.
    if (key !== undefined && isJsonObject(item) && !byKey.has(key)) byKey.set(key, item)
  }
  return byKey
}

/** Returns the key; undefined if a key field is missing or not a scalar. */
function itemKey(item: Json, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item) || keys.length === 0) return undefined
  const values = keys.map((key) => own(item, key) ?? null)
  return values.some((value) => value === null || typeof value === 'object') ? undefined : canonicalJson(values)
}
