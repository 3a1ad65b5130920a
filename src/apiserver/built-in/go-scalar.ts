// Decoding of scalars with their own JSON form: quantities, times, base64, int-or-string. A value in canonical form
// comes back
// unchanged, others as the server writes them.
// Source: the UnmarshalJSON and MarshalJSON methods of k8s.io/apimachinery (resource, meta/v1, util/intstr).
import { Buffer } from 'node:buffer'
import { isJsonList, type Json } from '../../base/json.ts'
import { canonicalQuantity, quantityFault } from '../../object/quantity.ts'
import { type ReadTime, readMicroTime, readTime } from './go-time.ts'

/** A decoded value, or the fault. */
export type Reading = { readonly value: Json } | Fault

/** A fault is either a complete sentence, or a type mismatch whose message needs the field's path. */
export type Fault = { readonly fault: string } | { readonly misfit: Misfit }

/** A JSON value where Go wanted another: `cannot unmarshal ${what} into … of type ${goName}`. */
export interface Misfit {
  readonly what: string
  readonly goName: string
}

export function misfit(value: Json, goName: string, isForNumber = false): Fault {
  return { misfit: { what: described(value, isForNumber), goName } }
}

function described(value: Json, isForNumber: boolean): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number' || typeof value === 'bigint') return isForNumber ? `number ${value}` : 'number'
  if (typeof value === 'string') return 'string'
  return isJsonList(value) ? 'array' : 'object'
}

/** `null` is zero. A value that is no string is read as its JSON text, which must be a number. */
export function readQuantity(value: Json): Reading {
  if (value === null) return { value: '0' }
  const sent = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : '{'
  const canonical = canonicalQuantity(sent)
  return canonical === undefined ? { fault: quantityFault(sent.trim()) ?? '' } : { value: canonical }
}

export function readMoment(value: Json, form: 'time' | 'microTime', forgetsFractions: boolean): Reading {
  if (value === null) return { value }
  if (typeof value !== 'string') return misfit(value, 'string')
  const moment: ReadTime = form === 'time' ? readTime(value, forgetsFractions) : readMicroTime(value)
  return 'fault' in moment ? moment : { value: moment.written }
}

export function readIntOrString(value: Json): Reading {
  if (value === null) return { value: 0 }
  return typeof value === 'string' ? { value } : readInteger(value, 'int32', 'int32')
}

const limits = {
  uint8: { least: 0, most: 255 },
  int32: { least: -(2 ** 31), most: 2 ** 31 - 1 },
  int64: { least: -(2n ** 63n), most: 2n ** 63n - 1n },
}

export function readInteger(value: Json, form: keyof typeof limits, goName: string): Reading {
  if (value === null) return { value: 0 }
  const { least, most } = limits[form]
  const isInteger = typeof value === 'bigint' || Number.isInteger(value)
  const isInRange = (typeof value === 'bigint' || typeof value === 'number') && value >= least && value <= most
  return isInteger && isInRange ? { value } : misfit(value, goName, true)
}

const wellFormed = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Decodes base64; a list of small integers counts as bytes too. */
export function readBytes(value: Json, goName: string): Reading {
  if (value === null) return { value }
  if (isJsonList(value)) return readByteList(value)
  if (typeof value !== 'string') return misfit(value, goName)
  const at = wellFormed.test(value) ? undefined : faultInBase64(value)
  if (at !== undefined) return { fault: `illegal base64 data at input byte ${at}` }
  return { value: Buffer.from(value, 'base64').toString('base64') }
}

function readByteList(list: readonly Json[]): Reading {
  const readings = list.map((item) => readInteger(item, 'uint8', 'uint8'))
  const wrong = readings.find((reading) => !('value' in reading))
  if (wrong !== undefined) return wrong
  return {
    value: Buffer.from(readings.map((reading) => ('value' in reading ? Number(reading.value) : 0))).toString('base64'),
  }
}

/** Returns the byte offset of the first fault for Go's decoder; undefined if only line ends are unusual. */
function faultInBase64(text: string): number | undefined {
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  /** Number of characters in the current group of four. */
  let place = 0
  for (let at = 0; at < bytes.length; at++) {
    const character = bytes.charAt(at)
    if (isLineEnd(character)) continue
    if (character === '=' && place >= 2) return faultAfterPadding(bytes, at + 1, place)
    if (!/[A-Za-z0-9+/]/.test(character)) return at
    place = (place + 1) % 4
  }
  return place === 0 ? undefined : bytes.length - place
}

/** After the first `=`: a second one if two are expected, and nothing else. */
function faultAfterPadding(bytes: string, from: number, place: number): number | undefined {
  const next = afterLineEnds(bytes, from)
  if (place === 3) return next < bytes.length ? next : undefined
  if (next === bytes.length) return next
  if (bytes[next] !== '=') return next - 1
  const end = afterLineEnds(bytes, next + 1)
  return end < bytes.length ? end : undefined
}

function afterLineEnds(bytes: string, from: number): number {
  let at = from
  while (isLineEnd(bytes.charAt(at))) at++
  return at
}

function isLineEnd(character: string): boolean {
  return character === '\n' || character === '\r'
}
