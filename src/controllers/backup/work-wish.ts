// Order, Secrets and disk of a worker, from a Backup and the place of its database: the same for the same Backup, so that the name of the Job
// follows from it. Pure.
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

/** What a worker is started with. */
export interface WorkWish {
  /** Of its Job. */
  readonly name: string
  readonly work: WorkOrder['work']
  readonly text: string
  readonly digest: string
  readonly credentials: readonly WorkerCredentials[]
  readonly storeClaim?: string
  /** The volume of a server, whose user the worker then is. */
  readonly dataClaim?: string
  readonly deadlineSeconds: number
  /** Of the worker's temporary disk: a quantity. */
  readonly scratchLimit: string
  /** Second step, which runs what others have written and gets no credentials. */
  readonly sealedWork?: readonly string[]
}

/** The command of a worker's first step. */
export function firstWork({ work, sealedWork }: Pick<WorkWish, 'work' | 'sealedWork'>): readonly string[] {
  return [sealedWork === undefined ? work : 'fetch']
}

/** Files of a worker that loads no artifact. */
export const smallScratch = '1Gi'
/** Where the size of what is loaded is not known, as that of the files of a packed copy. */
export const largeScratch = '1Ti'

/** For an artifact that is loaded as it is. */
function scratchFor(sizeBytes: number | undefined): string {
  return sizeBytes === undefined ? largeScratch : `${Math.ceil(sizeBytes / 2 ** 30) + 1}Gi`
}

/** When a Backup of a schedule was due: RFC 3339. */
export const slotAnnotation = 'data.konverge.dev/slot'

/** Asks for a backup to be proven once more; its value is a token. */
const verifyAnnotation = 'data.konverge.dev/verify-again'

/** Tables that are larger are counted, and their rows not hashed. */
export const hashUpToBytes = 64 * 2 ** 30
const hourMs = 3_600_000

export interface Saved {
  readonly place: Place
  readonly database: DatabaseObject
}

export function makeWish(object: BackupObject, { place, database }: Saved): WorkWish & { readonly folder: string } {
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
  const wish = wishOf(object, order, [place.credentials])
  return { ...wish, folder: folderOf(backup) }
}

/** A server is saved in half the time where gzip is not left to its own choice, and the artifact is a tenth larger (bench/README.md). */
const gzipLevel = 1

function packingOf({ compress = { method: 'gzip' } }: BackupSpec['options']): Packing {
  return compress.method === 'gzip' ? { level: gzipLevel, ...compress } : compress
}

/** As `pg_dump` has it: 0 is none. */
function compressionOf({ method, level }: Packing): number | undefined {
  return method === 'none' ? 0 : level
}

/** Of the first try; asked for anew by another token, it is another Job. */
export function verifyWish(object: BackupObject, folder: string, place: Place): WorkWish {
  const mode = verifyModeOf(object.spec)
  const { queries = [] } = object.spec.verify
  const { jobs } = object.spec.options
  const isCopy = object.spec.method === 'Physical'
  // A copy of a server is started where the worker is.
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
    ...wishOf(object, order, isRestored ? [place.credentials] : []),
    scratchLimit: isStarted ? largeScratch : scratchFor(object.status?.artifact?.bytes),
    ...(isStarted ? { sealedWork: ['prove'] } : {}),
  }
  const token = verifyToken(object)
  return token === undefined ? wish : { ...wish, name: `${wish.name}-${shortDigest(token)}` }
}

/** Whoever sets another one has it proven once more. */
export function verifyToken({ metadata }: Pick<BackupObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[verifyAnnotation]
}

function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 4)
}

/** `attempt`: another one is another Job. */
export function discardWish(object: BackupObject, folder: string, attempt: number): WorkWish {
  const { deadlineSeconds: _, ...wish } = wishOf(object, { ...commonOf(object), work: 'discard', folder }, [])
  return { ...wish, name: `${wish.name}-${attempt}`, deadlineSeconds: hourMs / 1_000 }
}

/** Whoever wants to be rid of a Backup does not wait for long. */
const tidyDeadlineSeconds = 120

/** `folder`: undefined where what is in the store is discarded. `place`: of its database, where that can be reached. Undefined: nothing is left. */
export function tidyWish(
  object: BackupObject,
  folder: string | undefined,
  place: Place | undefined,
): WorkWish | undefined {
  // A copy of a server is started where the worker is.
  const isTriedOut = object.spec.method === 'Logical' && verifyModeOf(object.spec) === 'Restore'
  const server = isTriedOut ? place : undefined
  const isMade = object.status?.artifact !== undefined
  if (server === undefined && folder === undefined) return undefined
  const order: WorkOrder = {
    ...{ ...commonOf(object), work: 'tidy' },
    ...(server === undefined ? {} : { restoresOn: server.ordered }),
    tidy: { backup: backupOf(object), ...(folder === undefined ? {} : { folder, ...(isMade ? { isMade } : {}) }) },
  }
  const wish = wishOf(object, order, server === undefined ? [] : [server.credentials])
  return { ...wish, deadlineSeconds: tidyDeadlineSeconds }
}

/** What it is of: its slot, or when it was asked for. */
export function slotOf({ metadata }: Pick<BackupObject, 'metadata'>): number {
  const slotMs = Date.parse(metadata.annotations?.[slotAnnotation] ?? '')
  return Number.isNaN(slotMs) ? Date.parse(metadata.creationTimestamp ?? '') : slotMs
}

function wishOf({ metadata, spec }: BackupObject, order: WorkOrder, databases: readonly WorkerCredentials[]): WorkWish {
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

/** Of the name of a resource, what the names of its Jobs begin with. A cut must not end in what no name ends in. */
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
