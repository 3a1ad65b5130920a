// Restore request of a Database, and its source. Before the database exists, this is spec.bootstrap; then it is
// spec.restore. Pure.
import type { BackupSpec, BackupStatus } from '../../../../imports/wire/backup.ts'
import type { DatabaseSpecRestoreFrom, DatabaseStatus } from '../../../../imports/wire/database.ts'
import { durationMs, isBeingDeleted, type LiveObject } from '../../../index.ts'
import { hashUpToBytes } from '../../backup/desired-work.ts'
import type { RestoreOrder } from '../../backup/restore-order.ts'
import { type StoreTarget, targetOf } from '../../backup/store-place.ts'
import type { Problem } from '../../migration/migration-place.ts'
import type { DatabaseObject } from '../server-connection.ts'

export type RestoreRecord = NonNullable<DatabaseStatus['restore']>

export interface RestoreRequest {
  readonly requestID: string
  readonly from: DatabaseSpecRestoreFrom
  /** There is no database yet that it could replace. */
  readonly isFirst: boolean
  /** Time for which the replaced database is kept, in milliseconds. */
  readonly keepMs: number
}

/** Content that replaces the database, and its location for the worker. */
export interface RestoreSource {
  readonly kind: 'source'
  readonly source: RestoreOrder['source']
  /** Undefined if it is on the server already. */
  readonly target: StoreTarget | undefined
  readonly method: RestoreMethod
}

/** Logical: one database, restored on its server. Physical: a whole server, whose files the new one starts from. */
export type RestoreMethod = NonNullable<RestoreRecord['method']>

/** Request ID of spec.bootstrap; no other request may have it. */
export const bootstrapRequest = 'bootstrap'

/** `recordName`: name of the database's journal entry in `status.external`. */
export function restoreRequest({ spec, status }: DatabaseObject, recordName: string): RestoreRequest | undefined {
  const { bootstrap, restore } = spec
  const isFirst = bootstrap !== undefined && !hasBegun(status, recordName)
  // After a failed bootstrap spec.restore may name another source, because no data exists that could be lost.
  const { requestID: last, phase } = status?.restore ?? {}
  const hasFailed = last !== undefined && (last !== bootstrapRequest || phase === 'Failed')
  if (isFirst && (restore === undefined || !hasFailed)) {
    return { requestID: bootstrapRequest, from: bootstrap.restoreFrom, isFirst, keepMs: 0 }
  }
  if (restore === undefined) return undefined
  const { requestID, from, keepPrevious } = restore
  return { requestID, from, isFirst, keepMs: durationMs(keepPrevious) ?? 0 }
}

/** Returns whether the runtime manages the database, or does so from now on. */
export function hasBegun(status: DatabaseStatus | undefined, recordName: string): boolean {
  const isRecorded = status?.external?.some(({ name }) => name === recordName) === true
  return isRecorded || status?.restore?.phase === 'Completed'
}

export type BackupObject = LiveObject<BackupSpec, BackupStatus> & { readonly spec: BackupSpec }

/** `backup`: the Backup that the request names, if it exists. */
export function restoreSource(
  { from, isFirst }: Pick<RestoreRequest, 'from' | 'isFirst'>,
  database: DatabaseObject,
  backup: BackupObject | undefined,
): RestoreSource | Problem {
  const { previousOf, location, backupRef } = from
  if (previousOf !== undefined) {
    const source = { kind: 'former', replacedBy: previousOf } as const
    return { kind: 'source', source, target: undefined, method: 'Logical' }
  }
  if (location !== undefined) {
    const folder = location.path.endsWith('/') ? location.path : `${location.path}/`
    const { method, target } = location
    const refused =
      method === 'Physical' ? notBegunWith(database, { what: `what is at ${folder}`, isFirst }) : undefined
    return refused ?? { kind: 'source', source: { kind: 'backup', folder, hashUpToBytes, queries: [] }, target, method }
  }
  const name = backupRef?.name
  if (backup === undefined) return waiting('BackupMissing', `there is no Backup ${name}`)
  const { spec, status } = backup
  const { schedule, databaseRef, method } = spec
  if (schedule !== undefined) return scheduleProblem(backup)
  if (method === 'Provider') {
    return waiting(
      'BackupIsSnapshot',
      `Backup ${name} is a snapshot of a whole instance, with which only a new Database on rds begins; a database is restored from a Logical one`,
    )
  }
  if (method === 'Physical') {
    const version = status?.source?.serverVersion
    const refused = notBegunWith(database, { what: `Backup ${name}`, isFirst, version })
    if (refused !== undefined) return refused
  }
  if (!isFirst && databaseRef.name !== database.metadata.name) {
    const message = `Backup ${name} is of Database ${databaseRef.name}; who wants that one's content here gives its location`
    return waiting('OtherDatabase', message)
  }
  const isThere = status?.artifact !== undefined && status.folder !== undefined && !isBeingDeleted(backup)
  if (!isThere) return waiting('BackupNotReady', `Backup ${name} has no artifact: it is ${status?.phase ?? 'Pending'}`)
  const { queries = [] } = spec.verify
  const { jobs } = spec.options
  // 1 is the default. Without it the job spec equals that of an operator that does not know this option.
  const parts = jobs === undefined || jobs === 1 ? {} : { jobs }
  const source = { kind: 'backup', folder: status.folder ?? '', hashUpToBytes, queries, ...parts } as const
  return { kind: 'source', source, target: targetOf(spec), method }
}

export function scheduleProblem({ metadata: { name } }: BackupObject): Problem {
  return waiting('BackupIsSchedule', `Backup ${name} is a schedule; name one of the Backups that it has made`)
}

interface Copy {
  /** Beginning of a sentence. */
  readonly what: string
  readonly isFirst: boolean
  /** Version of the copied server, if known; its worker checks it again. */
  readonly version?: string | undefined
}

/** Returns why this Database cannot start from a physical backup; undefined if it can. */
function notBegunWith({ spec, status }: DatabaseObject, { what, isFirst, version }: Copy): Problem | undefined {
  const refused = (help: string) => waiting('BackupIsPhysical', `${what} is a copy of a whole server; ${help}`)
  if (!isFirst) {
    return refused("it takes no database's place: make a new Database that begins with it, or restore a Logical backup")
  }
  if (spec.provider.inCluster === undefined) {
    return refused('only a Database with a server of its own, provider.inCluster, begins with it')
  }
  const wanted = status?.server?.version ?? spec.version
  const major = version?.split('.', 1)[0]
  if (major === undefined || major === wanted) return undefined
  const message = `${what} is of a server of version ${major}, whose files one of version ${wanted} cannot read; make the Database with version '${major}'`
  return waiting('VersionMismatch', message)
}

function waiting(reason: string, message: string): Problem {
  return { kind: 'waiting', reason, message }
}
