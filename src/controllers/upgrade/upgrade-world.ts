// Port of an upgrade: access to the source and the target of a database, as the owner of the resource has it. Each
// function gets the call of its step, finds everything by the call's token and notes, and may be repeated.
import type { SagaCall, SagaStep, StepObservation } from '../../index.ts'
import type { ReplicationTask } from '../engines/replication-runner.ts'
import type { WriteFreeze } from '../engines/write-freeze.ts'

export const createSnapshot = 'CreateSnapshot'
export const awaitCutover = 'AwaitCutover'
export const provisionNew = 'ProvisionNew'
export const replicate = 'Replicate'
export const migrateData = 'MigrateData'

export interface UpgradeWorld<Scene> {
  /** A verified backup of the source, kept as the last fallback; rows never come from it. */
  readonly createSnapshot: SagaStep<Scene> & { readonly name: typeof createSnapshot }
  /** An empty database on the target server with the schema of the source; only the operator can log in. */
  readonly provisionNew: SagaStep<Scene> & { readonly name: typeof provisionNew }
  /**
   * A rollback removes the whole target server, including its part of the replication. It does not wait for a server
   * that does not answer, which may be the reason of the rollback. Default: the server stays.
   */
  readonly newServerGoes?: boolean
  /** Constant for all calls of a saga. Default: `Replication`. */
  method?(call: SagaCall<Scene>): MoveMethod
  /** Replication of the method Replication. */
  replication(call: SagaCall<Scene>): ReplicationTask
  /** Limit of the WAL that the source retains for the target; above it the upgrade rolls back. Absent: no limit. */
  mayLagBytes?(call: SagaCall<Scene>): bigint | undefined
  readonly filling: Filling<Scene>
  /** Write freeze of the source. */
  writers(call: SagaCall<Scene>): WriteFreeze
  /** Reason to wait for the cutover; undefined: start now. */
  cutoverWaitsFor(call: SagaCall<Scene>): string | undefined
  /** Sentences that describe differences between source and target during the write freeze. */
  differences(call: SagaCall<Scene>): Promise<readonly string[]>
  readonly traffic: Traffic<Scene>
}

/**
 * `Replication`: rows replicate while clients write; clients wait for seconds. `Dump`: clients wait while all rows are
 * copied. The database may then have large objects, unlogged tables and tables without a replica identity.
 */
export type MoveMethod = 'Replication' | 'Dump'

/**
 * The target, made again with all rows of the source. Method Dump: no client writes to the source. Method Replication:
 * the source is published before, and a slot is created at the snapshot of the rows.
 */
export interface Filling<Scene> {
  look(call: SagaCall<Scene>): Promise<StepObservation>
  /** Absent: a Job for the step Replicate or MigrateData does it. */
  run?(call: SagaCall<Scene>): Promise<void>
}

export function movesByDump<Scene>(world: UpgradeWorld<Scene>, call: SagaCall<Scene>): boolean {
  return world.method?.(call) === 'Dump'
}

/** Routes clients to their database. */
export interface Traffic<Scene> {
  /**
   * `missing`: all clients use the source, and no role can log in to the target. Any other kind is past the point of no
   * return.
   */
  look(call: SagaCall<Scene>): Promise<StepObservation>
  /** Tests the target before clients use it; rejects with the cause of a failure. */
  rehearse(call: SagaCall<Scene>): Promise<void>
  /** Routes all clients to the target and lets them log in. */
  lead(call: SagaCall<Scene>): Promise<void>
}
