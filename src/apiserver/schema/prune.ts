// Which fields of an object does its schema not know? They are dropped, and their paths are what strict decoding refuses.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { copyOf, setOwn } from './own-fields.ts'
import type { Schema } from './schema.ts'

export interface Pruned {
  /** The same reference where nothing was dropped. */
  readonly object: JsonObject
  /** As `unknown field "…"` names them, in order of text: `spec.x`, `spec.list[0].y`. */
  readonly unknownFields: readonly string[]
}

/** What an object has beside what its schema says: the root of an object, and every embedded one. */
const typeAndMeta: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/** Drops what the schema of a whole object does not know; its apiVersion, kind and metadata stay as they are. */
export function pruneObject(object: JsonObject, schema: Schema): Pruned {
  const pruning = new Pruning()
  const pruned = pruning.root(object, schema)
  return { object: pruned, unknownFields: pruning.unknownFields.sort() }
}

/** Drops what the schema of a part of an object does not know. */
export function pruneValue(value: Json, schema: Schema): Json {
  return new Pruning().value(value, schema)
}

/** The same for an item of a list; a list that preserves what is unknown does so for its items too. */
export function pruneItem(item: Json, list: Schema, schema: Schema): Json {
  return list.preservesUnknownFields ? new Pruning().preservedItem(item, schema) : pruneValue(item, schema)
}

class Pruning {
  readonly unknownFields: string[] = []
  readonly #path: (string | number)[] = []

  root(object: JsonObject, schema: Schema): JsonObject {
    if (schema.preservesUnknownFields) return this.#preserved(object, schema, true)
    return this.#object(object, schema, true)
  }

  value(value: Json, schema: Schema | undefined): Json {
    if (isJsonObject(value)) {
      if (schema === undefined) return this.#emptied(value)
      const isEmbedded = schema.isEmbeddedResource
      return schema.preservesUnknownFields
        ? this.#preserved(value, schema, isEmbedded)
        : this.#object(value, schema, isEmbedded)
    }
    if (!isJsonList(value)) return value
    return schema?.preservesUnknownFields === true
      ? this.#list(value, (item) => this.preservedItem(item, schema.items))
      : this.#list(value, (item) => this.value(item, schema?.items))
  }

  #object(object: JsonObject, schema: Schema, isEmbedded: boolean): JsonObject {
    return this.#fields(object, (key, field) => {
      if (isEmbedded && typeAndMeta.has(key)) return field
      const inner = schema.properties.get(key) ?? additionalOf(schema)
      if (inner === undefined) return this.#unknown(key)
      if (typeof field !== 'object' || field === null) return field
      return this.#below(key, () => this.value(field, inner === true ? undefined : inner))
    })
  }

  /** Keeps what is not named; what is named is pruned again, unless it says otherwise itself. */
  #preserved(object: JsonObject, schema: Schema, isEmbedded: boolean): JsonObject {
    return this.#fields(object, (key, field) => {
      if (isEmbedded && typeAndMeta.has(key)) return field
      const inner = schema.properties.get(key) ?? additionalOf(schema)
      if (inner === undefined) return field
      return this.#below(key, () => this.value(field, inner === true ? undefined : inner))
    })
  }

  /** An item of a list that preserves what is unknown does so too. */
  preservedItem(item: Json, schema: Schema | undefined): Json {
    if (schema === undefined) return item
    if (isJsonObject(item)) return this.#preserved(item, schema, schema.isEmbeddedResource)
    return isJsonList(item) ? this.#list(item, (inner) => this.preservedItem(inner, schema.items)) : item
  }

  #emptied(object: JsonObject): JsonObject {
    return this.#fields(object, (key) => this.#unknown(key))
  }

  #unknown(key: string): undefined {
    // At the root these three are looked at elsewhere.
    if (this.#path.length > 0 || !typeAndMeta.has(key))
      this.unknownFields.push(this.#below(key, () => this.#rendered()))
    return undefined
  }

  /** The object with each field as `keep` has it; undefined drops it. Copied only when something changes. */
  #fields(object: JsonObject, keep: (key: string, field: Json) => Json | undefined): JsonObject {
    let changed: Record<string, Json> | undefined
    for (const key of Object.keys(object)) {
      const field = own(object, key)
      if (field === undefined) continue
      const kept = keep(key, field)
      if (kept === field) continue
      changed ??= copyOf(object)
      if (kept === undefined) delete changed[key]
      else setOwn(changed, key, kept)
    }
    return changed ?? object
  }

  #list(list: readonly Json[], keep: (item: Json) => Json): readonly Json[] {
    let changed: Json[] | undefined
    for (const [index, item] of list.entries()) {
      const kept = this.#below(index, () => keep(item))
      if (kept === item) continue
      changed ??= [...list]
      changed[index] = kept
    }
    return changed ?? list
  }

  #below<Result>(step: string | number, walk: () => Result): Result {
    this.#path.push(step)
    const result = walk()
    this.#path.pop()
    return result
  }

  #rendered(): string {
    return this.#path
      .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
      .join('')
  }
}

/** `additionalProperties: false` keeps a field, so that validation can refuse it. */
function additionalOf(schema: Schema): Schema | true | undefined {
  const { additionalProperties } = schema
  return additionalProperties ?? (own(schema.source, 'additionalProperties') === false ? true : undefined)
}
