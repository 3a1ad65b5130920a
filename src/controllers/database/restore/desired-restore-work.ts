// Job spec and Secrets of a restore worker, from the recorded request, its source and the database's server. Invariant:
// equal inputs give an equal job spec, whose digest is part of the Job's name. Pure.
import { ConfigMap, childNamed, isOf, Job, type LiveObject, valueAt } from '../../../index.ts'
import { type DesiredWork, jobStem, largeScratch, smallScratch } from '../../backup/desired-work.ts'
import type { FilledVolume } from '../../backup/fill-order.ts'
import type { RestoredDatabase } from '../../backup/restore-order.ts'
import { storePlace } from '../../backup/store-place.ts'
import {
  databaseFolder,
  orderedWork,
  passwordKey,
  type ReleaseOrder,
  type WorkOrder,
  workDigest,
  workText,
} from '../../backup/work-order.ts'
import type { Place } from '../../migration/migration-place.ts'
import { databaseNameOf, ownerRoleOf } from '../logical-database.ts'
import type { DatabaseObject } from '../server-connection.ts'
import type { RestoreRecord, RestoreSource } from './restore-request.ts'
import type { RestoreWork } from './restore-state.ts'

/** Label of workers' Jobs and pods. Its value is the Database's UID. */
export const workerLabel = 'data.konverge.dev/restore-worker'
/** Annotation of the same objects: name of the Job, which may be too long for a label. */
export const jobAnnotation = 'data.konverge.dev/restore-job'
/** Annotation of the same objects: their work. */
export const workAnnotation = 'data.konverge.dev/restore-work'

/** Limit for a large database. */
const restoreSeconds = 24 * 3_600
const releaseSeconds = 3_600

export function desiredRestoreWork(
  object: DatabaseObject,
  { record, source: { source, target }, place }: { record: RestoreRecord; source: RestoreSource; place: Place },
): DesiredWork {
  const { requestID: requestId, replaces } = record
  const store = target === undefined ? undefined : storePlace(target)
  const order: WorkOrder = {
    ...{ format: 1, work: 'restore', name: place.ordered.name, database: place.ordered },
    restore: {
      ...{ requestId, database: restoredDatabase(object), source },
      replaces:
        replaces === undefined
          ? undefined
          : { systemIdentifier: replaces.systemIdentifier, databaseOid: replaces.databaseOID },
    },
    ...(store === undefined ? {} : { store: store.store }),
  }
  return {
    ...desiredWorkOf(object, order),
    credentials: [place.credentials, ...(store?.credentials ?? [])],
    scratchLimit: largeScratch,
    ...(store?.storeClaim === undefined ? {} : { storeClaim: store.storeClaim }),
    deadlineSeconds: restoreSeconds,
  }
}

/** The volume of a new server. */
export interface VolumePlace {
  readonly kind: 'volume'
  readonly claim: string
  readonly adminSecret: string
  /** Major version of the server. */
  readonly version: number
}

/** Fills the volume. */
export function desiredFill(
  object: DatabaseObject,
  { record, source: { source, target }, place }: FilledFrom,
): DesiredWork | undefined {
  if (source.kind !== 'backup' || target === undefined) return undefined
  const { claim, adminSecret, version } = place
  const { folder, queries } = source
  const { store, credentials, storeClaim } = storePlace(target)
  const fill = { ...volumeOf(object, record, claim), version, folder, hashUpToBytes: source.hashUpToBytes, queries }
  const order: WorkOrder = { format: 1, work: 'fill', name: nameOf(object), store, fill }
  const password = { secret: adminSecret, key: passwordKey, file: passwordKey }
  return {
    ...desiredWorkOf(object, order),
    credentials: [{ folder: databaseFolder, files: [password] }, ...credentials],
    ...(storeClaim === undefined ? {} : { storeClaim }),
    dataClaim: claim,
    sealedWork: ['prove'],
    deadlineSeconds: restoreSeconds,
  }
}

interface FilledFrom {
  readonly record: RestoreRecord
  readonly source: RestoreSource
  readonly place: VolumePlace
}

/** Removes leftovers of an unfinished fill from the volume. Another `attempt` gives another Job. */
export function desiredClear(
  object: DatabaseObject,
  { record, place: { claim }, attempt }: { record: RestoreRecord; place: VolumePlace; attempt: number },
): DesiredWork {
  const order: WorkOrder = { format: 1, work: 'clear', name: nameOf(object), clear: volumeOf(object, record, claim) }
  const wish = desiredWorkOf(object, order)
  const name = `${wish.name}-${attempt}`
  return { ...wish, name, credentials: [], dataClaim: claim, deadlineSeconds: releaseSeconds }
}

function volumeOf(object: DatabaseObject, { requestID: requestId }: RestoreRecord, claim: string): FilledVolume {
  return { requestId, database: restoredDatabase(object), claim }
}

function nameOf({ metadata }: DatabaseObject): string {
  return `${metadata.namespace}/${metadata.name}`
}

/** Another `attempt` gives another Job. */
export function desiredRelease(
  object: DatabaseObject,
  { requestID: requestId, what, wasFirst, place, attempt }: Released,
): DesiredWork {
  const release = { requestId, what, wasFirst, database: restoredDatabase(object) }
  const order: WorkOrder = { format: 1, work: 'release', name: place.ordered.name, database: place.ordered, release }
  const wish = desiredWorkOf(object, order)
  const credentials = [place.credentials]
  return { ...wish, name: `${wish.name}-${attempt}`, credentials, deadlineSeconds: releaseSeconds }
}

interface Released {
  readonly requestID: string
  readonly what: ReleaseOrder['what']
  readonly wasFirst: boolean
  readonly place: Place
  readonly attempt: number
}

/**
 * Returns the job spec of an existing Job, independent of the current spec. Undefined: its ConfigMap does not exist.
 * `children`: those of the Database.
 */
export function startedWork(job: LiveObject, children: readonly LiveObject[]): DesiredWork | undefined {
  const { name } = job.metadata
  const map = childNamed({ object: job, children }, ConfigMap, name)
  const text = map === undefined ? undefined : valueAt(map, 'data', 'order.json')
  if (typeof text !== 'string') return undefined
  const deadlineSeconds = Number(valueAt(job, 'spec', 'activeDeadlineSeconds') ?? restoreSeconds)
  const work = orderedWork(text) ?? 'restore'
  // Its pods come from an immutable template.
  return { name, work, text, digest: workDigest(text), credentials: [], scratchLimit: smallScratch, deadlineSeconds }
}

/** Returns the Job that restores for this request. */
export function jobOf(requestID: string, children: readonly LiveObject[]): LiveObject | undefined {
  const work = workMark({ kind: 'restore' }, requestID)
  return children.find((child) => isOf(Job, child) && child.metadata.annotations?.[workAnnotation] === work)
}

/** Example: `restore r1`. */
export function workMark(work: RestoreWork, requestID: string): string {
  return `${work.kind} ${requestID}`
}

function restoredDatabase(object: DatabaseObject): RestoredDatabase {
  const { namespace = '', name, uid } = object.metadata
  const databaseName = databaseNameOf(object)
  return { namespace, name, uid, databaseName, owner: ownerRoleOf(databaseName) }
}

function desiredWorkOf({ metadata }: DatabaseObject, order: WorkOrder): Ordered {
  const text = workText(order)
  const digest = workDigest(text)
  return {
    name: `${jobStem(metadata.name)}-${order.work}-${digest.slice(0, 8)}`,
    work: order.work,
    text,
    digest,
    scratchLimit: smallScratch,
  }
}

type Ordered = Pick<DesiredWork, 'name' | 'work' | 'text' | 'digest' | 'scratchLimit'>
