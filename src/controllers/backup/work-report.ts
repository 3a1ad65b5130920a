// Report of a worker: one line of JSON that fits into a termination message, without secrets. The exit code shows
// whether a retry makes sense.
// Pure.

import type { BackupStatus } from '../../../imports/wire/backup.ts'
import { jsonObjectIn } from '../worker/json-object.ts'
import { reportLimit } from '../worker/termination-message.ts'
import type { BackupOutcome } from './backup-worker.ts'
import type { CommittedBackup } from './commit-worker.ts'
import type { Manifest } from './manifest.ts'
import type { PhysicalManifest } from './physical-manifest.ts'

export interface WorkReport {
  /** `Interrupted`: a retry may succeed. `Stopped`: it will not. */
  readonly outcome: 'Completed' | 'Interrupted' | 'Stopped'
  /** CamelCase reason of a condition. */
  readonly reason?: string
  readonly message?: string
  readonly made?: MadeBackup
  readonly restored?: RestoredDatabase
}

/** The restored database, which has the live name. */
export interface RestoredDatabase {
  /** `pg://<system identifier>/<oid>` */
  readonly providerID: string
  /** Name of the replaced database, if it still exists. */
  readonly former?: string
}

/** Facts about a backup for the status of its Backup; the manifest has all of them. */
export interface MadeBackup {
  readonly artifact: NonNullable<BackupStatus['artifact']>
  readonly source: NonNullable<BackupStatus['source']>
  readonly startedAt: string
  readonly completedAt: string
}

export function madeBackup({ manifest, sha256 }: BackupOutcome, uri: string): MadeBackup {
  const { tables } = manifest.contents
  const rows = tables.reduce((sum, table) => sum + Number(table.rows), 0)
  const made = madeOf(manifest, sha256, uri)
  return { ...made, source: { ...made.source, tables: tables.length, rows } }
}

/** A physical backup has no row counts: the server continues while its files are copied. */
export function madeCopy({ manifest, sha256 }: CommittedBackup<PhysicalManifest>, uri: string): MadeBackup {
  const made = madeOf(manifest, sha256, uri)
  return { ...made, source: { ...made.source, snapshotLSN: manifest.copy.endPosition } }
}

function madeOf(
  { artifact, source, startedAt, completedAt }: Manifest | PhysicalManifest,
  manifestSha256: string,
  uri: string,
): MadeBackup {
  const { sizeBytes: bytes, sha256, format, toolVersion } = artifact
  const { databaseUid: databaseUID, systemIdentifier, serverVersion, logPosition: snapshotLSN } = source
  return {
    artifact: { uri, bytes, sha256, manifestSha256, format, toolVersion },
    source: { databaseUID, systemIdentifier, serverVersion, snapshotLSN },
    ...{ startedAt, completedAt },
  }
}

/** 0: completed. 1: retry. 2: failed until a user changes something. */
export function exitCodeOf({ outcome }: WorkReport): 0 | 1 | 2 {
  if (outcome === 'Completed') return 0
  return outcome === 'Interrupted' ? 1 : 2
}

/** Undefined if no worker wrote the text: it was killed, or another process wrote the text. */
export function workReportIn(text: string | undefined): WorkReport | undefined {
  const value = (text?.length ?? 0) > reportLimit ? undefined : jsonObjectIn(text)
  const outcome = (['Completed', 'Interrupted', 'Stopped'] as const).find((known) => known === value?.['outcome'])
  if (value === undefined || outcome === undefined) return undefined
  const { reason, message } = value
  const made = madeIn(value['made'])
  return {
    outcome,
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(made === undefined ? {} : { made }),
    ...restoredIn(value['restored']),
  }
}

function restoredIn(value: unknown): Pick<WorkReport, 'restored'> {
  if (!isRecord(value)) return {}
  const { providerID, former } = value
  if (typeof providerID !== 'string') return {}
  return { restored: { providerID, ...(typeof former === 'string' ? { former } : {}) } }
}

const artifactShape = {
  ...{ uri: 'string', bytes: 'number', sha256: 'string', manifestSha256: 'string', format: 'string' },
  toolVersion: 'string',
}
const sourceShape = {
  ...{ databaseUID: 'string', systemIdentifier: 'string', serverVersion: 'string', snapshotLSN: 'string' },
}
const timesShape = { startedAt: 'string', completedAt: 'string' }

function madeIn(value: unknown): MadeBackup | undefined {
  if (!isRecord(value) || !hasShape(value, timesShape)) return undefined
  if (!hasShape(value['artifact'], artifactShape) || !hasShape(value['source'], sourceShape)) return undefined
  // Sound: hasShape checked each field.
  return value as unknown as MadeBackup
}

function hasShape(value: unknown, shape: Readonly<Record<string, string>>): boolean {
  return isRecord(value) && Object.entries(shape).every(([field, type]) => typeof value[field] === type)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
