// Failure of a reconcile that exceeded its time limit.
import { CodedError } from '../base/errors.ts'
import type { LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'

/** Limit of the last status write of a reconcile that was cut off, in milliseconds. */
export const tellLimitMs = 10_000

export function cutOff(object: LiveObject, limitMs: number): CodedError<'ReconcileTimeout'> {
  return new CodedError({
    code: 'ReconcileTimeout',
    message: `the reconcile of ${describeRef(refOf(object))} was cut off after ${limitMs / 1_000} s; it is tried again. Raise limits.reconcileMs of the controller if it needs longer`,
    remedy: 'retry',
  })
}
