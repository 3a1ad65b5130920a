// Go's `%v` of JSON values, as some error texts contain it: maps sorted by key, without quotes.
import { isJsonList, isJsonObject, type Json } from '../../base/json.ts'

/** @example goPrinted({ b: [1, 'x'], a: null }) // map[a:<nil> b:[1 x]] */
export function goPrinted(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>'
  if (isJsonList(value)) return `[${value.map(goPrinted).join(' ')}]`
  if (isJsonObject(value)) {
    const fields = Object.keys(value).sort()
    return `map[${fields.map((key) => `${key}:${goPrinted(value[key])}`).join(' ')}]`
  }
  return typeof value === 'number' ? goNumber(value) : String(value)
}

/** Returns the Go type of a decoded JSON value. */
export function goTypeName(value: Json | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)'
  if (isJsonList(value)) return '[]interface {}'
  if (isJsonObject(value)) return 'map[string]interface {}'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64'
}

/** Formats a number: integers plain, small or large other numbers with an exponent of at least two digits. */
function goNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value)
  const exponent = Math.floor(Math.log10(Math.abs(value)))
  if (exponent >= -4 && exponent < 21) return String(value)
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}
