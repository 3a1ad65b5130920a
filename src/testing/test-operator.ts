// Operator in a test cluster, and its start options.
import type { OperatorHandle } from '../operator/operator-handle.ts'
import type { Runnable } from '../operator/runnable.ts'
import type { Controller } from '../reconcile/definition.ts'

/** Options of `TestCluster.start`. */
export interface TestOperatorOptions {
  /** Default: `operator`. */
  readonly name?: string
  readonly controllers?: readonly Controller[]
  readonly runnables?: readonly Runnable[]
}

/**
 * Operator in a test cluster, with the methods of the handle of `startOperator`. `done` rejects when the operator ends
 * by itself, e.g. with code `LeaseLost` if a member cannot renew its Lease. `stop` settles like `done`.
 *
 * @example await expect(member.done).rejects.toMatchObject({ code: 'LeaseLost' })
 */
export type TestOperator = Pick<OperatorHandle, 'done' | 'stop' | 'enqueue' | 'client' | 'namespaces'>
