// Validation of counts: no count is negative or greater than its limit, and some counts only grow.
// Source: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go.
import { type FieldError, invalid } from '../field-error.ts'
import { nonNegative } from '../object-meta.ts'
import { type FieldErrors, integerAt, noErrors, type Struct, valueAt } from './field-walk.ts'

/** Returns an error for each negative field; an absent field counts as 0. */
export function nonNegatives(struct: Struct, path: string, keys: readonly string[]): FieldErrors {
  let errors: FieldError[] | undefined
  for (const key of keys) {
    const value = valueAt(struct, key)
    if ((typeof value !== 'number' && typeof value !== 'bigint') || value >= 0) continue
    errors ??= []
    errors.push(...nonNegative(value, `${path}.${key}`))
  }
  return errors ?? noErrors
}

export interface Limit {
  readonly path: string
  readonly keys: readonly string[]
  /** Field that none of the counts may exceed. */
  readonly limit: string
  readonly detail: string
}

export function notAbove(struct: Struct, { path, keys, limit, detail }: Limit): FieldErrors {
  const most = integerAt(struct, limit)
  const above = keys.filter((key) => integerAt(struct, key) > most)
  return above.map((key) => invalid(`${path}.${key}`, integerAt(struct, key), detail))
}

/** Validates a controller's collisionCount: it may only grow, and may not be removed. */
export function collisionCountErrors(status: Struct, oldStatus: Struct): FieldErrors {
  const key = 'collisionCount'
  if (valueAt(oldStatus, key) === undefined) return noErrors
  const isDecremented = valueAt(status, key) === undefined || integerAt(status, key) < integerAt(oldStatus, key)
  return isDecremented ? [invalid(`status.${key}`, integerAt(status, key), 'cannot be decremented')] : noErrors
}
