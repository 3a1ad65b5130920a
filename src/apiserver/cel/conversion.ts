// CEL conversions such as `int(…)` and `string(…)`. Source: ConvertToType of github.com/google/cel-go/common/types.
import { intOf, uintOf } from './arithmetic.ts'
import { formatDouble } from './double-text.ts'
import { formatSeconds, parseGoDuration } from './duration.ts'
import { formatTimestamp, maxSeconds, minSeconds, parseTimestamp } from './timestamp.ts'
import { Bytes, CelError, Duration, Timestamp, typeNameOf, Uint, type Value } from './value.ts'

export function toInt(value: Value): Value {
  if (value instanceof Uint) return intOf(value.value)
  if (value instanceof Duration) return value.nanoseconds
  if (value instanceof Timestamp) return BigInt(value.seconds)
  if (typeof value === 'number')
    return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : new CelError('integer overflow')
  if (typeof value !== 'string') return value
  const parsed = /^[+-]?\d+$/.test(value) ? BigInt(value.replace(/^\+/, '')) : undefined
  return parsed !== undefined && BigInt.asIntN(64, parsed) === parsed ? parsed : misfit(value, 'int')
}

export function toUint(value: Value): Value {
  if (typeof value === 'bigint') return uintOf(value)
  if (typeof value === 'number')
    return value >= 0 && value < 2 ** 64
      ? new Uint(BigInt(Math.trunc(value)))
      : new CelError('unsigned integer overflow')
  if (typeof value !== 'string') return value
  const parsed = /^\d+$/.test(value) ? BigInt(value) : undefined
  return parsed !== undefined && BigInt.asUintN(64, parsed) === parsed ? new Uint(parsed) : misfit(value, 'uint')
}

export function toDouble(value: Value): Value {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint) return Number(value.value)
  return typeof value === 'string' ? (parseDouble(value) ?? misfit(value, 'double')) : value
}

/** Parses as Go's ParseFloat; undefined for an invalid or too large number. */
function parseDouble(text: string): number | undefined {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  if (/^[+-]?0x/i.test(text)) return parseHexadecimal(text)
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined
  const parsed = Number(text)
  return Number.isFinite(parsed) ? parsed : undefined
}

function parseHexadecimal(text: string): number | undefined {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^([+-]?)0[xX]_?([0-9a-fA-F](?:_?[0-9a-fA-F])*)?\.?([0-9a-fA-F](?:_?[0-9a-fA-F])*)?[pP]([+-]?\d+)$/.exec(text) ?? []
  const digits = `${whole}${fraction}`.replaceAll('_', '')
  if (sign === undefined || digits === '') return undefined
  const exponent = Number(power) - 4 * fraction.replaceAll('_', '').length
  const parsed = Number(BigInt(`0x${digits}`)) * 2 ** exponent
  if (!Number.isFinite(parsed)) return undefined
  return sign === '-' ? -parsed : parsed
}

export function toText(value: Value): Value {
  if (typeof value === 'number') return formatDouble(value, 6)
  if (value instanceof Uint) return value.value.toString()
  if (value instanceof Duration) return formatSeconds(value.nanoseconds)
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (!(value instanceof Bytes)) return typeof value === 'object' ? value : String(value)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value.data)
  } catch {
    // A TypeError: the bytes are no valid UTF-8.
    return new CelError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

export function toBool(text: string): Value {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : misfit(text, 'bool')
}

export function toBytes(text: string): Value {
  return new Bytes(new TextEncoder().encode(text))
}

export function toDuration(value: Value): Value {
  // The conversion from a number is declared, but always fails.
  if (typeof value === 'bigint') return misfit(value, 'google.protobuf.Duration')
  if (typeof value !== 'string') return value
  const parsed = parseGoDuration(value)
  return parsed === undefined ? misfit(value, 'google.protobuf.Duration') : new Duration(parsed)
}

export function toTimestamp(value: Value): Value {
  if (typeof value === 'bigint') return inRange(new Timestamp(Number(value), 0, 0))
  if (typeof value !== 'string') return value
  const parsed = parseTimestamp(value)
  return parsed === undefined ? misfit(value, 'google.protobuf.Timestamp') : inRange(parsed)
}

function inRange(timestamp: Timestamp): Value {
  return timestamp.seconds < minSeconds || timestamp.seconds > maxSeconds
    ? new CelError('timestamp overflow')
    : timestamp
}

function misfit(value: Value, target: string): CelError {
  return new CelError(`type conversion error from '${typeNameOf(value)}' to '${target}'`)
}

/** `strings.quote`: escapes as in a literal. */
export function quoted(text: string): string {
  const escapes: Record<string, string> = {
    '\u0007': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
    '\\': '\\\\',
    '"': '\\"',
  }
  return `"${Array.from(text, (character) => escapes[character] ?? character).join('')}"`
}
