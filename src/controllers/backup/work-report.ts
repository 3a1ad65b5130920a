// What does a worker of a Backup leave behind when it ends? One line of JSON that fits into a termination message, without secrets, and an
// exit code that says whether another try is worth it. Pure.

import type { BackupStatus } from '../../../imports/wire/backup.ts'
import { jsonObjectIn } from '../worker/json-object.ts'
import { reportLimit } from '../worker/termination-message.ts'
import type { BackupOutcome } from './backup-worker.ts'
import type { CommittedBackup } from './commit-worker.ts'
import type { Manifest } from './manifest.ts'
import type { PhysicalManifest } from './physical-manifest.ts'

export interface WorkReport {
  /** `Interrupted`: it may go better the next time. `Stopped`: it will not. */
  readonly outcome: 'Completed' | 'Interrupted' | 'Stopped'
  /** One CamelCase word. */
  readonly reason?: string
  readonly message?: string
  readonly made?: MadeBackup
  readonly restored?: RestoredDatabase
}

/** What has the name now. */
export interface RestoredDatabase {
  /** `pg://<system identifier>/<oid>` */
  readonly providerID: string
  /** What had the name before, if that is there. */
  readonly former?: string
}

/** What a Backup tells of what was made; the manifest says all. */
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

/** Of a server nobody has counted what is in it: it goes on while its files are copied. */
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

/** 0: done. 1: another try is worth it. 2: somebody has to change something. */
export function exitCodeOf({ outcome }: WorkReport): 0 | 1 | 2 {
  if (outcome === 'Completed') return 0
  return outcome === 'Interrupted' ? 1 : 2
}

/** Undefined for what no worker wrote: it was killed, or somebody else spoke. */
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
  // Sound: every field has just been looked at.
  return value as unknown as MadeBackup
}

function hasShape(value: unknown, shape: Readonly<Record<string, string>>): boolean {
  return isRecord(value) && Object.entries(shape).every(([field, type]) => typeof value[field] === type)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
