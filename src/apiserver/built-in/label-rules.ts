// Are these keys and values of labels? Source: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go.
import { labelKeyFaults, labelValueFaults } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { eachItem, type FieldErrors } from './field-walk.ts'

export function validateLabelKey(key: string, field: string): FieldErrors {
  return invalids(field, key, labelKeyFaults(key))
}

/** One error for each value that no label can have. */
export function validateLabelValues(values: readonly string[], field: string): FieldErrors {
  return eachItem(values, field, (value, path) => invalids(path, value, labelValueFaults(value)))
}
