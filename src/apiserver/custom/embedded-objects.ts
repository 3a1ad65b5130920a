// Decoding and validation of embedded objects of a custom object: each has an apiVersion, a kind and metadata.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta (algorithm.go, validation.go).
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { type FieldError, invalid, required, sortedByKey } from '../field-error.ts'
import { dns1035Label, pathSegmentName } from '../name-rules.ts'
import { validateObjectMeta } from '../object-meta.ts'
import { copyOf, setOwn } from '../schema/own-fields.ts'
import type { Schema } from '../schema/schema.ts'
import { typedMetadata } from './typed-metadata.ts'

export interface Coerced {
  /** The same reference if nothing changes. */
  readonly value: Json
  readonly unknownFields: readonly string[]
  /** First value that does not decode as an object. */
  readonly error: FieldError | undefined
}

/** Decodes type and metadata of every embedded object; `field` is the path of the value, empty for a whole object. */
export function coerceEmbedded(value: Json, schema: Schema, field = ''): Coerced {
  if (!hasEmbedded(schema)) return { value, unknownFields: [], error: undefined }
  const coercion = new Coercion()
  const coerced = coercion.value(value, schema, field)
  return { value: coerced, unknownFields: coercion.unknownFields.sort(), error: coercion.error }
}

export function validateEmbedded(value: Json, schema: Schema, field: string): FieldError[] {
  if (!hasEmbedded(schema)) return []
  const own = schema.isEmbeddedResource && isJsonObject(value) ? embeddedErrors(value, field) : []
  return [
    ...own,
    ...childrenOf(value, schema, field).flatMap(([inner, below, at]) => validateEmbedded(inner, below, at)),
  ]
}

class Coercion {
  readonly unknownFields: string[] = []
  error: FieldError | undefined

  value(value: Json, schema: Schema | undefined, field: string): Json {
    if (schema === undefined || !hasEmbedded(schema)) return value
    if (isJsonList(value)) {
      const items = value.map((item, index) => this.value(item, schema.items, `${field}[${index}]`))
      return items.every((item, index) => item === value[index]) ? value : items
    }
    if (!isJsonObject(value)) return value
    let changed: Record<string, Json> | undefined
    for (const key of Object.keys(value).sort()) {
      const inner = own(value, key)
      if (inner === undefined) continue
      const typed = schema.isEmbeddedResource ? this.#typeOrMetadata(key, inner, field) : inner
      const [, below, at] = childOf(schema, key, field)
      const coerced = this.value(typed, below, at)
      if (coerced === inner) continue
      changed ??= copyOf(value)
      setOwn(changed, key, coerced)
    }
    return changed ?? value
  }

  #typeOrMetadata(key: string, value: Json, field: string): Json {
    const at = field === '' ? key : `${field}.${key}`
    if ((key === 'apiVersion' || key === 'kind') && typeof value !== 'string')
      this.error ??= invalid(at, sortedByKey(value), 'must be a string')
    if (key !== 'metadata') return value
    const { metadata, unknownFields, fault } = typedMetadata(value)
    this.unknownFields.push(...unknownFields.map((name) => `${at}.${name}`))
    if (fault !== undefined) this.error ??= invalid(at, sortedByKey(value), fault)
    return metadata
  }
}

function embeddedErrors(object: JsonObject, field: string): FieldError[] {
  const at = (key: string): string => (field === '' ? key : `${field}.${key}`)
  const apiVersion = own(object, 'apiVersion')
  const kind = own(object, 'kind')
  const metadata = own(object, 'metadata')
  return [
    ...(apiVersion === undefined ? [required(at('apiVersion'))] : apiVersionErrors(apiVersion, at('apiVersion'))),
    ...(kind === undefined ? [required(at('kind'))] : kindErrors(kind, at('kind'))),
    ...(metadata === undefined ? [] : metadataErrors(metadata, at('metadata'))),
  ]
}

function apiVersionErrors(apiVersion: Json, field: string): FieldError[] {
  if (typeof apiVersion !== 'string') return [invalid(field, sortedByKey(apiVersion), 'must be a string')]
  if (apiVersion === '') return [invalid(field, apiVersion, 'must not be empty')]
  const slashes = apiVersion.split('/').length - 1
  return apiVersion === '/' || slashes < 2
    ? []
    : [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
}

function kindErrors(kind: Json, field: string): FieldError[] {
  if (typeof kind !== 'string') return [invalid(field, sortedByKey(kind), 'must be a string')]
  if (kind === '') return [invalid(field, kind, 'must not be empty')]
  const faults = dns1035Label(kind.toLowerCase())
  if (faults.length === 0) return []
  return [invalid(field, kind, `may have mixed case, but should otherwise match: ${faults.join(',')}`)]
}

function metadataErrors(value: Json, field: string): FieldError[] {
  const { metadata, fault } = typedMetadata(value)
  if (fault !== undefined) return [invalid(field, sortedByKey(value), fault)]
  return validateObjectMeta({
    // An embedded object may lack a name.
    metadata: own(metadata, 'name') === undefined ? { ...metadata, name: 'fakename' } : metadata,
    isNamespaced: own(metadata, 'namespace') !== undefined,
    validateName: pathSegmentName,
    field,
  })
}

type Child = readonly [value: Json, schema: Schema, field: string]

function childrenOf(value: Json, schema: Schema, field: string): Child[] {
  if (isJsonList(value)) {
    const { items } = schema
    return items === undefined ? [] : value.map((item, index): Child => [item, items, `${field}[${index}]`])
  }
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]): Child[] => {
    const [, below, at] = childOf(schema, key, field)
    return inner === undefined || below === undefined ? [] : [[inner, below, at]]
  })
}

function childOf(schema: Schema, key: string, field: string): readonly [string, Schema | undefined, string] {
  const property = schema.properties.get(key)
  if (property !== undefined) return [key, property, field === '' ? key : `${field}.${key}`]
  const { additionalProperties } = schema
  return [key, typeof additionalProperties === 'object' ? additionalProperties : undefined, `${field}[${key}]`]
}

const embeddedBelow = new WeakMap<Schema, boolean>()

/** Returns true if the schema has an embedded object. Schemas of custom kinds are finite trees. */
function hasEmbedded(schema: Schema): boolean {
  const known = embeddedBelow.get(schema)
  if (known !== undefined) return known
  const inner = [...schema.properties.values(), schema.items, schema.additionalProperties]
  const found = schema.isEmbeddedResource || inner.some((field) => typeof field === 'object' && hasEmbedded(field))
  embeddedBelow.set(schema, found)
  return found
}
