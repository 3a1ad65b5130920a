// What came of a plan? The children as they are now, what was written, what failed and what is held back.
import type { CodedError } from '../base/errors.ts'
import type { LiveObject } from '../object/object.ts'
import type { Ref } from '../object/ref.ts'

export interface ChildFailure {
  readonly ref: Ref
  readonly error: CodedError
}

export interface ApplyReport {
  /** Every desired child that exists, in plan order: as written, or as it was found. */
  readonly children: readonly LiveObject[]
  readonly failures: readonly ChildFailure[]
  /** Sentences: which declared gate holds back which object. */
  readonly gated: readonly string[]
  /** How many write requests were accepted. */
  readonly writes: number
}
