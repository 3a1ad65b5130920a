// CEL function `format`, for example `'%s has %d'.format([…])`. Source: github.com/google/cel-go/ext/formatting.go.
import { goQuoted } from '../field-error.ts'
import { toDouble, toText } from './conversion.ts'
import { elementsOf, ListValue } from './list-value.ts'
import { MapValue } from './map-value.ts'
import { Bytes, CelError, compareTexts, Duration, Timestamp, typeNameOf, Uint, type Value } from './value.ts'

/** Error for a clause that does not fit its argument. */
class FormatFault extends Error {
  override readonly name = 'FormatFault'
}

export function formatText(template: string, args: ListValue): Value {
  try {
    return formatted(template, args.size, (index, clause) => clauseText(clause, args.at(index)))
  } catch (thrown) {
    if (thrown instanceof FormatFault) return new CelError(thrown.message)
    throw thrown
  }
}

/** Returns the fault of a literal template for arguments of these types; undefined if all fit. */
export function formatFault(
  template: string,
  count: number,
  clauseFault: (index: number, verb: string) => string | undefined,
): string | undefined {
  let used = 0
  try {
    formatted(template, count, (index, { verb }) => {
      used = index + 1
      const fault = clauseFault(index, verb)
      if (fault !== undefined) throw new FormatFault(`error during formatting: ${fault}`)
      return ''
    })
  } catch (thrown) {
    if (thrown instanceof FormatFault) return thrown.message
    throw thrown
  }
  return count > used ? `too many arguments supplied to string.format (expected ${used}, got ${count})` : undefined
}

interface Clause {
  readonly verb: string
  readonly precision: number
}

const defaultPrecision = 6

function formatted(template: string, count: number, text: (index: number, clause: Clause) => string): string {
  let [result, index] = ['', 0]
  for (let at = 0; at < template.length; ) {
    const percent = template.indexOf('%', at)
    if (percent < 0) return result + template.slice(at)
    result += template.slice(at, percent)
    at = percent + 1
    if (template[at] === '%') {
      result += '%'
      at++
      continue
    }
    if (index >= count) throw new FormatFault(`index ${index} out of range`)
    if (at >= template.length) throw new FormatFault('unexpected end of string')
    const clause = readClause(template.slice(at))
    result += text(index, clause)
    index++
    at += clause.length
  }
  return result
}

function readClause(rest: string): Clause & { readonly length: number } {
  const [written = '', digits] = /^(?:\.([0-9]*))?/.exec(rest) ?? []
  const wrong = (why: string) => new FormatFault(`could not parse formatting clause: ${why}`)
  if (written.length === rest.length)
    throw wrong('error while parsing precision: could not find end of precision specifier')
  if (digits === '')
    throw wrong(
      'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    )
  const verb = rest.charAt(written.length)
  if (!'sdfebxXo'.includes(verb)) throw wrong(`unrecognized formatting clause "${verb}"`)
  return { verb, precision: digits === undefined ? defaultPrecision : Number(digits), length: written.length + 1 }
}

const wanted: Readonly<Record<string, string>> = {
  b: 'only integers and bools can be formatted as binary',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  o: 'octal clause can only be used on integers',
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
}

/** Returns the fault of a clause with a value of a type. */
export function clauseFaultText(verb: string, typeName: string): string {
  return `${wanted[verb.toLowerCase()] ?? ''}, was given ${typeName}`
}

function clauseText({ verb, precision }: Clause, value: Value): string {
  const text = textFor(verb, precision, value)
  if (text === undefined) throw new FormatFault(`error during formatting: ${clauseFaultText(verb, typeNameOf(value))}`)
  return text
}

function textFor(verb: string, precision: number, value: Value): string | undefined {
  const integer = typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined
  switch (verb) {
    case 's':
      return plainText(value)
    case 'd':
      return integer?.toString()
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : integer?.toString(2)
    case 'o':
      return integer?.toString(8)
    case 'x':
    case 'X': {
      const digits = integer?.toString(16) ?? hexadecimal(value)
      return verb === 'X' ? digits?.toUpperCase() : digits
    }
    default:
      return doubleText(verb, precision, value)
  }
}

function hexadecimal(value: Value): string | undefined {
  const bytes =
    typeof value === 'string' ? new TextEncoder().encode(value) : value instanceof Bytes ? value.data : undefined
  return bytes === undefined ? undefined : Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Formats as in English: digits in groups of three, and powers of ten written out. */
function doubleText(verb: string, precision: number, value: Value): string | undefined {
  const number = typeof value === 'string' && /^(NaN|-?Infinity)$/.test(value) ? toDouble(value) : value
  if (typeof number !== 'number') return undefined
  // The API server uses the precision of the scientific clause as a width.
  const padded = (text: string) => (verb === 'e' ? text.padStart(precision) : text)
  if (Number.isNaN(number)) return padded('NaN')
  if (!Number.isFinite(number)) return padded(number < 0 ? '-∞' : '∞')
  if (verb === 'e') return padded(scientific(number))
  const [whole = '', fraction] = fixed(number, precision).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'

function scientific(value: number): string {
  const [exact = '', exponent = '0'] = value.toExponential(100).split('e')
  const near = rounded(exact, defaultPrecision)
  // A mantissa that rounds up to ten moves to the next power.
  const isTen = /^-?10\./.test(near)
  const mantissa = isTen ? near.replace('10.', '1.0').slice(0, -1) : near
  const power = Number(exponent) + (isTen ? 1 : 0)
  const digits = String(Math.abs(power)).padStart(2, '0')
  const raised = [...digits].map((digit) => superscripts.charAt(Number(digit))).join('')
  return `${mantissa}×10${power < 0 ? '⁻' : ''}${raised}`
}

/** Returns all digits up to `precision` decimals. */
function fixed(value: number, precision: number): string {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}${precision === 0 ? '' : `.${'0'.repeat(precision)}`}`
  return rounded(value.toFixed(100), precision)
}

/** Rounds exact halves to even, unlike JavaScript. */
function rounded(exact: string, precision: number): string {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(exact) ?? []
  const kept = Math.min(precision, 100)
  const digits = BigInt(whole + fraction.slice(0, kept))
  const rest = fraction.slice(kept)
  const isUp = /^5/.test(rest) && (/[1-9]/.test(rest.slice(1)) || digits % 2n === 1n)
  const result = (digits + (isUp || /^[6-9]/.test(rest) ? 1n : 0n)).toString().padStart(kept + 1, '0')
  const point = result.length - kept
  return `${sign}${result.slice(0, point)}${kept === 0 ? '' : `.${result.slice(point)}`}`
}

function plainText(value: Value): string | undefined {
  if (value === null) return 'null'
  if (value instanceof ListValue) return `[${elementsOf(value).map(nestedText).join(', ')}]`
  if (value instanceof MapValue) return mapText(value)
  if (/^(int|uint|double|bool|string|bytes|type|google\.protobuf\.\w+)$/.test(typeNameOf(value))) {
    const text = toText(value)
    if (value !== null && typeof value === 'object' && 'name' in value) return String(value.name)
    if (typeof text === 'string') return text
    throw new FormatFault(`error during formatting: could not convert argument ${goQuoted('')} to string`)
  }
  return undefined
}

function mapText(map: MapValue): string {
  const pairs = map.keys().map((key) => {
    if (!/^(string|bool|int|uint)$/.test(typeNameOf(key)))
      throw new FormatFault(`error during formatting: no formatting function for map key of type ${typeNameOf(key)}`)
    return { key: nestedText(key), value: nestedText(map.get(key)) }
  })
  pairs.sort((left, right) => compareTexts(left.key, right.key))
  return `{${pairs.map(({ key, value }) => `${key}:${value}`).join(', ')}}`
}

/** Formats a value inside a list or map as a literal. */
function nestedText(value: Value): string {
  if (typeof value === 'string') return goQuoted(value)
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return fixed(value, defaultPrecision)
    return goQuoted(Number.isNaN(value) ? 'NaN' : value < 0 ? '-Inf' : '+Inf')
  }
  if (value instanceof Bytes) return `b${goQuoted(String(toText(value)))}`
  if (value instanceof Timestamp) return `timestamp(${goQuoted(String(toText(value)))})`
  if (value instanceof Duration) return `duration(${goQuoted(String(toText(value)))})`
  const text = plainText(value)
  if (text === undefined)
    throw new FormatFault(`error during formatting: no formatting function for ${typeNameOf(value)}`)
  return text
}
