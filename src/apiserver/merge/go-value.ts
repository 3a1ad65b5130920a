// Go's %v, %#v and %T of JSON values, as messages of server-side apply contain them.
// Source: fmt, strconv.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { goQuoted } from '../field-error.ts'

/**
 * Go type of decoded numbers.
 * Applied configurations and managedFields decode to floats, whole or not; stored objects to integers where possible.
 */
export type Numbers = 'floats' | 'integers'

/** `%v` of a value that structured-merge-diff has wrapped. */
export function goValue(value: Json, numbers: Numbers): string {
  return `&{${plain(value, numbers)}}`
}

/** `%#v` of a value that structured-merge-diff has wrapped. */
export function goSyntax(value: Json, numbers: Numbers): string {
  return `&value.valueUnstructured{Value:${syntax(value, numbers)}}`
}

/** `%T` of a value. */
export function goTypeName(value: Json): string {
  if (value === null) return '<nil>'
  if (isJsonList(value)) return '[]interface {}'
  if (isJsonObject(value)) return 'map[string]interface {}'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'float64'
}

/**
 * `%v` of a number. Floats: the shortest text that parses to the same value, with an exponent below 1e-4 and from 1e6
 * on.
 */
export function goNumber(number: number | bigint, numbers: Numbers): string {
  const value = Number(number)
  if (numbers === 'integers' && (typeof number === 'bigint' || Number.isSafeInteger(number))) return number.toString()
  const [mantissa = '', exponentText = ''] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < 6) return String(value)
  const size = Math.abs(exponent)
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${size < 10 ? `0${size}` : size}`
}

function plain(value: Json, numbers: Numbers): string {
  if (value === null) return '<nil>'
  if (isJsonList(value)) return `[${value.map((item) => plain(item, numbers)).join(' ')}]`
  if (isJsonObject(value)) {
    return `map[${entriesOf(value)
      .map(([key, field]) => `${key}:${plain(field, numbers)}`)
      .join(' ')}]`
  }
  return typeof value === 'number' || typeof value === 'bigint' ? goNumber(value, numbers) : String(value)
}

function syntax(value: Json, numbers: Numbers): string {
  if (value === null) return 'interface {}(nil)'
  if (isJsonList(value)) return `[]interface {}{${value.map((item) => syntax(item, numbers)).join(', ')}}`
  if (isJsonObject(value)) {
    const fields = entriesOf(value).map(([key, field]) => `${goQuoted(key)}:${syntax(field, numbers)}`)
    return `map[string]interface {}{${fields.join(', ')}}`
  }
  if (typeof value === 'string') return goQuoted(value)
  return typeof value === 'boolean' ? String(value) : goNumber(value, numbers)
}

function entriesOf(object: JsonObject): (readonly [string, Json])[] {
  return Object.keys(object)
    .sort()
    .flatMap((key) => (object[key] === undefined ? [] : [[key, object[key]] as const]))
}
