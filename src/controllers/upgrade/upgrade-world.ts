// What does an upgrade need of the world? The old side of a database and the new one, as whoever owns the resource reaches them. Each
// function is told the call of the step it serves, finds everything by the call's token and notes, and may be repeated.
import type { SagaCall, SagaStep, Sight } from '../../index.ts'
import type { ReplicationTask } from '../engines/replication-runner.ts'
import type { WriteFreeze } from '../engines/write-freeze.ts'

export const createSnapshot = 'CreateSnapshot'
export const awaitCutover = 'AwaitCutover'
export const provisionNew = 'ProvisionNew'
export const replicate = 'Replicate'
export const migrateData = 'MigrateData'

export interface UpgradeWorld<Scene> {
  /** A verified backup of the old side: where to go back to when all else fails, and never where the rows come from. Kept. */
  readonly createSnapshot: SagaStep<Scene> & { readonly name: typeof createSnapshot }
  /** A database on the new server, with the schema of the old one, without rows, and closed to everybody but the operator. */
  readonly provisionNew: SagaStep<Scene> & { readonly name: typeof provisionNew }
  /**
   * The new side's server goes as a whole where the move is taken back, and what it has of a replication with it: nobody waits for one that does not
   * answer, which may be why it is taken back. Default: it stays.
   */
  readonly newServerGoes?: boolean
  /** The same for all calls of a saga. Default: `Replication`. */
  method?(call: SagaCall<Scene>): MoveMethod
  /** Of method Replication. */
  replication(call: SagaCall<Scene>): ReplicationTask
  /** How much of its log the old server may keep for a new one that does not take it: what keeps more leads back. Absent: any amount. */
  mayLagBytes?(call: SagaCall<Scene>): bigint | undefined
  readonly filling: Filling<Scene>
  /** Of the old side. */
  writers(call: SagaCall<Scene>): WriteFreeze
  /** Undefined: now. Else for what is waited. */
  cutoverWaitsFor(call: SagaCall<Scene>): string | undefined
  /** In what the new side is another than the old one, while nobody writes to either; sentences for people. */
  differences(call: SagaCall<Scene>): Promise<readonly string[]>
  readonly traffic: Traffic<Scene>
}

/**
 * `Replication`: rows travel while applications write, which are kept away for seconds. `Dump`: they are kept away while all rows travel, and
 * the database may have what cannot be replicated: large objects, unlogged tables, tables whose rows cannot be told apart.
 */
export type MoveMethod = 'Replication' | 'Dump'

/**
 * The new side made anew with all rows of the old one. By method Dump nobody writes to that; by method Replication it has been published
 * before, and a slot is made of the moment from which the rows are.
 */
export interface Filling<Scene> {
  look(call: SagaCall<Scene>): Promise<Sight>
  /** Absent: a Job that is declared for the step Replicate or MigrateData does it. */
  run?(call: SagaCall<Scene>): Promise<void>
}

export function movesByDump<Scene>(world: UpgradeWorld<Scene>, call: SagaCall<Scene>): boolean {
  return world.method?.(call) === 'Dump'
}

/** Where applications find their database. */
export interface Traffic<Scene> {
  /** `missing`: all are led to the old side, and nobody may log in to the new one. Anything else is past the point of no return. */
  look(call: SagaCall<Scene>): Promise<Sight>
  /** Tried on the new side before anybody is let in; rejects with what is wrong. */
  rehearse(call: SagaCall<Scene>): Promise<void>
  /** Leads all to the new side and lets them in there. */
  lead(call: SagaCall<Scene>): Promise<void>
}
