// Bootstrap of a Database on RDS from a snapshot of the provider. RDS restores the instance instead of creating an
// empty one. The status records the snapshot first, then the instance is requested, and its database is adopted once it
// serves. No worker is involved. Pure.
import { type ExternalReport, isBeingDeleted, timestampAt } from '../../../index.ts'
import type { Problem } from '../../migration/migration-place.ts'
import { databaseNameOf } from '../logical-database.ts'
import { majorOf } from '../rds/instance.ts'
import type { DatabaseObject } from '../server-connection.ts'
import { type BackupObject, bootstrapRequest, type RestoreRequest, scheduleProblem } from './restore-request.ts'
import type { RestoreState } from './restore-state.ts'

/** Source from which an instance starts. */
export type InstanceOrigin =
  /** The source is not known yet, so no instance is created. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly message: string }
  | { readonly kind: 'snapshot'; readonly identifier: string }

export interface SnapshotRestore extends RestoreState {
  readonly origin: InstanceOrigin
}

export interface SnapshotRestoreInput {
  readonly object: DatabaseObject
  readonly asked: RestoreRequest | undefined
  /** Backup that the request names, if it exists. */
  readonly backup: BackupObject | undefined
  /** Last report of the instance. */
  readonly instance: Pick<ExternalReport, 'state' | 'message'> | undefined
  readonly nowMs: number
}

/** The operator's own write of a status triggers no reconcile. */
const afterWriteMs = 1_000

/** Returns undefined if the Database starts otherwise, or has started. */
export function snapshotRestore(input: SnapshotRestoreInput): SnapshotRestore | undefined {
  const { object, asked, backup } = input
  const { spec, status } = object
  const record = status?.restore
  if (record?.snapshot !== undefined && record.phase === 'Restoring') return restoring(input, record)
  const isFirst = asked?.isFirst === true && asked.requestID === bootstrapRequest && record === undefined
  if (spec.provider.rds === undefined || !isFirst || asked.from.backupRef === undefined) return undefined
  const hasInstance = status?.external?.some(({ name }) => name === 'instance') === true
  // An existing instance was not restored from it.
  if (hasInstance) return undefined
  if (backup === undefined) {
    return kept({
      kind: 'waiting',
      reason: 'BackupMissing',
      message: `there is no Backup ${asked.from.backupRef.name}`,
    })
  }
  const { method, schedule } = backup.spec
  if (method !== 'Provider') return undefined
  const problem = schedule === undefined ? unfit(object, backup) : scheduleProblem(backup)
  return problem === undefined ? beginning(input, backup) : kept(problem)
}

function kept(problem: Problem): SnapshotRestore {
  const { reason, message } = problem
  return { record: undefined, problem, origin: { kind: 'unknown', reason, message } }
}

function beginning({ nowMs }: SnapshotRestoreInput, { metadata, status }: BackupObject): SnapshotRestore {
  const { uri = '' } = status?.artifact ?? {}
  const message = `the instance begins with the snapshot of Backup ${metadata.name}`
  const snapshot = uri.slice(uri.lastIndexOf(':') + 1)
  const words = { phase: 'Restoring', reason: 'Restoring', message } as const
  const record = { requestID: bootstrapRequest, ...words, startedAt: timestampAt(nowMs), snapshot }
  return { record, origin: { kind: 'unknown', reason: 'Restoring', message }, dueAtMs: nowMs + afterWriteMs }
}

function restoring(
  { instance, nowMs }: SnapshotRestoreInput,
  record: NonNullable<RestoreState['record']>,
): SnapshotRestore {
  const origin = { kind: 'snapshot', identifier: record.snapshot ?? '' } as const
  if (instance?.state !== 'available') return { record, origin }
  const message = `the instance has been restored from ${record.snapshot}`
  const words = { phase: 'Completed', reason: 'RestoreCompleted', message } as const
  return { record: { ...record, ...words, endedAt: timestampAt(nowMs) }, origin, dueAtMs: nowMs + afterWriteMs }
}

function unfit(object: DatabaseObject, backup: BackupObject): Problem | undefined {
  const { spec } = object
  const { metadata, status } = backup
  const { artifact, snapshot, source } = status ?? {}
  const what = `Backup ${metadata.name}`
  // Its snapshot may be deleted with it.
  if (isBeingDeleted(backup)) return waiting('BackupNotReady', `${what} is being deleted`)
  const isThere = artifact !== undefined && status?.phase !== 'Failed'
  if (!isThere || snapshot === undefined || source === undefined) {
    return waiting('BackupNotReady', `${what} has no snapshot: it is ${status?.phase ?? 'Pending'}`)
  }
  if (snapshot.region !== spec.provider.rds?.region) {
    return waiting(
      'OtherRegion',
      `${what} is in ${snapshot.region}; make the Database there, or copy the snapshot in RDS`,
    )
  }
  if (snapshot.databaseName !== databaseNameOf(object)) {
    return waiting(
      'OtherDatabase',
      `${what} holds the database ${snapshot.databaseName}; set spec.databaseName to that`,
    )
  }
  const major = majorOf(source.serverVersion)
  if (String(major) === spec.version) return undefined
  return waiting('VersionMismatch', `${what} is of PostgreSQL ${source.serverVersion}; set spec.version to '${major}'`)
}

function waiting(reason: string, message: string): Problem {
  return { kind: 'waiting', reason, message }
}
