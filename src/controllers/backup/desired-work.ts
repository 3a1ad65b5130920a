// Order, Secrets and disk of a worker, from a Backup and the place of its database.
// Invariant: the result is deterministic, so the name of the Job follows from it. Pure.
import { createHash } from 'node:crypto'
import type { WorkerCredentials } from '../../../constructs/index.ts'
import type { BackupSpec, BackupStatus } from '../../../imports/wire/backup.ts'
import { durationMs, type LiveObject } from '../../index.ts'
import type { DatabaseObject } from '../database/server-connection.ts'
import type { Place } from '../migration/migration-place.ts'
import { type BackupOrder, folderOf } from './backup-worker.ts'
import type { Packing } from './packing.ts'
import type { PhysicalOrder } from './physical-backup-worker.ts'
import { storePlace, targetOf } from './store-place.ts'
import { verifyModeOf } from './verify-mode.ts'
import { type WorkOrder, workDigest, workText } from './work-order.ts'

export type BackupObject = LiveObject<BackupSpec, BackupStatus> & { readonly spec: BackupSpec }

/** Desired worker. */
export interface DesiredWork {
  /** Name of its Job. */
  readonly name: string
  readonly work: WorkOrder['work']
  readonly text: string
  readonly digest: string
  readonly credentials: readonly WorkerCredentials[]
  readonly storeClaim?: string
  /** Volume claim of a server; the worker then runs as the server's user. */
  readonly dataClaim?: string
  readonly deadlineSeconds: number
  /** Size limit of the worker's temporary disk: a quantity. */
  readonly scratchLimit: string
  /** Command of the second step, which runs code of the copy's author and gets no credentials. */
  readonly sealedWork?: readonly string[]
}

/** Command of the first step. */
export function firstWork({ work, sealedWork }: Pick<DesiredWork, 'work' | 'sealedWork'>): readonly string[] {
  return [sealedWork === undefined ? work : 'fetch']
}

/** Size limit for a worker that loads no artifact. */
export const smallScratch = '1Gi'
/** Size limit if the size of the loaded data is unknown, for example of the files in a compressed copy. */
export const largeScratch = '1Ti'

/** Size limit for an artifact that is loaded as it is. */
function scratchFor(sizeBytes: number | undefined): string {
  return sizeBytes === undefined ? largeScratch : `${Math.ceil(sizeBytes / 2 ** 30) + 1}Gi`
}

/** Scheduled time of a Backup of a schedule: RFC 3339. */
export const slotAnnotation = 'data.konverge.dev/slot'

/** Requests another verification of a backup; its value is a token. */
const verifyAnnotation = 'data.konverge.dev/verify-again'

/** Size in bytes above which rows of a table are counted, but not hashed. */
export const hashUpToBytes = 64 * 2 ** 30
const hourMs = 3_600_000

export interface Saved {
  readonly place: Place
  readonly database: DatabaseObject
}

export function desiredBackupWork(
  object: BackupObject,
  { place, database }: Saved,
): DesiredWork & { readonly folder: string } {
  const { spec } = object
  const { excludeTables = [] } = spec.options
  const { systemIdentifier, databaseOID } = database.status?.identity ?? {}
  const common = {
    backup: backupOf(object),
    database: { name: database.metadata.name, uid: database.metadata.uid, databaseName: place.ordered.database },
    ...(systemIdentifier === undefined || databaseOID === undefined
      ? {}
      : { identity: { systemIdentifier, databaseOid: databaseOID } }),
    slotMs: slotOf(object),
    specHash: createHash('sha256')
      .update(JSON.stringify([spec.method, spec.options]))
      .digest('hex'),
  }
  const backup: BackupOrder | PhysicalOrder =
    spec.method === 'Physical'
      ? { ...common, method: 'Physical', packing: packingOf(spec.options) }
      : {
          ...{ ...common, hashUpToBytes },
          compression: compressionOf(packingOf(spec.options)),
          ...(excludeTables.length === 0 ? {} : { excludeTables }),
        }
  const order: WorkOrder = { ...commonOf(object), work: 'backup', database: place.ordered, backup }
  const wish = desiredWorkOf(object, order, [place.credentials])
  return { ...wish, folder: folderOf(backup) }
}

/**
 * Halves the duration of a physical backup compared with gzip's default, for an artifact that is a tenth larger
 * (bench/README.md).
 */
const gzipLevel = 1

function packingOf({ compress = { method: 'gzip' } }: BackupSpec['options']): Packing {
  return compress.method === 'gzip' ? { level: gzipLevel, ...compress } : compress
}

/** Compression level of `pg_dump`: 0 disables it. */
function compressionOf({ method, level }: Packing): number | undefined {
  return method === 'none' ? 0 : level
}

/** Desired worker of the first try. Another token of the annotation gives another Job. */
export function desiredVerification(object: BackupObject, folder: string, place: Place): DesiredWork {
  const mode = verifyModeOf(object.spec)
  const { queries = [] } = object.spec.verify
  const { jobs } = object.spec.options
  const isCopy = object.spec.method === 'Physical'
  // The worker starts the server copy in its own pod.
  const isRestored = mode === 'Restore' && !isCopy
  const order = {
    ...commonOf(object),
    work: 'verify' as const,
    ...(isRestored ? { restoresOn: place.ordered } : {}),
    ...(isCopy ? { copy: mode === 'Restore' ? ('started' as const) : ('read' as const) } : {}),
    verification: { backup: backupOf(object), folder, queries, hashUpToBytes, ...(jobs === undefined ? {} : { jobs }) },
  }
  const isStarted = order.copy === 'started'
  const wish = {
    ...desiredWorkOf(object, order, isRestored ? [place.credentials] : []),
    scratchLimit: isStarted ? largeScratch : scratchFor(object.status?.artifact?.bytes),
    ...(isStarted ? { sealedWork: ['prove'] } : {}),
  }
  const token = verifyToken(object)
  return token === undefined ? wish : { ...wish, name: `${wish.name}-${shortDigest(token)}` }
}

/** Token of the annotation; a new value requests another verification. */
export function verifyToken({ metadata }: Pick<BackupObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[verifyAnnotation]
}

function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 4)
}

/** `attempt`: each one has its own Job. */
export function desiredDiscard(object: BackupObject, folder: string, attempt: number): DesiredWork {
  const { deadlineSeconds: _, ...wish } = desiredWorkOf(object, { ...commonOf(object), work: 'discard', folder }, [])
  return { ...wish, name: `${wish.name}-${attempt}`, deadlineSeconds: hourMs / 1_000 }
}

/** Short, because the deletion of a Backup waits for it. */
const tidyDeadlineSeconds = 120

/**
 * Desired worker that removes leftovers; undefined if there can be none. `folder`: undefined if a worker discards the
 * folder. `place`: place of its database, if it is reachable.
 */
export function desiredTidy(
  object: BackupObject,
  folder: string | undefined,
  place: Place | undefined,
): DesiredWork | undefined {
  // The worker starts the server copy in its own pod.
  const isTriedOut = object.spec.method === 'Logical' && verifyModeOf(object.spec) === 'Restore'
  const server = isTriedOut ? place : undefined
  const isMade = object.status?.artifact !== undefined
  if (server === undefined && folder === undefined) return undefined
  const order: WorkOrder = {
    ...{ ...commonOf(object), work: 'tidy' },
    ...(server === undefined ? {} : { restoresOn: server.ordered }),
    tidy: { backup: backupOf(object), ...(folder === undefined ? {} : { folder, ...(isMade ? { isMade } : {}) }) },
  }
  const wish = desiredWorkOf(object, order, server === undefined ? [] : [server.credentials])
  return { ...wish, deadlineSeconds: tidyDeadlineSeconds }
}

/** Scheduled time of a Backup; without a schedule, its creation time. */
export function slotOf({ metadata }: Pick<BackupObject, 'metadata'>): number {
  const slotMs = Date.parse(metadata.annotations?.[slotAnnotation] ?? '')
  return Number.isNaN(slotMs) ? Date.parse(metadata.creationTimestamp ?? '') : slotMs
}

function desiredWorkOf(
  { metadata, spec }: BackupObject,
  order: WorkOrder,
  databases: readonly WorkerCredentials[],
): DesiredWork {
  const text = workText(order)
  const digest = workDigest(text)
  const { store: _, credentials, ...claim } = storePlace(targetOf(spec))
  return {
    ...{ name: `${jobStem(metadata.name)}-${order.work}-${digest.slice(0, 8)}`, work: order.work, text, digest },
    credentials: [...databases, ...credentials],
    ...claim,
    scratchLimit: smallScratch,
    deadlineSeconds: Math.ceil((durationMs(spec.deadline) ?? hourMs) / 1_000),
  }
}

/** Prefix of Job names, from the name of a resource. A truncated name must end in an alphanumeric character. */
export function jobStem(name: string): string {
  return name.slice(0, maxStem).replace(/[^a-z0-9]+$/, '')
}

/** Pods of a Job bear its name in a label: 63 characters, with `-verify-`, a digest, that of a token, and a try. */
const maxStem = 40

function commonOf(object: BackupObject) {
  const { namespace, name } = backupOf(object)
  return { format: 1, name: `${namespace}/${name}`, store: storePlace(targetOf(object.spec)).store } as const
}

function backupOf({ metadata }: BackupObject): BackupOrder['backup'] {
  return { uid: metadata.uid, namespace: metadata.namespace ?? 'default', name: metadata.name }
}
