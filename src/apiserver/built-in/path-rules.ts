// Validation of file paths below a volume: no path leads out of it.
// Source: k8s.io/kubernetes/pkg/apis/core/validation (validateLocalDescendingPath and its neighbours).
import { invalid } from '../field-error.ts'
import { type FieldErrors, noErrors } from './field-walk.ts'

export function validatePathWithoutBacksteps(path: string, field: string): FieldErrors {
  const hasBackstep = path.includes('..') && path.split('/').includes('..')
  return hasBackstep ? [invalid(field, path, "must not contain '..'")] : noErrors
}

/** Requires a relative path without `..`. */
export function validateDescendingPath(path: string, field: string): FieldErrors {
  const backsteps = validatePathWithoutBacksteps(path, field)
  return path.startsWith('/') ? [invalid(field, path, 'must be a relative path'), ...backsteps] : backsteps
}

/** As above, and rejects the names that the kubelet reserves. */
export function validateLocalPath(path: string, field: string): FieldErrors {
  const errors = validateDescendingPath(path, field)
  const isReserved = path.startsWith('..') && !path.startsWith('../')
  return isReserved ? [...errors, invalid(field, path, "must not start with '..'")] : errors
}
