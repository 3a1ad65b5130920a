// Field errors with upstream's texts. Validation collects them; a Status lists them as causes.
// Source: k8s.io/apimachinery/pkg/util/validation/field/errors.go.
import { isJsonList, isJsonObject, type Json } from '../base/json.ts'

export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTooShort'
  | 'FieldValueTypeInvalid'
  | 'InternalError'

/** One error of one field. `value` is absent if the text does not show it. */
export interface FieldError {
  readonly type: FieldErrorType
  /** Path in upstream's notation: `spec.ports[0].name`, `data[some.key]`. */
  readonly field: string
  readonly value?: Json | undefined
  /** Text of the value, if its own form is lossy: an integer that the server converted to a float. */
  readonly shownValue?: string | undefined
  readonly detail: string
}

const titles: Record<FieldErrorType, string> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  FieldValueTooShort: 'Too short',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
}

const valueless: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooShort',
  'InternalError',
])

export function invalid(field: string, value: Json | undefined, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, value, detail }
}

export function required(field: string, detail = ''): FieldError {
  return { type: 'FieldValueRequired', field, detail }
}

export function forbidden(field: string, detail: string): FieldError {
  return { type: 'FieldValueForbidden', field, detail }
}

export function duplicate(field: string, value: Json): FieldError {
  return { type: 'FieldValueDuplicate', field, value, detail: '' }
}

export function notSupported(field: string, value: Json, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuoted).join(', ')}`
  return { type: 'FieldValueNotSupported', field, value, detail }
}

/** Error of a field with more than `maxBytes` bytes. */
export function tooLong(field: string, maxBytes: number): FieldError {
  const unit = maxBytes === 1 ? 'byte' : 'bytes'
  return { type: 'FieldValueTooLong', field, detail: `may not be more than ${maxBytes} ${unit}` }
}

/** Error of a list with more than `maxCount` items. */
export function tooMany(field: string, count: number, maxCount: number): FieldError {
  const unit = maxCount === 1 ? 'item' : 'items'
  return { type: 'FieldValueTooMany', field, value: count, detail: `must have at most ${maxCount} ${unit}` }
}

export function notFound(field: string, value: Json): FieldError {
  return { type: 'FieldValueNotFound', field, value, detail: '' }
}

/** Returns the text without the field's name, as in a Status cause. */
export function errorBody({ type, value, shownValue, detail }: FieldError): string {
  const isValueless = valueless.has(type) || value === undefined
  const title = isValueless ? titles[type] : `${titles[type]}: ${shownValue ?? shown(value)}`
  return detail === '' ? title : `${title}: ${detail}`
}

/** Returns the complete text, prefixed with the field's name. */
export function errorText(error: FieldError): string {
  return `${error.field}: ${errorBody(error)}`
}

/** Joins errors like Go's aggregate error: a single one plain, several in brackets, without duplicates. */
export function aggregateText(texts: readonly string[]): string {
  const unique = [...new Set(texts)]
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`
}

/** Formats a string like Go's `%q`. */
export function goQuoted(text: string): string {
  const escapes: Record<string, string> = {
    '"': '\\"',
    '\\': '\\\\',
    '\u0007': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
  }
  const inner = text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (character) => {
    const known = escapes[character]
    if (known !== undefined) return known
    const code = character.codePointAt(0) ?? 0
    if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`
  })
  return `"${inner}"`
}

/** Formats a value like Go's `json.Marshal`: keys in their order; `<`, `>`, `&` and line separators escaped. */
export function goJson(value: Json | undefined): string {
  if (isJsonList(value)) return `[${value.map(goJson).join(',')}]`
  if (isJsonObject(value)) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined)
    return `{${fields.map(([key, field]) => `${goJson(key)}:${goJson(field)}`).join(',')}}`
  }
  if (typeof value === 'bigint') return value.toString()
  return JSON.stringify(value ?? null).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

/** Formats a float like Go's `%v`: with an exponent from a million on, and below a ten thousandth. */
export function goFloat(value: number): string {
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < 6) return String(value)
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** Sorts keys at all levels, as upstream prints values that it holds as maps: everything in custom objects. */
export function sortedByKey(value: Json): Json {
  if (isJsonList(value)) return value.map(sortedByKey)
  if (!isJsonObject(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sortedByKey(value[key] ?? null)]))
}

function shown(value: Json): string {
  if (typeof value === 'string') return goQuoted(value)
  const isFloat = typeof value === 'number' && !(Number.isInteger(value) && Math.abs(value) < 2 ** 63)
  return isFloat ? goFloat(value) : goJson(value)
}
