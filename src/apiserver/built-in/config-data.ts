// Common rules of ConfigMaps and Secrets: a size limit and immutability.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
import { deepEqual, type Json, type JsonObject } from '../../base/json.ts'
import { forbidden } from '../field-error.ts'
import { type FieldErrors, isTrueAt, mapAt, noErrors } from './field-walk.ts'

export const maxDataBytes = 1024 * 1024
const frozen = 'field is immutable when `immutable` is set'

export function frozenDataErrors(object: JsonObject, old: JsonObject, fields: readonly string[]): FieldErrors {
  if (!isTrueAt(old, 'immutable')) return noErrors
  return [
    ...(isTrueAt(object, 'immutable') ? [] : [forbidden('immutable', frozen)]),
    ...fields.flatMap((field) =>
      deepEqual(mapAt(object, field), mapAt(old, field)) ? [] : [forbidden(field, frozen)],
    ),
  ]
}

/** Decodes base64; '' for no text. */
export function bytesOf(value: Json | undefined): Buffer {
  return Buffer.from(typeof value === 'string' ? value : '', 'base64')
}
