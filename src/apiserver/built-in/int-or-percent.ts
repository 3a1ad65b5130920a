// Validation of int-or-percent fields, for example `maxUnavailable: 1` and `maxUnavailable: 25%`.
// Source: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go.
import type { Json } from '../../base/json.ts'
import { invalid } from '../field-error.ts'
import { regexFault } from '../name-rules.ts'
import { nonNegative } from '../object-meta.ts'
import { type FieldErrors, noErrors } from './field-walk.ts'

const percentPattern = /^[0-9]+%$/
const percentFault = regexFault(
  "a valid percent string must be a numeric string followed by an ending '%'",
  '[0-9]+%',
  ['1%', '93%'],
)

/** Accepts a number that is not negative, or a percentage. Absent counts as 0. */
export function intOrPercentErrors(value: Json | undefined, path: string): FieldErrors {
  if (typeof value === 'string') return percentPattern.test(value) ? noErrors : [invalid(path, value, percentFault)]
  return typeof value === 'number' ? nonNegative(value, path) : noErrors
}

export function above100PercentErrors(value: Json | undefined, path: string): FieldErrors {
  if (typeof value !== 'string' || !percentPattern.test(value)) return noErrors
  return goInteger(value.slice(0, -1)) <= 100 ? noErrors : [invalid(path, value, 'must not be greater than 100%')]
}

/** Returns true for `0`, `0%`, absent, and a text that is no number. */
export function isZeroIntOrPercent(value: Json | undefined): boolean {
  if (typeof value !== 'string') return (value ?? 0) === 0
  return goInteger(percentPattern.test(value) ? value.slice(0, -1) : value) === 0
}

/** Go's Atoi without its error: 0 for a text that is no number, and the nearest int64 for an overflow. */
function goInteger(text: string): number {
  return /^[+-]?[0-9]+$/.test(text) ? Number(text) : 0
}
