// CEL view of an API object. Values are made from JSON on demand, by the schema. Rules do not see fields outside the
// schema.
// Source: k8s.io/apiserver/pkg/cel/common/valuesunstructured.go.
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import type { Schema } from '../schema/schema.ts'
import { decodeBase64 } from './base64.ts'
import { parseLooseDuration } from './duration.ts'
import { escapedName, unescapedName } from './escape.ts'
import { ListValue } from './list-value.ts'
import { MapValue } from './map-value.ts'
import type { Meter } from './meter.ts'
import { withTypeAndMetadata } from './resource-schema.ts'
import { SchemaList, schemaListOf } from './schema-list.ts'
import { parseDate, parseDateTime } from './timestamp.ts'
import { Bytes, CelError, Composite, equalTo, noSuchOverload, type Value } from './value.ts'

/** Returns the CEL value of `json`; an error if it violates the schema's type. */
export function schemaValue(json: Json, schema: Schema): Value {
  if (json === null)
    return schema.isNullable ? null : new CelError('invalid data, got null for schema with nullable=false')
  if (schema.isIntOrString) {
    if (typeof json === 'string') return json
    return integerOf(json) ?? new CelError('invalid data, expected XIntOrString value to be either a string or integer')
  }
  switch (schema.type) {
    case 'object':
      return isJsonObject(json)
        ? new ObjectValue(json, schema.isEmbeddedResource ? withTypeAndMetadata(schema) : schema)
        : new CelError('invalid data, expected a map for the provided schema with type=object')
    case 'array':
      return listValue(json, schema)
    case 'string':
      return typeof json === 'string' ? textOf(json, schema.format) : misfit('string', json)
    case 'number':
      return typeof json === 'number' || typeof json === 'bigint' ? Number(json) : misfit('float', json)
    case 'integer':
      return integerOf(json) ?? misfit('int', json)
    case 'boolean':
      return typeof json === 'boolean' ? json : misfit('bool', json)
    default:
      return schema.preservesUnknownFields ? new Preserved(json) : new CelError(untyped)
  }
}

const untyped =
  'invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got '

function misfit(expected: string, json: Json): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${goTypeOf(json)}`)
}

function listValue(json: Json, schema: Schema): Value {
  if (!isJsonList(json)) return new CelError('invalid data, expected an array for the provided schema with type=array')
  return schema.items === undefined
    ? new CelError('invalid array type, expected Items with a non-empty Schema')
    : schemaListOf(json, schema, schema.items, schemaValue)
}

function textOf(text: string, format: string | undefined): Value {
  switch (format) {
    case 'duration':
      return parseLooseDuration(text)
    case 'date':
      return parseDate(text)
    case 'date-time':
      return parseDateTime(text)
    case 'byte': {
      const data = decodeBase64(text)
      return typeof data === 'string' ? new CelError(`Invalid byte formatted string ${text}: ${data}`) : new Bytes(data)
    }
    default:
      return text
  }
}

/** Returns a JSON number as int64; undefined for a fraction or an overflow. */
function integerOf(json: Json): bigint | undefined {
  if (typeof json === 'bigint') return json
  return typeof json === 'number' && Number.isInteger(json) && Math.abs(json) < 2 ** 63 ? BigInt(json) : undefined
}

function goTypeOf(json: Json): string {
  if (isJsonList(json)) return '[]interface {}'
  if (isJsonObject(json)) return 'map[string]interface {}'
  if (typeof json === 'boolean') return 'bool'
  if (typeof json === 'string') return 'string'
  return integerOf(json) === undefined ? 'float64' : 'int64'
}

/** An object with properties, or a map of values of one schema. */
export class ObjectValue extends MapValue {
  readonly json: JsonObject
  readonly #schema: Schema
  /** True: properties have escaped names, and null counts as absent. False: map keys are literal. */
  readonly #isObject: boolean

  constructor(json: JsonObject, schema: Schema) {
    super()
    this.json = json
    this.#schema = schema
    this.#isObject = isJsonObject(own(schema.source, 'properties'))
  }

  get size(): number {
    return Object.keys(this.json).length
  }

  override get canBeZero(): boolean {
    return false
  }

  keys(): Value[] {
    return Object.keys(this.json)
      .filter((key) => this.#schemaOf(key) !== undefined)
      .map((key) => (this.#isObject ? (escapedName(key) ?? key) : key))
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return noSuchOverload(key)
    const name = this.#isObject ? unescapedName(key) : key
    const json = name === undefined ? undefined : own(this.json, name)
    if (name === undefined || json === undefined || (this.#isObject && json === null)) return undefined
    const schema = this.#schemaOf(name)
    return schema === undefined ? undefined : schemaValue(json, schema)
  }

  override equals(other: Value, meter: Meter): Value {
    if (!(other instanceof MapValue)) return noSuchOverload(other)
    const keys = Object.keys(this.json)
    meter.work(keys.length)
    if (other.size !== keys.length) return false
    for (const key of keys) {
      const same =
        this.#schemaOf(key) === undefined ? this.#equalUnknown(key, other) : this.#equalKnown(key, other, meter)
      if (same !== true) return same
    }
    return true
  }

  #equalKnown(key: string, other: MapValue, meter: Meter): Value {
    const [ours, theirs] = [this.find(key), other.find(key)]
    if (ours === undefined || theirs === undefined) return ours === theirs
    return equalTo(ours, theirs, meter)
  }

  #equalUnknown(key: string, other: MapValue): Value {
    if (!(other instanceof ObjectValue)) return noSuchOverload(other)
    const theirs = own(other.json, key)
    return theirs === undefined || deepEqual(own(this.json, key), theirs)
  }

  #schemaOf(key: string): Schema | undefined {
    if (this.#isObject || this.#schema.isEmbeddedResource) return this.#schema.properties.get(key)
    const additional = this.#schema.additionalProperties
    return additional === true ? undefined : additional
  }
}

/** Data without a schema inside a compared value; it supports only equality. */
class Preserved extends Composite {
  readonly typeName = 'unknown'
  readonly json: Json

  constructor(json: Json) {
    super()
    this.json = json
  }

  equals(other: Value): Value {
    if (other instanceof Preserved) return deepEqual(this.json, other.json)
    return !(other instanceof Composite) && deepEqual(this.json, other)
  }
}

/**
 * Returns a value after its use in an optional variable. The API server then loses its schema: names are not unescaped,
 * dates are texts,
 * and numbers are int or double as written.
 */
export function withoutSchema(value: Value): Value {
  if (value instanceof ObjectValue) return new JsonMap(value.json)
  return value instanceof SchemaList ? new JsonList(value.raw) : value
}

function plainValueOf(json: Json | Value): Value {
  if (json instanceof Composite) return json
  if (isJsonList(json)) return new JsonList(json)
  if (isJsonObject(json)) return new JsonMap(json)
  return typeof json === 'number' ? (integerOf(json) ?? json) : json
}

class JsonList extends ListValue {
  readonly #elements: readonly (Json | Value)[]

  constructor(elements: readonly (Json | Value)[]) {
    super()
    this.#elements = elements
  }

  get size(): number {
    return this.#elements.length
  }

  protected element(position: number): Value {
    return plainValueOf(this.#elements[position] ?? null)
  }
}

class JsonMap extends MapValue {
  readonly #json: JsonObject

  constructor(json: JsonObject) {
    super()
    this.#json = json
  }

  get size(): number {
    return Object.keys(this.#json).length
  }

  keys(): Value[] {
    return Object.keys(this.#json)
  }

  find(key: Value): Value | undefined {
    const json = typeof key === 'string' ? own(this.#json, key) : undefined
    return json === undefined ? undefined : plainValueOf(json)
  }
}
