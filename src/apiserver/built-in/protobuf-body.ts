// Decoder of protobuf bodies to the JSON that the same client would have sent. Go clients send built-in kinds as
// protocol buffers by
// default. Responses stay JSON, which all clients accept.
// Source: k8s.io/apimachinery/pkg/runtime/serializer/protobuf, the generated.pb.go of each group.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { parseWireJson, WireJsonError } from '../../base/wire-json.ts'
import type { KindName } from './built-in-data-loader.ts'
import type { GoField, GoSchemaChoice, GoStruct, GoType } from './go-type.ts'
import { WireError, type WireValue, wireFields } from './wire-message.ts'

const prefix = 'k8s\0'
/** The same limit as for JSON bodies. */
const maxDepth = 1_000

/** Returns the object; undefined for a kind without a protobuf form. Throws WireError. */
export function readProtobuf(
  body: Uint8Array,
  typeOf: (kind: KindName) => GoStruct | undefined,
): JsonObject | undefined {
  if (textOf(body.subarray(0, prefix.length)) !== prefix)
    throw new WireError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  const envelope = lastOf(body.subarray(prefix.length))
  const names = lastOf(bytesOf(envelope.get(1)))
  const [apiVersion, kind] = [textOf(names.get(1)), textOf(names.get(2))]
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  // DeleteOptions have every group and version.
  const type = typeOf(kind === 'DeleteOptions' ? { group: '', version: 'v1', kind } : { group, version, kind })
  if (type === undefined) return undefined
  const fields = new Map<string, Json>([
    ['kind', kind],
    ['apiVersion', apiVersion],
  ])
  readInto(fields, planOf(type), bytesOf(envelope.get(2)), 0)
  return Object.fromEntries(fields)
}

/** Fields of a struct by their numbers; an embedded struct is a message of its own. */
type Plan = Map<number, GoField | Plan>

const plans = new WeakMap<GoStruct, Plan>()

function planOf(type: GoStruct): Plan {
  const known = plans.get(type)
  if (known !== undefined) return known
  const plan: Plan = new Map()
  for (const field of type.fields.values()) place(plan, field, field.wirePath)
  plans.set(type, plan)
  return plan
}

function place(plan: Plan, field: GoField, [number, ...inner]: readonly number[]): void {
  if (number === undefined) return
  if (inner.length === 0) {
    plan.set(number, field)
    return
  }
  const known = plan.get(number)
  const below = known instanceof Map ? known : new Map()
  plan.set(number, below)
  place(below, field, inner)
}

function readInto(fields: Map<string, Json>, plan: Plan, message: Uint8Array, depth: number): void {
  if (depth > maxDepth) throw new WireError('exceeded max depth')
  for (const { number, value } of wireFields(message)) {
    const field = plan.get(number)
    if (field instanceof Map) readInto(fields, field, bytesOf(value), depth + 1)
    else if (field !== undefined) add(fields, field, value, depth)
  }
}

function add(fields: Map<string, Json>, { name, type, isLeftOut }: GoField, value: WireValue, depth: number): void {
  const held = fields.get(name)
  if (type.form === 'list') {
    const item = read(type.items, value, depth)
    if (Array.isArray(held)) held.push(item)
    else fields.set(name, [item])
  } else if (type.form === 'map') {
    const entry = lastOf(bytesOf(value))
    const pair = [[textOf(entry.get(1)), read(type.values, entry.get(2) ?? new Uint8Array(), depth)]] as const
    fields.set(name, { ...(isJsonObject(held) ? held : {}), ...Object.fromEntries(pair) })
  } else {
    const said = read(type, value, depth)
    // Go writes empty numbers, booleans and texts too; JSON omits the empty ones.
    if (isLeftOut === 'never' || !(said === null || said === '' || said === 0 || said === false)) fields.set(name, said)
    else if (type.form === 'pointer') fields.set(name, said)
  }
}

function read(type: GoType, value: WireValue, depth: number): Json {
  switch (type.form) {
    case 'pointer':
      return read(type.to, value, depth)
    case 'struct': {
      const fields = new Map<string, Json>()
      readInto(fields, planOf(type), bytesOf(value), depth + 1)
      return Object.fromEntries(fields)
    }
    case 'list':
      // A list inside a map or a list is a message of its own.
      return itemsOf(bytesOf(value), 1).map((item) => read(type.items, item, depth + 1))
    case 'map':
      throw new WireError('a map within a map')
    case 'schemaOrList':
    case 'schemaOrBool':
    case 'schemaOrStrings':
      return readChoice(type, bytesOf(value), depth)
    default:
      return readScalar(type.form, value)
  }
}

type ScalarForm = Exclude<
  GoType['form'],
  'pointer' | 'struct' | 'list' | 'map' | 'schemaOrList' | 'schemaOrBool' | 'schemaOrStrings'
>

function readScalar(form: ScalarForm, value: WireValue): Json {
  switch (form) {
    case 'string':
      return textOf(value)
    case 'bytes':
      return Buffer.from(bytesOf(value)).toString('base64')
    case 'bool':
      return integerOf(value) !== 0n
    case 'int32':
      return Number(BigInt.asIntN(32, integerOf(value)))
    case 'int64':
      return jsonInteger(BigInt.asIntN(64, integerOf(value)))
    case 'float64':
      return new Float64Array(new BigUint64Array([integerOf(value)]).buffer)[0] ?? 0
    case 'time':
      return readTime(bytesOf(value), false)
    case 'microTime':
      return readTime(bytesOf(value), true)
    case 'quantity':
      return textOf(lastOf(bytesOf(value)).get(1))
    case 'intOrString':
      return readIntOrString(bytesOf(value))
    case 'raw':
      return readRaw(bytesOf(value))
  }
}

/** An empty message is the zero time. */
function readTime(message: Uint8Array, hasMicros: boolean): Json {
  if (message.length === 0) return null
  const parts = lastOf(message)
  const seconds = Number(BigInt.asIntN(64, integerOf(parts.get(1) ?? 0n)))
  const micros = integerOf(parts.get(2) ?? 0n) / 1_000n
  const moment = new Date(seconds * 1_000)
  if (Number.isNaN(moment.getTime())) throw new WireError('a time that no calendar has')
  const whole = moment.toISOString().slice(0, -'.000Z'.length)
  return hasMicros ? `${whole}.${String(micros).padStart(6, '0')}Z` : `${whole}Z`
}

function readIntOrString(message: Uint8Array): Json {
  const parts = lastOf(message)
  const isText = integerOf(parts.get(1) ?? 0n) === 1n
  return isText ? textOf(parts.get(3)) : Number(BigInt.asIntN(32, integerOf(parts.get(2) ?? 0n)))
}

function readRaw(message: Uint8Array): Json {
  const text = textOf(lastOf(message).get(1))
  try {
    return text === '' ? null : parseWireJson(text).value
  } catch (thrown) {
    if (thrown instanceof WireJsonError) throw new WireError(thrown.message)
    throw thrown
  }
}

function readChoice({ form, schema }: GoSchemaChoice, message: Uint8Array, depth: number): Json {
  const parts = lastOf(message)
  const schemaNumber = form === 'schemaOrBool' ? 2 : 1
  const chosen = parts.get(schemaNumber)
  if (chosen !== undefined) return read(schema, chosen, depth + 1)
  if (form === 'schemaOrBool') return integerOf(parts.get(1) ?? 0n) !== 0n
  const items = itemsOf(message, 2)
  if (items.length === 0) return null
  return items.map((item) => (form === 'schemaOrList' ? read(schema, item, depth + 1) : textOf(item)))
}

/** Returns the last value of each field. */
function lastOf(message: Uint8Array): ReadonlyMap<number, WireValue> {
  const values = new Map<number, WireValue>()
  for (const { number, value } of wireFields(message)) values.set(number, value)
  return values
}

function itemsOf(message: Uint8Array, number: number): readonly WireValue[] {
  return [...wireFields(message)].filter((field) => field.number === number).map(({ value }) => value)
}

function jsonInteger(value: bigint): Json {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

function bytesOf(value: WireValue | undefined): Uint8Array {
  if (typeof value === 'bigint') throw new WireError('wrong wireType = 0')
  return value ?? new Uint8Array()
}

function integerOf(value: WireValue): bigint {
  if (typeof value !== 'bigint') throw new WireError('wrong wireType = 2')
  return value
}

function textOf(value: WireValue | undefined): string {
  return Buffer.from(bytesOf(value)).toString('utf8')
}
