// Pruning: drops fields that the schema does not know. Their paths are the errors of strict decoding.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { copyOf, setOwn } from './own-fields.ts'
import type { Schema } from './schema.ts'

export interface Pruned {
  /** The same reference if nothing was dropped. */
  readonly object: JsonObject
  /** Paths as in `unknown field "…"`, sorted: `spec.x`, `spec.list[0].y`. */
  readonly unknownFields: readonly string[]
}

/** Fields that every object has besides its schema: at its root, and in embedded objects. */
const typeAndMeta: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/** Prunes a whole object; its apiVersion, kind and metadata stay unchanged. */
export function pruneObject(object: JsonObject, schema: Schema): Pruned {
  const pruning = new Pruning()
  const pruned = pruning.root(object, schema)
  return { object: pruned, unknownFields: pruning.unknownFields.sort() }
}

/** Prunes a part of an object. */
export function pruneValue(value: Json, schema: Schema): Json {
  return new Pruning().value(value, schema)
}

/** Prunes a list item. A list that preserves unknown fields does so for its items too. */
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

  /** Keeps undeclared fields. Declared ones are pruned, unless their own schema preserves unknown fields. */
  #preserved(object: JsonObject, schema: Schema, isEmbedded: boolean): JsonObject {
    return this.#fields(object, (key, field) => {
      if (isEmbedded && typeAndMeta.has(key)) return field
      const inner = schema.properties.get(key) ?? additionalOf(schema)
      if (inner === undefined) return field
      return this.#below(key, () => this.value(field, inner === true ? undefined : inner))
    })
  }

  /** Prunes an item of a list that preserves unknown fields; the item preserves them too. */
  preservedItem(item: Json, schema: Schema | undefined): Json {
    if (schema === undefined) return item
    if (isJsonObject(item)) return this.#preserved(item, schema, schema.isEmbeddedResource)
    return isJsonList(item) ? this.#list(item, (inner) => this.preservedItem(inner, schema.items)) : item
  }

  #emptied(object: JsonObject): JsonObject {
    return this.#fields(object, (key) => this.#unknown(key))
  }

  #unknown(key: string): undefined {
    // At the root, other code checks these three.
    if (this.#path.length > 0 || !typeAndMeta.has(key))
      this.unknownFields.push(this.#below(key, () => this.#rendered()))
    return undefined
  }

  /** Maps each field by `keep`; undefined drops it. Copies only on a change. */
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

/**
 * Returns the schema of undeclared fields. `additionalProperties: false` keeps them, so that validation can reject
 * them.
 */
function additionalOf(schema: Schema): Schema | true | undefined {
  const { additionalProperties } = schema
  return additionalProperties ?? (own(schema.source, 'additionalProperties') === false ? true : undefined)
}
