// Codec of built-in kinds: decodes a body as Go's strict JSON decoder and normalizes it as the encoder writes it.
// It drops and reports unknown fields, writes values in canonical form and sorts fields in the order of the kind.
// A body in canonical form comes back as the same object, and so does each canonical part.
// Source: sigs.k8s.io/json; k8s.io/apimachinery/pkg/runtime/serializer/json; apiserver/pkg/endpoints/handlers/rest.go.
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import { goQuoted } from '../field-error.ts'
import { StatusError } from '../status-error.ts'
import type { Decoded } from '../strategy.ts'
import { type Fault, misfit, readBytes, readInteger, readIntOrString, readMoment, readQuantity } from './go-scalar.ts'
import type { GoField, GoList, GoMap, GoSchemaChoice, GoStruct, GoType } from './go-type.ts'

/** Kind with its type for the codec; BuiltInDataLoader makes these. */
export interface BuiltInKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly type: GoStruct
  /** Protocol buffers store neither empty lists, which become `null`, nor fractions of times. */
  readonly isKeptAsProto: boolean
}

/**
 * Error for a body that does not decode as its kind. Most endpoints answer 400; a patch wraps `reason` in its own
 * rejection.
 */
export class DecodeError extends StatusError {
  /** The decoder's message without the kind: `json: cannot unmarshal string into Go struct field …`. */
  readonly reason: string

  constructor({ kind, version }: Pick<BuiltInKind, 'kind' | 'version'>, reason: string) {
    const message = `${kind} in version "${version}" cannot be handled as a ${kind}: ${reason}`
    super({ code: 400, reason: 'BadRequest', message })
    this.reason = reason
  }
}

/** Throws DecodeError. Requires that the body's apiVersion and kind were checked; the result has both. */
export function decodeBuiltIn(kind: BuiltInKind, body: JsonObject): Decoded {
  const reader = new TypedReader(kind.isKeptAsProto)
  const read = reader.readRoot(kind.type, body)
  if ('fault' in read) throw new DecodeError(kind, read.fault)
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
  // The root is a struct, which decodes to an object.
  const object = read.value as JsonObject
  const isNamed = object['apiVersion'] === apiVersion && object['kind'] === kind.kind
  return {
    object: isNamed ? object : { kind: kind.kind, apiVersion, ...withoutName(object) },
    strictErrors: reader.strictErrors,
  }
}

function withoutName({ kind: _, apiVersion: __, ...rest }: JsonObject): JsonObject {
  return rest
}

/** Ends the decoding at once. After any other fault the decoding continues, and the first fault is reported. */
class Abort extends Error {
  readonly text: string

  constructor(text: string) {
    super(text)
    this.text = text
  }
}

const maxStrictErrors = 100

/**
 * Canonical structs by storage form, each with its type. An object is decoded again after defaulting and preparation,
 * which change
 * little of it. Only large structs (containers, whole specs) are worth the memory.
 */
const unchanged = { asProto: new WeakMap<JsonObject, GoStruct>(), asJson: new WeakMap<JsonObject, GoStruct>() }
const fieldsOfLarge = 12

/** Decodes one body. */
class TypedReader {
  readonly #strictErrors = new Set<string>()
  readonly #isKeptAsProto: boolean
  readonly #unchanged: WeakMap<JsonObject, GoStruct>
  /** Path from the root: fields of structs, keys of maps, indexes of lists. */
  readonly #path: (GoField | string | number)[]
  #fault: string | undefined

  constructor(isKeptAsProto: boolean, path: readonly (GoField | string | number)[] = []) {
    this.#isKeptAsProto = isKeptAsProto
    this.#unchanged = isKeptAsProto ? unchanged.asProto : unchanged.asJson
    this.#path = [...path]
  }

  get strictErrors(): readonly string[] {
    return [...this.#strictErrors]
  }

  readRoot(type: GoType, value: Json): { readonly value: Json } | { readonly fault: string } {
    try {
      const read = this.#read(type, value)
      return this.#fault === undefined ? { value: read } : { fault: this.#fault }
    } catch (thrown) {
      if (thrown instanceof Abort) return { fault: thrown.text }
      throw thrown
    }
  }

  #read(type: GoType, value: Json): Json {
    switch (type.form) {
      case 'struct':
        return this.#struct(type, value)
      case 'list':
        return this.#list(type, value)
      case 'map':
        return this.#map(type, value)
      case 'pointer':
        return value === null ? null : this.#read(type.to, value)
      case 'string':
        if (typeof value === 'string') return value
        return value === null ? '' : this.#saved(misfit(value, type.goName), '')
      case 'bool':
        if (typeof value === 'boolean') return value
        return value === null ? false : this.#saved(misfit(value, type.goName), false)
      case 'int32':
      case 'int64': {
        const reading = readInteger(value, type.form, type.goName)
        return 'value' in reading ? reading.value : this.#saved(reading, 0)
      }
      case 'float64':
        if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
        return value === null ? 0 : this.#saved(misfit(value, type.goName), 0)
      case 'bytes': {
        const reading = readBytes(value, type.goName)
        return 'value' in reading ? reading.value : this.#saved(reading, null)
      }
      case 'raw':
        return value
      case 'quantity':
        return this.#orAbort(readQuantity(value))
      case 'time':
      case 'microTime':
        return this.#orAbort(readMoment(value, type.form, this.#isKeptAsProto))
      case 'intOrString':
        return this.#orAbort(readIntOrString(value))
      default:
        return this.#schemaChoice(type, value)
    }
  }

  #struct(type: GoStruct, value: Json): Json {
    if (!isJsonObject(value)) {
      if (value !== null) this.#saved(misfit(value, type.goName), null)
      return zeroStruct(type)
    }
    if (this.#unchanged.get(value) === type) return value
    let isSame = true
    let last = -1
    let always = 0
    /** Fields that change; `undefined` for fields that are not written at all. */
    let changed: Map<string, Json | undefined> | undefined
    for (const key of Object.keys(value)) {
      const field = type.fields.get(key)
      const sent = value[key]
      if (field === undefined || sent === undefined) {
        isSame = false
        if (field === undefined) this.#reportUnknown(key)
        continue
      }
      this.#path.push(field)
      const read = this.#read(field.type, sent)
      this.#path.pop()
      if (isLeftOut(field, sent, read)) changed = (changed ?? new Map()).set(key, undefined)
      else if (read !== sent) changed = (changed ?? new Map()).set(key, read)
      if (field.isLeftOut === 'never') always++
      if (field.index < last) isSame = false
      last = field.index
    }
    if (!isSame || changed !== undefined || always !== type.alwaysWritten.length) return written(type, value, changed)
    // An invalid struct decodes to a different value, so this one had nothing to report.
    if (type.fields.size >= fieldsOfLarge) this.#unchanged.set(value, type)
    return value
  }

  #list(type: GoList, value: Json): Json {
    if (value === null) return null
    if (!isJsonList(value)) return this.#saved(misfit(value, type.goName), null)
    if (value.length === 0) return this.#isKeptAsProto ? null : value
    let changed: Json[] | undefined
    for (const [index, item] of value.entries()) {
      this.#path.push(index)
      const read = this.#read(type.items, item)
      this.#path.pop()
      if (read === item) continue
      changed ??= [...value]
      changed[index] = read
    }
    return changed ?? value
  }

  #map(type: GoMap, value: Json): Json {
    if (value === null) return null
    if (!isJsonObject(value)) return this.#saved(misfit(value, type.goName), null)
    const entries: [string, Json][] = []
    let isSame = true
    let last = ''
    for (const key of Object.keys(value)) {
      const sent = value[key]
      if (sent === undefined) {
        isSame = false
        continue
      }
      this.#path.push(key)
      const read = this.#readMapValue(type.values, sent)
      this.#path.pop()
      if (read !== sent || key < last) isSame = false
      last = key
      entries.push([key, read])
    }
    if (entries.length === 0 && this.#isKeptAsProto) return null
    if (isSame) return value
    const sorted = Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)))
    return isSameObject(sorted, value) ? value : sorted
  }

  /** Only JSON distinguishes an empty byte string from none. */
  #readMapValue(type: GoType, value: Json): Json {
    const read = this.#read(type, value)
    return read === null && type.form === 'bytes' && this.#isKeptAsProto ? '' : read
  }

  /** Decodes the nested value separately: without strict errors, and the first fault aborts. */
  #schemaChoice(type: GoSchemaChoice, value: Json): Json {
    if (isJsonObject(value)) return this.#apart(type.schema, value)
    if (type.form === 'schemaOrBool') {
      return typeof value === 'boolean' ? value : this.#abort('boolean or JSON schema expected')
    }
    if (!isJsonList(value)) return null
    const items: GoType = type.form === 'schemaOrList' ? type.schema : { form: 'string', goName: 'string' }
    const goName = type.form === 'schemaOrList' ? '[]v1.JSONSchemaProps' : '[]string'
    const read = this.#apart({ form: 'list', goName, items }, value)
    return isJsonList(read) && read.length > 0 ? read : null
  }

  #apart(type: GoType, value: Json): Json {
    const read = new TypedReader(this.#isKeptAsProto, this.#path).readRoot(type, value)
    return 'fault' in read ? this.#abort(read.fault) : read.value
  }

  #reportUnknown(key: string): void {
    if (this.#strictErrors.size >= maxStrictErrors) return
    this.#strictErrors.add(`unknown field ${goQuoted(strictPath([...this.#path, key]))}`)
  }

  /** Records the first fault and continues with the zero value, as Go does. */
  #saved(fault: Fault, zero: Json): Json {
    this.#fault ??= this.#textOf(fault)
    return zero
  }

  #orAbort(reading: { readonly value: Json } | Fault): Json {
    return 'value' in reading ? reading.value : this.#abort(this.#textOf(reading))
  }

  #abort(text: string): never {
    throw new Abort(text)
  }

  #textOf(fault: Fault): string {
    if ('fault' in fault) return fault.fault
    const { what, goName } = fault.misfit
    const fields = this.#path.filter((step) => typeof step === 'object')
    const owner = fields.at(-1)?.owner
    if (owner === undefined) return `json: cannot unmarshal ${what} into Go value of type ${goName}`
    const path = fields.map(({ name, embeddedIn }) => (embeddedIn === '' ? name : `${embeddedIn}.${name}`)).join('.')
    return `json: cannot unmarshal ${what} into Go struct field ${owner}.${path} of type ${goName}`
  }
}

function strictPath(steps: readonly (GoField | string | number)[]): string {
  return steps
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      const name = typeof step === 'string' ? step : step.name
      return index === 0 ? name : `.${name}`
    })
    .join('')
}

function isLeftOut({ isLeftOut: when, type }: GoField, sent: Json, read: Json): boolean {
  if (when === 'never') return false
  // A value behind a pointer counts as present even if empty; so does a zero time written as null.
  if (type.form === 'pointer') return sent === null
  if (read === null) return true
  if (when === 'whenZero') return false
  if (isJsonList(read)) return read.length === 0
  return read === '' || read === 0 || read === false || (typeof read === 'object' && isBare(read))
}

function isBare(value: JsonObject): boolean {
  for (const _ in value) return false
  return true
}

/** Returns the struct with its fields in order. */
function written(
  type: GoStruct,
  value: JsonObject,
  changed: ReadonlyMap<string, Json | undefined> | undefined,
): JsonObject {
  const object: Record<string, Json> = {}
  for (const field of type.fields.values()) {
    const read = changed?.has(field.name) === true ? changed.get(field.name) : own(value, field.name)
    if (read !== undefined) object[field.name] = read
    else if (field.isLeftOut === 'never') object[field.name] = zeroOf(field.type)
  }
  return object
}

const zeroStructs = new WeakMap<GoStruct, JsonObject>()

/** Returns the written form of an absent struct. */
function zeroStruct(type: GoStruct): JsonObject {
  const known = zeroStructs.get(type)
  const zero = known ?? Object.fromEntries(type.alwaysWritten.map((field) => [field.name, zeroOf(field.type)]))
  if (known === undefined) zeroStructs.set(type, zero)
  return zero
}

function zeroOf(type: GoType): Json {
  switch (type.form) {
    case 'struct':
      return zeroStruct(type)
    case 'string':
      return ''
    case 'bool':
    case 'schemaOrBool':
      return false
    case 'int32':
    case 'int64':
    case 'float64':
    case 'intOrString':
      return 0
    case 'quantity':
      return '0'
    default:
      return null
  }
}

/** Returns true for the same keys in the same order with the same values. JavaScript cannot reorder numeric keys. */
function isSameObject(left: JsonObject, right: JsonObject): boolean {
  const keys = Object.keys(left)
  const others = Object.keys(right)
  return keys.length === others.length && keys.every((key, index) => key === others[index] && left[key] === right[key])
}
