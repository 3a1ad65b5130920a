// Error of a strategic merge result that its kind cannot decode. Pure.
// Upstream converts maps to its Go type instead of decoding JSON: field by field in type order, with other texts.
// The first error counts.
// Source: fromUnstructured of k8s.io/apimachinery/pkg/runtime/converter.go.
import { isJsonList, isJsonObject, type Json, own } from '../../base/json.ts'
import { type Reading, readBytes, readIntOrString, readMoment, readQuantity } from '../built-in/go-scalar.ts'
import type { GoStruct, GoType } from '../built-in/go-type.ts'

/** Returns the first error; undefined if the value fits the type. */
export function unstructuredFault(type: GoType, value: Json | undefined): string | undefined {
  if (value === null || value === undefined) return undefined
  switch (type.form) {
    case 'struct':
      return structFault(type, value)
    case 'map':
      if (!isJsonObject(value)) return `cannot restore map from ${goKindOf(value)}`
      return firstOf(Object.values(value), (item) => unstructuredFault(type.values, item))
    case 'list':
      if (!isJsonList(value)) return `cannot restore slice from ${goKindOf(value)}`
      return firstOf(value, (item) => unstructuredFault(type.items, item))
    case 'pointer':
      return unstructuredFault(type.to, value)
    case 'bytes':
      return bytesFault(value)
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
      return scalarFault(type.form, type.goName, goKindOf(value))
    case 'quantity':
      return faultOf(readQuantity(value))
    case 'time':
    case 'microTime':
      return faultOf(readMoment(value, type.form, false))
    case 'intOrString':
      return faultOf(readIntOrString(value))
    default:
      return undefined
  }
}

function structFault(type: GoStruct, value: Json): string | undefined {
  if (!isJsonObject(value)) return `cannot restore struct from: ${goKindOf(value)}`
  return firstOf(type.fields.values(), (field) => unstructuredFault(field.type, own(value, field.name)))
}

type ScalarForm = 'string' | 'bool' | 'int32' | 'int64' | 'float64'

/**
 * Returns the error of a scalar. Integers of any size fit all number types.
 * Go could convert an integer to a string, so that case has its own text.
 */
function scalarFault(form: ScalarForm, goName: string, kind: GoKind): string | undefined {
  const isInteger = form === 'int32' || form === 'int64'
  const isNumber = isInteger || form === 'float64'
  if (kind === form || (isNumber && kind === 'int64')) return undefined
  const isConvertible = (form === 'string' && kind === 'int64') || (isInteger && kind === 'float64')
  return isConvertible ? `cannot convert ${kind} to ${goName}` : `unrecognized type: ${form}`
}

function bytesFault(value: Json): string | undefined {
  if (isJsonList(value))
    return firstOf(value, (item) => (item === null || isNumber(item) ? undefined : 'unrecognized type: uint8'))
  if (typeof value !== 'string') return `cannot restore slice from ${goKindOf(value)}`
  const fault = faultOf(readBytes(value, '[]uint8'))
  return fault && `error decoding from json: ${fault}`
}

type GoKind = 'string' | 'bool' | 'int64' | 'float64' | 'slice' | 'map'

function goKindOf(value: Json): GoKind {
  if (isJsonList(value)) return 'slice'
  if (isJsonObject(value)) return 'map'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64'
}

function isNumber(value: Json): boolean {
  return typeof value === 'bigint' || Number.isInteger(value)
}

function faultOf(reading: Reading): string | undefined {
  if ('value' in reading) return undefined
  if ('fault' in reading) return reading.fault
  const { what, goName } = reading.misfit
  return `json: cannot unmarshal ${what} into Go value of type ${goName}`
}

function firstOf<T>(items: Iterable<T>, faultIn: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultIn(item)
    if (fault !== undefined) return fault
  }
  return undefined
}
