// An operator in a test cluster, and what it is started with.
import type { OperatorHandle } from '../operator/operator-handle.ts'
import type { Runnable } from '../operator/runnable.ts'
import type { Controller } from '../reconcile/definition.ts'

export interface TestOperatorOptions {
  /** Default: `operator`. */
  readonly name?: string
  readonly controllers?: readonly Controller[]
  readonly runnables?: readonly Runnable[]
}

/**
 * An operator in the cluster, as `startOperator` gives it to a program. `done` rejects when the operator ends by itself: with code `LeaseLost` when a
 * member cannot renew its Lease. `stop` settles as `done`.
 *
 * @example await expect(member.done).rejects.toMatchObject({ code: 'LeaseLost' })
 */
export type TestOperator = Pick<OperatorHandle, 'done' | 'stop' | 'enqueue' | 'client' | 'namespaces'>
