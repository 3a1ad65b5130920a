// What came of a plan? The children as they are now, what was written, what failed and what is held back.
import type { CodedError } from '../base/errors.ts'
import type { LiveObject } from '../object/object.ts'
import type { Ref } from '../object/ref.ts'
import type { Readiness } from './readiness.ts'

export interface ChildFailure {
  readonly ref: Ref
  readonly error: CodedError
}

/** A child as the status sees it. */
export interface Child {
  readonly object: LiveObject
  readonly readiness: Readiness
}

export interface ApplyReport {
  /** Every desired child that exists, in plan order: as written, or as it was found. */
  readonly children: readonly Child[]
  readonly failures: readonly ChildFailure[]
  /** Sentences: which declared gate holds back which object. */
  readonly gated: readonly string[]
  /** How many write requests were accepted. */
  readonly writes: number
  /** There was something to prune, and it may not be pruned now. */
  readonly isPruneHeld: boolean
  /** How many children that are no longer declared stay until others are as declared. */
  readonly pruneWaits: number
}
