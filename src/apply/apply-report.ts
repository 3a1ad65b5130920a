// Result of a plan: the current children, and the writes, failures and held objects.
import type { CodedError } from '../base/errors.ts'
import type { LiveObject } from '../object/object.ts'
import type { Ref } from '../object/ref.ts'
import type { Readiness } from './readiness.ts'

export interface ChildFailure {
  readonly ref: Ref
  readonly error: CodedError
}

/** A child with its readiness, as the status function gets it. */
export interface Child {
  readonly object: LiveObject
  readonly readiness: Readiness
}

export interface ApplyReport {
  /** Every desired child that exists, in plan order: as written or read. */
  readonly children: readonly Child[]
  readonly failures: readonly ChildFailure[]
  /** Sentences about the holds, each with its object. */
  readonly gated: readonly string[]
  /** Number of accepted write requests. */
  readonly writes: number
  /** True if there are objects to prune that may not be pruned now. */
  readonly isPruneHeld: boolean
  /** Number of undeclared children that stay until other children are as declared. */
  readonly pruneWaits: number
}
