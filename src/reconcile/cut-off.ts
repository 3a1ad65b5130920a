// A reconcile that took too long, as a failure.
import { CodedError } from '../base/errors.ts'
import type { LiveObject } from '../object/object.ts'
import { describeRef, refOf } from '../object/ref.ts'

/** What the last write of a reconcile that was cut off may take. */
export const tellLimitMs = 10_000

export function cutOff(object: LiveObject, limitMs: number): CodedError<'ReconcileTimeout'> {
  return new CodedError({
    code: 'ReconcileTimeout',
    message: `the reconcile of ${describeRef(refOf(object))} was cut off after ${limitMs / 1_000} s; it is tried again. Raise limits.reconcileMs of the controller if it needs longer`,
    remedy: 'retry',
  })
}
