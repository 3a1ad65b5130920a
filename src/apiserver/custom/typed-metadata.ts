// Decoding of the metadata of custom and embedded objects, as for built-in kinds. It drops and reports unknown fields,
// and drops
// empty ones. A value of the wrong type rejects the object.
// Sources: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta/coerce.go, Go's encoding/json.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { goJson } from '../field-error.ts'
import { parseRfc3339 } from '../rfc3339.ts'

export interface TypedMetadata {
  readonly metadata: JsonObject
  /** Paths relative to the metadata: `x`, `ownerReferences[0].y`. */
  readonly unknownFields: readonly string[]
  /** Reason why the metadata does not decode: the first one in key order. */
  readonly fault: string | undefined
}

type FieldType =
  | { readonly kind: 'text'; readonly goType: string; readonly isKept?: boolean }
  | { readonly kind: 'integer' | 'optionalInteger' | 'optionalBoolean' | 'time' | 'raw' | 'textMap' | 'textList' }
  | { readonly kind: 'structList'; readonly struct: Struct; readonly goType: string }

interface Struct {
  readonly name: string
  readonly fields: ReadonlyMap<string, FieldType>
}

const text: FieldType = { kind: 'text', goType: 'string' }
const keptText: FieldType = { kind: 'text', goType: 'string', isKept: true }
const time: FieldType = { kind: 'time' }

const ownerReference: Struct = {
  name: 'OwnerReference',
  fields: new Map<string, FieldType>([
    ['apiVersion', keptText],
    ['kind', keptText],
    ['name', keptText],
    ['uid', { kind: 'text', goType: 'types.UID', isKept: true }],
    ['controller', { kind: 'optionalBoolean' }],
    ['blockOwnerDeletion', { kind: 'optionalBoolean' }],
  ]),
}

const managedFieldsEntry: Struct = {
  name: 'ManagedFieldsEntry',
  fields: new Map<string, FieldType>([
    ['manager', text],
    ['operation', { kind: 'text', goType: 'v1.ManagedFieldsOperationType' }],
    ['apiVersion', text],
    ['time', time],
    ['fieldsType', text],
    ['fieldsV1', { kind: 'raw' }],
    ['subresource', text],
  ]),
}

const objectMeta: Struct = {
  name: 'ObjectMeta',
  fields: new Map<string, FieldType>([
    ['name', text],
    ['generateName', text],
    ['namespace', text],
    ['selfLink', text],
    ['uid', { kind: 'text', goType: 'types.UID' }],
    ['resourceVersion', text],
    ['generation', { kind: 'integer' }],
    ['creationTimestamp', time],
    ['deletionTimestamp', time],
    ['deletionGracePeriodSeconds', { kind: 'optionalInteger' }],
    ['labels', { kind: 'textMap' }],
    ['annotations', { kind: 'textMap' }],
    ['ownerReferences', { kind: 'structList', struct: ownerReference, goType: '[]v1.OwnerReference' }],
    ['finalizers', { kind: 'textList' }],
    ['managedFields', { kind: 'structList', struct: managedFieldsEntry, goType: '[]v1.ManagedFieldsEntry' }],
  ]),
}

/** Decodes metadata. Returns the same reference if nothing changes, which is the usual case. */
export function typedMetadata(value: Json): TypedMetadata {
  if (value === null) return { metadata: {}, unknownFields: [], fault: undefined }
  if (!isJsonObject(value)) {
    const fault = `json: cannot unmarshal ${jsonType(value)} into Go value of type v1.ObjectMeta`
    return { metadata: {}, unknownFields: [], fault }
  }
  const reader = new Reader()
  const metadata = reader.struct(value, objectMeta)
  return { metadata, unknownFields: reader.unknownFields, fault: reader.fault }
}

/** Returns the name of a JSON type as in Go's decoder. */
function jsonType(value: Json): string {
  if (isJsonList(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

class Reader {
  readonly unknownFields: string[] = []
  fault: string | undefined
  readonly #fields: string[] = []
  readonly #path: (string | number)[] = []
  #struct = objectMeta

  struct(value: JsonObject, struct: Struct): JsonObject {
    const outer = this.#struct
    this.#struct = struct
    let isChanged = false
    const fields: [string, Json][] = []
    // The server decodes keys in sorted order, which decides the first fault.
    for (const key of Object.keys(value).sort()) {
      const field = own(value, key)
      if (field === undefined) continue
      const read = this.#field(key, field, struct.fields.get(key))
      isChanged ||= read !== field
      if (read !== undefined) fields.push([key, read])
    }
    for (const [key, type] of struct.fields)
      if (type.kind === 'text' && type.isKept === true && own(value, key) === undefined) {
        isChanged = true
        fields.push([key, ''])
      }
    this.#struct = outer
    return isChanged ? Object.fromEntries(fields) : value
  }

  #field(key: string, value: Json, type: FieldType | undefined): Json | undefined {
    this.#path.push(key)
    if (type === undefined) this.unknownFields.push(renderedPath(this.#path))
    this.#fields.push(key)
    const read = type === undefined ? undefined : this.#typed(value, type)
    this.#fields.pop()
    this.#path.pop()
    return read
  }

  #typed(value: Json, type: FieldType): Json | undefined {
    switch (type.kind) {
      case 'text':
        return this.#text(value, type.goType, type.isKept === true)
      case 'integer':
        return this.#integer(value) || undefined
      case 'optionalInteger':
        return this.#integer(value)
      case 'optionalBoolean':
        return typeof value === 'boolean' ? value : this.#mismatch(value, 'bool')
      case 'time':
        return this.#time(value)
      case 'raw':
        return value ?? undefined
      case 'textMap':
        return this.#textMap(value)
      case 'textList':
        return this.#list(value, '[]string', (item) => this.#text(item, 'string', true) ?? '')
      case 'structList':
        return this.#list(value, type.goType, (item) => this.#item(item, type.struct))
    }
  }

  #text(value: Json, goType: string, isKept: boolean): string | undefined {
    if (typeof value === 'string') return value === '' && !isKept ? undefined : value
    this.#mismatch(value, goType)
    return isKept ? '' : undefined
  }

  #integer(value: Json): number | bigint | undefined {
    if (
      typeof value === 'bigint' ||
      (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63)
    )
      return value
    if (typeof value === 'number') return this.#mismatch(`number ${goJson(value)}`, 'int64', true)
    return this.#mismatch(value, 'int64')
  }

  #time(value: Json): string | undefined {
    if (typeof value !== 'string') return this.#mismatch(value, 'string')
    const parsed = parseRfc3339(value)
    if ('fault' in parsed) this.fault ??= parsed.fault
    return 'time' in parsed ? parsed.time : undefined
  }

  #textMap(value: Json): JsonObject | undefined {
    if (!isJsonObject(value)) return this.#mismatch(value, 'map[string]string')
    const keys = Object.keys(value)
    if (keys.length === 0) return undefined
    if (keys.every((key) => typeof value[key] === 'string')) return value
    const entries = keys
      .sort()
      .map((key): [string, string] => [key, this.#text(own(value, key) ?? null, 'string', true) ?? ''])
    return Object.fromEntries(entries)
  }

  #list(value: Json, goType: string, read: (item: Json) => Json): readonly Json[] | undefined {
    if (!isJsonList(value)) return this.#mismatch(value, goType)
    if (value.length === 0) return undefined
    const items = value.map((item, index) => {
      this.#path.push(index)
      const result = read(item)
      this.#path.pop()
      return result
    })
    return items.every((item, index) => item === value[index]) ? value : items
  }

  #item(item: Json, struct: Struct): JsonObject {
    if (isJsonObject(item)) return this.struct(item, struct)
    this.#mismatch(item, `v1.${struct.name}`)
    return this.struct({}, struct)
  }

  /** Handles a value of the wrong type; null counts as absent. */
  #mismatch(value: Json, goType: string, isWorded = false): undefined {
    if (value === null) return undefined
    const found = isWorded ? String(value) : jsonType(value)
    this.fault ??= `json: cannot unmarshal ${found} into Go struct field ${this.#struct.name}.${this.#fields.join('.')} of type ${goType}`
    return undefined
  }
}

function renderedPath(path: readonly (string | number)[]): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('')
}
