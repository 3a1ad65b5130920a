// Lists of an API object. Equality and concatenation depend on the list type: atomic lists by position, sets by
// membership, map lists
// by key. Source: k8s.io/apiserver/pkg/cel/common/valuesunstructured.go.
import { isJsonObject, type Json, own } from '../../base/json.ts'
import type { Schema } from '../schema/schema.ts'
import { escapedName } from './escape.ts'
import { ListValue } from './list-value.ts'
import type { Meter } from './meter.ts'
import { shown } from './shown.ts'
import { CelError, Composite, equalTo, noSuchOverload, type Value } from './value.ts'

/** Stored element: JSON of the object, or a value that a rule added. */
type Raw = Json | Composite

/** Makes a value by a schema. A parameter, because values and lists depend on each other. */
type Make = (json: Json, schema: Schema) => Value

export class SchemaList extends ListValue {
  readonly raw: readonly Raw[]
  protected readonly items: Schema
  protected readonly make: Make

  constructor(raw: readonly Raw[], items: Schema, make: Make) {
    super()
    this.raw = raw
    this.items = items
    this.make = make
  }

  override get size(): number {
    return this.raw.length
  }

  override get canBeZero(): boolean {
    return false
  }

  protected element(position: number): Value {
    return this.made(this.raw[position] ?? null)
  }

  protected made(raw: Raw): Value {
    if (!(raw instanceof Composite)) return this.make(raw, this.items)
    // An added value has no schema; the API server accepts here only texts, numbers and API objects.
    return raw instanceof RawDouble && this.items.type === 'number' ? raw.value : misfitFault(raw, this.items)
  }

  override get(index: Value): Value {
    if (typeof index !== 'bigint')
      return index instanceof CelError ? index : new CelError(`unsupported index: ${shown(index)}`)
    const position = Number(index)
    return position < 0 || position >= this.size
      ? new CelError(`index out of bounds: ${index}`)
      : this.element(position)
  }

  override equals(other: Value, meter: Meter): Value {
    if (!(other instanceof ListValue)) return noSuchOverload(other)
    if (other.size !== this.size) return false
    meter.work(this.size)
    for (let position = 0; position < this.size; position++) {
      const same = equalTo(this.at(position), other.at(position), meter)
      if (same !== true) return same
    }
    return true
  }

  override contains(value: Value, meter: Meter): Value {
    if (value instanceof CelError) return value
    meter.work(this.size)
    let fault: Value = false
    for (let position = 0; position < this.size; position++) {
      const same = equalTo(this.at(position), value, meter)
      if (same === true) return true
      if (typeof same !== 'boolean' && fault === false) fault = noSuchOverload(same)
    }
    return fault
  }

  override plus(other: Value, meter: Meter): Value {
    if (!(other instanceof ListValue)) return noSuchOverload(other)
    const added = rawElementsOf(other)
    meter.work(this.size + added.length)
    return new SchemaList([...this.raw, ...added], this.items, this.make)
  }
}

class SetList extends SchemaList {
  override equals(other: Value, meter: Meter): Value {
    if (!(other instanceof ListValue)) return noSuchOverload(other)
    if (other.size !== this.size) return false
    meter.work(this.size)
    const known = new Set(this.raw.map(identityOf))
    return rawElementsOf(other).every((raw) => known.has(identityOf(raw)))
  }

  override plus(other: Value, meter: Meter): Value {
    if (!(other instanceof ListValue)) return noSuchOverload(other)
    const added = rawElementsOf(other)
    meter.work(this.size + added.length)
    const known = new Set(this.raw.map(identityOf))
    const fresh = added.filter((raw) => !known.has(identityOf(raw)) && known.add(identityOf(raw)))
    return new SetList([...this.raw, ...fresh], this.items, this.make)
  }
}

class KeyedList extends SchemaList {
  readonly #keys: readonly string[]

  constructor(raw: readonly Raw[], items: Schema, make: Make, keys: readonly string[]) {
    super(raw, items, make)
    this.#keys = keys
  }

  override equals(other: Value, meter: Meter): Value {
    if (!(other instanceof ListValue)) return noSuchOverload(other)
    if (other.size !== this.size) return false
    meter.work(this.size)
    const known = new Map(this.raw.map((raw) => [this.#keyOf(raw), raw]))
    for (let position = 0; position < other.size; position++) {
      const theirs = other.at(position)
      const ours = known.get(this.#keyOf(rawOf(theirs)))
      if (ours === undefined) return false
      const same = equalTo(this.made(ours), theirs, meter)
      if (same !== true) return same
    }
    return true
  }

  /** Replaces elements with the same key in place, and appends the others. */
  override plus(other: Value, meter: Meter): Value {
    if (!(other instanceof ListValue)) return noSuchOverload(other)
    const added = rawElementsOf(other)
    meter.work(this.size + added.length)
    const elements = [...this.raw]
    const positions = new Map(elements.map((raw, position) => [this.#keyOf(raw), position]))
    for (const raw of added) elements[positions.get(this.#keyOf(raw)) ?? elements.length] = raw
    return new KeyedList(elements, this.items, this.make, this.#keys)
  }

  /** An element that is no object has a unique key. The key names are escaped, as in the API server. */
  #keyOf(raw: Raw): string | symbol {
    if (raw instanceof Composite || !isJsonObject(raw)) return Symbol('no object')
    return this.#keys.map((key) => identityOf(own(raw, key) ?? null)).join('\u0000')
  }
}

export function schemaListOf(raw: readonly Json[], schema: Schema, items: Schema, make: Make): Value {
  switch (schema.listType) {
    case 'set':
      return new SetList(raw, items, make)
    case 'map':
      return new KeyedList(
        raw,
        items,
        make,
        schema.listMapKeys.map((key) => escapedName(key) ?? key),
      )
    default:
      return new SchemaList(raw, items, make)
  }
}

/** A double that a rule added; in JSON, a whole double would become an integer. */
class RawDouble extends Composite {
  readonly typeName = 'double'
  readonly value: number

  constructor(value: number) {
    super()
    this.value = value
  }

  equals(): Value {
    return false
  }
}

function rawElementsOf(list: ListValue): readonly Raw[] {
  return Array.from({ length: list.size }, (_, position) => rawOf(list.at(position)))
}

/** Returns a value as the API server would store it in a list of the object. */
function rawOf(value: Value): Raw {
  if (typeof value === 'number') return new RawDouble(value)
  if (!(value instanceof Composite)) return value
  if (value instanceof SchemaList)
    return value.raw.some((raw) => raw instanceof Composite) ? value : (value.raw as Json[]) // Checked.
  return 'json' in value ? (value.json as Json) : value // An ObjectValue or preserved data.
}

function identityOf(raw: Raw): string | symbol {
  if (raw instanceof RawDouble) return `double ${raw.value}`
  if (raw instanceof Composite) return Symbol('equal to nothing')
  if (typeof raw === 'number' || typeof raw === 'bigint')
    return `${Number.isInteger(Number(raw)) ? 'int' : 'double'} ${raw}`
  return `${typeof raw} ${String(raw)}`
}

const goTypes: Readonly<Record<string, string>> = {
  double: 'float64',
  bytes: '[]uint8',
  'google.protobuf.Duration': 'time.Duration',
  'google.protobuf.Timestamp': 'time.Time',
}

function misfitFault(raw: Composite, items: Schema): CelError {
  switch (items.type) {
    case 'object':
      return new CelError('invalid data, expected a map for the provided schema with type=object')
    case 'array':
      return new CelError('invalid data, expected an array for the provided schema with type=array')
    default:
      return new CelError(
        `invalid data, expected ${items.type ?? 'a value'}, got ${goTypes[raw.typeName] ?? raw.typeName}`,
      )
  }
}
