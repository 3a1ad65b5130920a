// Schema validation failure. It keeps the whole sentence, because upstream deduplicates by it.
// It also keeps the path in upstream's notation (`.spec.x` for an undeclared field).
// Source: k8s.io/kube-openapi/pkg/validation/errors, k8s.io/apiextensions-apiserver/pkg/apiserver/validation.
import type { Json } from '../../base/json.ts'
import { type FieldError, type FieldErrorType, sortedByKey } from '../field-error.ts'

export interface Failure {
  readonly type: FieldErrorType
  /** Undefined for a failure without a path of its own. */
  readonly path: string | undefined
  readonly value: Json | undefined
  readonly shownValue?: string
  /** Text by which upstream compares failures; not always shown. */
  readonly message: string
  readonly detail: string
}

/** Returns a failure whose whole sentence is shown. A null value is shown as ''. */
export function failure(type: FieldErrorType, path: string, value: Json, message: string): Failure {
  return { type, path, value: value ?? '', message, detail: message }
}

/** Returns a failure without a path: of combined schemas, or of a bound that its type cannot hold. */
export function plainFailure(message: string): Failure {
  return { type: 'FieldValueInvalid', path: undefined, value: '', message, detail: message }
}

/** Returns the field error of a failure; `field` is the path of the validated value, '' for a whole object. */
export function fieldErrorOf({ type, path, value, shownValue, detail }: Failure, field: string): FieldError {
  const name = path?.replace(/^\./, '') ?? ''
  const whole = field === '' ? '<nil>' : field
  const full = name === '' ? whole : field === '' ? name : `${field}.${name}`
  return { type, field: full, value: value === undefined ? undefined : sortedByKey(value), shownValue, detail }
}
