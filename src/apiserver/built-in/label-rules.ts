// Validation of label keys and values. Source: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go.
import { labelKeyFaults, labelValueFaults } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { eachItem, type FieldErrors } from './field-walk.ts'

export function validateLabelKey(key: string, field: string): FieldErrors {
  return invalids(field, key, labelKeyFaults(key))
}

/** Returns one error for each invalid label value. */
export function validateLabelValues(values: readonly string[], field: string): FieldErrors {
  return eachItem(values, field, (value, path) => invalids(path, value, labelValueFaults(value)))
}
