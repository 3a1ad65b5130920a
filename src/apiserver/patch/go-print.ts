// How does Go's fmt print a JSON value with `%v`, as some refusals show one? Maps by their sorted keys, no quotes.
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

/** The type of a decoded JSON value. */
export function goTypeName(value: Json | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)'
  if (isJsonList(value)) return '[]interface {}'
  if (isJsonObject(value)) return 'map[string]interface {}'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64'
}

/** Integers as they are; other numbers with an exponent of at least two digits where they are small or large. */
function goNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value)
  const exponent = Math.floor(Math.log10(Math.abs(value)))
  if (exponent >= -4 && exponent < 21) return String(value)
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}
