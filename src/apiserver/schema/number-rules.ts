// Number rules of schemas: range of the type, bounds, multiples.
// Upstream stores bounds as floats and truncates them for integer values.
// Source: k8s.io/kube-openapi/pkg/validation/validate (validator.go, values.go).
import type { JsonObject } from '../../base/json.ts'
import { own } from '../../base/json.ts'
import { goFloat } from '../field-error.ts'
import { type Failure, failure, plainFailure } from './failure.ts'

type Numeric = number | bigint

const minInt64 = -(2n ** 63n)

export interface NumberRules {
  /** `integer`, `number`, or '' unless it is exactly one of them. */
  readonly type: string
  /** Format of that type, or ''. */
  readonly format: string
  readonly multipleOf: Numeric | undefined
  readonly maximum: Numeric | undefined
  readonly isMaximumExclusive: boolean
  readonly minimum: Numeric | undefined
  readonly isMinimumExclusive: boolean
}

export function numberRules(source: JsonObject, types: readonly string[], format: string): NumberRules {
  const [only = ''] = types.length === 1 ? types : []
  const type = only === 'integer' || only === 'number' ? only : ''
  return {
    type,
    format: type === '' ? '' : format,
    multipleOf: numeric(source, 'multipleOf'),
    maximum: numeric(source, 'maximum'),
    isMaximumExclusive: own(source, 'exclusiveMaximum') === true,
    minimum: numeric(source, 'minimum'),
    isMinimumExclusive: own(source, 'exclusiveMinimum') === true,
  }
}

/** Returns true if the value certainly passes: the fast path for small numbers and bounds, without allocation. */
export function isPlainlyWithin(value: Numeric, rules: NumberRules): boolean {
  const { multipleOf, maximum, isMaximumExclusive, minimum, isMinimumExclusive } = rules
  if (multipleOf !== undefined || !isPlain(value, rules)) return false
  if (maximum !== undefined && !(isPlain(maximum, rules) && (isMaximumExclusive ? value < maximum : value <= maximum)))
    return false
  return minimum === undefined || (isPlain(minimum, rules) && (isMinimumExclusive ? value > minimum : value >= minimum))
}

function isPlain(value: Numeric, { type, format }: NumberRules): boolean {
  return Number.isSafeInteger(value) && isWithinRange(value, type, format)
}

export function numberFailures(value: Numeric, rules: NumberRules, path: string): Failure[] {
  const { multipleOf, maximum, minimum } = rules
  return [
    ...rangeFailures(value, rules, 'Checked', path),
    ...(multipleOf === undefined ? [] : multipleFailures(value, multipleOf, rules, path)),
    ...(maximum === undefined ? [] : maximumFailures(value, maximum, rules, path)),
    ...(minimum === undefined ? [] : minimumFailures(value, minimum, rules, path)),
  ]
}

/** Returns whether upstream holds the number as an integer. */
export function isInteger(value: Numeric): boolean {
  return typeof value === 'bigint' || (Number.isInteger(value) && Math.abs(value) < 2 ** 63)
}

/** Returns whether a float counts as an integer, with upstream's tolerance. Source: swag.IsFloat64AJSONInteger. */
export function isNearlyInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  if (Number.isInteger(value)) return true
  const whole = Math.trunc(value)
  return value > 0 && whole !== 0 && (value - whole) / (value + whole) < 1e-9
}

function numeric(source: JsonObject, key: string): Numeric | undefined {
  const value = own(source, key)
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined
}

function rangeFailures(value: Numeric, { type, format }: NumberRules, what: string, path: string): Failure[] {
  if (isWithinRange(value, type, format)) return []
  const shown = format === '' ? `${type} (default format)` : `${type} with format ${format}`
  return [plainFailure(`${what} value must be of type ${shown} in ${path}`)]
}

function isWithinRange(value: Numeric, type: string, format: string): boolean {
  if (type === 'integer') {
    if (!isInteger(value)) return false
    return format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31)
  }
  // Limit below which a number is not rounded to infinity.
  return format !== 'float' || Math.abs(Number(value)) < 2 ** 128 - 2 ** 103
}

function multipleFailures(value: Numeric, factor: Numeric, rules: NumberRules, path: string): Failure[] {
  const misfit = rangeFailures(factor, rules, 'MultipleOf', path)
  return [...misfit, ...notMultiple(value, factor, path, misfit.length === 0)]
}

function notMultiple(value: Numeric, factor: Numeric, path: string, isNative: boolean): Failure[] {
  if (isNative && isInteger(value)) {
    const step = wholeOf(factor)
    if (step <= 0n) return [badFactor(path, step)]
    if (BigInt(value) % step === 0n) return []
    return [failure('FieldValueInvalid', path, value, `${path} in body should be a multiple of ${step}`)]
  }
  const step = Number(factor)
  if (step <= 0) return [badFactor(path, factor)]
  const quotient = step < 1 ? (1 / step) * Number(value) : Number(value) / step
  if (isNearlyInteger(quotient)) return []
  return [floatFailure(path, value, `${path} in body should be a multiple of ${goFloat(step)}`)]
}

function badFactor(path: string, factor: Numeric): Failure {
  const shown = typeof factor === 'bigint' ? factor.toString() : goFloat(factor)
  return failure('FieldValueInvalid', path, factor, `factor MultipleOf declared for ${path} must be positive: ${shown}`)
}

function maximumFailures(value: Numeric, maximum: Numeric, rules: NumberRules, path: string): Failure[] {
  const misfit = rangeFailures(maximum, rules, 'Maximum boundary', path)
  const { bound, shown, fail } = boundOf(value, maximum, misfit.length === 0)
  const isExclusive = rules.isMaximumExclusive
  if (isExclusive ? value < bound : value <= bound) return misfit
  const words = isExclusive ? 'less than' : 'less than or equal to'
  return [...misfit, fail(path, value, `${path} in body should be ${words} ${shown}`)]
}

function minimumFailures(value: Numeric, minimum: Numeric, rules: NumberRules, path: string): Failure[] {
  const misfit = rangeFailures(minimum, rules, 'Minimum boundary', path)
  const { bound, shown, fail } = boundOf(value, minimum, misfit.length === 0)
  const isExclusive = rules.isMinimumExclusive
  if (isExclusive ? value > bound : value >= bound) return misfit
  const words = isExclusive ? 'greater than' : 'greater than or equal to'
  return [...misfit, fail(path, value, `${path} in body should be ${words} ${shown}`)]
}

interface Bound {
  readonly bound: Numeric
  readonly shown: string
  readonly fail: (path: string, value: Numeric, message: string) => Failure
}

/** Returns the bound. If its type cannot hold the bound, upstream treats the value as a float. */
function boundOf(value: Numeric, bound: Numeric, isNative: boolean): Bound {
  if (!isNative || !isInteger(value)) return { bound, shown: goFloat(Number(bound)), fail: floatFailure }
  const whole = Number.isSafeInteger(bound) ? bound : wholeOf(bound)
  return { bound: whole, shown: String(whole), fail: wholeFailure }
}

function wholeFailure(path: string, value: Numeric, message: string): Failure {
  return failure('FieldValueInvalid', path, value, message)
}

function floatFailure(path: string, value: Numeric, message: string): Failure {
  return { ...failure('FieldValueInvalid', path, value, message), shownValue: goFloat(Number(value)) }
}

/** Converts like Go from float to int64; out of range becomes the smallest int64. */
function wholeOf(value: Numeric): bigint {
  if (typeof value === 'bigint') return BigInt(Number(value))
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : minInt64
}
