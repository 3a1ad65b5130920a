// What has a value against its schema? A failure keeps the whole sentence, by which the server tells one from another, and
// where the value stands as that sentence names it (`.spec.x` for a field that is not declared by name).
// Source: k8s.io/kube-openapi/pkg/validation/errors, k8s.io/apiextensions-apiserver/pkg/apiserver/validation.
import type { Json } from '../../base/json.ts'
import { type FieldError, type FieldErrorType, sortedByKey } from '../field-error.ts'

export interface Failure {
  readonly type: FieldErrorType
  /** Undefined for a failure that the server gives no place of its own. */
  readonly path: string | undefined
  readonly value: Json | undefined
  readonly shownValue?: string
  /** What the server compares failures by; not always shown. */
  readonly message: string
  readonly detail: string
}

/** A failure whose sentence is shown. A value of null is shown as the empty text. */
export function failure(type: FieldErrorType, path: string, value: Json, message: string): Failure {
  return { type, path, value: value ?? '', message, detail: message }
}

/** A failure without a place: of combined schemas, of a bound that its type cannot hold. */
export function plainFailure(message: string): Failure {
  return { type: 'FieldValueInvalid', path: undefined, value: '', message, detail: message }
}

/** The failure as a Status names it; `field` is where the whole value stands, empty for a whole object. */
export function fieldErrorOf({ type, path, value, shownValue, detail }: Failure, field: string): FieldError {
  const name = path?.replace(/^\./, '') ?? ''
  const whole = field === '' ? '<nil>' : field
  const full = name === '' ? whole : field === '' ? name : `${field}.${name}`
  return { type, field: full, value: value === undefined ? undefined : sortedByKey(value), shownValue, detail }
}
