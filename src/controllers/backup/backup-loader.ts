// Loads the state of the cluster that a Backup depends on: its database, the connection to it, and the reports of its
// workers. For a schedule, loads the Backups that it created.
import type { BackupSpec, BackupStatus } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import {
  isBeingDeleted,
  isOf,
  Job,
  type LiveObject,
  type ObserveContext,
  PersistentVolumeClaim,
  Pod,
} from '../../index.ts'
import { loadConnection } from '../database/connection-loader.ts'
import { backupBefore } from '../database/own-backup.ts'
import { awaitedBackups } from '../database/restore/awaited-backups.ts'
import type { DatabaseObject } from '../database/server-connection.ts'
import { knownPlace, type Place, type Problem, placeOf } from '../migration/migration-place.ts'
import type { ReferencePolicy } from '../references/reference-policy.ts'
import { loadStoreRejection } from '../references/store-loader.ts'
import { type BackupObject, desiredBackupWork, desiredVerification, type Saved } from './desired-work.ts'
import { type PreDeleteFacts, preDeleteFacts } from './pre-delete-facts.ts'
import type { ProviderFacts } from './provider-facts.ts'
import { type FoundDatabase, loadProvider } from './provider-loader.ts'
import { type ScheduleFacts, scheduleFacts } from './schedule-facts.ts'
import { isAtRest, madeBy, recordedBackup, type SingleFacts, singleStep, workersOf } from './single-facts.ts'
import { isSlotPassed, slotPassed } from './slot-passed.ts'
import { claimProblem } from './store-claim.ts'
import { verificationTry } from './verification-tries.ts'
import { databaseFolder } from './work-order.ts'
import { type WorkRun, workRun } from './work-run.ts'

export type BackupFacts = SingleFacts | ProviderFacts | ScheduleFacts | PreDeleteFacts

/** Delay until the next reconcile; the operator's own write of a status triggers none. */
const tidyAfterMs = 1_000

type Observing = ObserveContext<BackupSpec, BackupStatus>

/** Label of worker pods. Its value is the Backup's uid. */
export const workerLabel = 'data.konverge.dev/backup-worker'
/** Annotations of worker pods: names of the Backup and of the Job, which may be too long for a label. */
export const workerAnnotation = 'data.konverge.dev/backup'
export const jobAnnotation = 'data.konverge.dev/backup-job'

export async function loadFacts(context: Observing, policy: ReferencePolicy): Promise<BackupFacts> {
  const { children, nowMs } = context
  const object = context.object as BackupObject // Sound: the CRD requires a spec.
  if (object.spec.schedule !== undefined) {
    const rejection = await loadRejection(context, object, policy)
    const awaited = await loadAwaited(context)
    return scheduleFacts({ object, children, awaited, nowMs, ...(isBeingDeleted(object) ? {} : { rejection }) })
  }
  if (object.spec.method === 'Provider') {
    return await loadProvider(context, { object, policy, found: await loadSource(context, object, policy) })
  }
  const pods = await loadPods(context)
  if (!isBeingDeleted(object)) return await loadSingle(context, object, { pods, policy })
  const place = await loadReachable(context, object, policy)
  const facts = preDeleteFacts({ object, place, children, pods, isPodOf, nowMs })
  if (facts.discard === undefined && facts.tidy === undefined) return facts
  const rejection = await loadRejection(context, object, policy)
  if (rejection === undefined) return facts
  // A rejected store blocks a deletion because of the artifact, but not because of leftovers of killed workers.
  return facts.discard === undefined ? { kind: 'parting' } : { kind: 'parting', rejection }
}

/** Returns why no worker may use the store. */
async function loadRejection(
  { live }: Observing,
  { metadata: { namespace }, spec: { target } }: BackupObject,
  policy: ReferencePolicy,
): Promise<RejectedStore | undefined> {
  const rejection = target && (await loadStoreRejection(target, { live, namespace, policy }))
  return rejection && { kind: 'refused', ...rejection }
}

type RejectedStore = Problem & { readonly kind: 'refused' }

async function loadAwaited({ live, object }: Observing): Promise<ReadonlySet<string>> {
  const databases = await live.list(Database, { namespace: object.metadata.namespace })
  // Sound: the CRD requires a spec.
  return new Set(databases.flatMap((database) => awaitedBackups(database as DatabaseObject)))
}

async function loadPods({ live, object }: Observing): Promise<readonly LiveObject[]> {
  const { namespace, uid } = object.metadata
  return await live.list(Pod, { namespace, labels: { [workerLabel]: uid } })
}

async function loadSingle(
  context: Observing,
  object: BackupObject,
  { pods, policy }: { readonly pods: readonly LiveObject[]; readonly policy: ReferencePolicy },
): Promise<SingleFacts> {
  const { status } = object
  const jobs = context.children.filter((child) => isOf(Job, child))
  const runOf = (name: string): WorkRun =>
    workRun(
      jobs.find(({ metadata }) => metadata.name === name),
      pods.filter((pod) => isPodOf(pod, name)),
      { nowMs: context.nowMs, limit: 'spec.deadline' },
    )
  const saved = await loadSaved(context, object, policy)
  const none: WorkRun = { kind: 'none' }
  if (!('place' in saved)) {
    // Running workers continue; each finds out for itself whether it can.
    const made = recordedBackup(status)
    const step = singleStep({ object, make: none, verify: none, isTriedAgain: false, made })
    const isOver = step === 'rest' || step === 'failed'
    const held = isOver ? [] : jobs.map(({ metadata }) => metadata.name)
    return {
      ...{ kind: 'single', step, make: none, verify: none, workers: [], held },
      ...(isOver ? {} : { problem: saved }),
      ...(made === undefined ? {} : { made }),
      ...(status?.folder === undefined ? {} : { folder: status.folder }),
    }
  }
  const { folder: wished, ...wish } = desiredBackupWork(object, saved)
  const make = runOf(wish.name)
  const made = madeBy(status, make)
  // Until the backup is made, another Database may take this name; the backup then goes to that Database's folder.
  const isOver = recordedBackup(status) !== undefined || (make.kind === 'none' && status?.phase === 'Failed')
  const folder = (isOver ? status?.folder : undefined) ?? wished
  const proof =
    made === undefined
      ? undefined
      : verificationTry(desiredVerification(object, folder, saved.place), runOf, context.nowMs)
  const { run: verify = none, againAtMs } = proof ?? {}
  const input = { object, make, verify, isTriedAgain: againAtMs !== undefined, made }
  const step = singleStep(input)
  const workers = workersOf({ ...input, step, makeWish: wish, verifyWish: proof?.wish })
  return {
    ...{ kind: 'single', step, make, verify, workers, held: [], folder },
    ...(made === undefined ? {} : { made }),
    ...(step === 'verify' && againAtMs !== undefined ? { againAtMs } : {}),
    ...(step === 'rest' && workers.length > 0 ? { tidyAtMs: context.nowMs + tidyAfterMs } : {}),
  }
}

async function loadSaved(context: Observing, object: BackupObject, policy: ReferencePolicy): Promise<Saved | Problem> {
  if (isSlotPassed(object)) return slotPassed(object)
  const isDone = recordedBackup(object.status) !== undefined && isAtRest(object)
  const rejection = isDone ? undefined : await loadRejection(context, object, policy)
  if (rejection !== undefined) return rejection
  const { database, place } = await loadSource(context, object, policy)
  const { method, databaseRef } = object.spec
  if (database !== undefined && method === 'Physical' && database.spec.provider.inCluster === undefined) {
    return notItsOwn(databaseRef.name)
  }
  if (place.kind !== 'place') return place
  const refusal = await loadClaimProblem(context, object)
  if (refusal !== undefined) return refusal
  // Sound: a missing Database has no place.
  return { place, database: database as DatabaseObject }
}

async function loadClaimProblem({ live }: Observing, { metadata, spec }: BackupObject): Promise<Problem | undefined> {
  const name = spec.target?.pvc?.claimName
  if (name === undefined) return undefined
  return claimProblem(await live.find(PersistentVolumeClaim, { namespace: metadata.namespace, name }))
}

/** Returns the place of the database in any state, if its connection is known. The worker checks the server itself. */
async function loadReachable(
  { live }: Observing,
  { metadata, spec }: BackupObject,
  policy: ReferencePolicy,
): Promise<Place | undefined> {
  const { namespace } = metadata
  const found = await live.find(Database, { namespace, name: spec.databaseRef.name })
  if (found === undefined) return undefined
  const database = found as DatabaseObject // Sound: the CRD requires a spec.
  const connection = await loadConnection(database, { live, policy })
  if (connection.kind !== 'known') return undefined
  return knownPlace({ folder: databaseFolder, database, access: connection.access })
}

async function loadSource(
  { live }: Observing,
  { metadata, spec }: BackupObject,
  policy: ReferencePolicy,
): Promise<FoundDatabase> {
  const { namespace } = metadata
  const { name } = spec.databaseRef
  const found = await live.find(Database, { namespace, name })
  const database = found as DatabaseObject | undefined // Sound: the CRD requires a spec.
  const connection = database === undefined ? undefined : await loadConnection(database, { live, policy })
  // A Database with this policy waits for its last backup before its deletion proceeds.
  const mayLeave = database?.spec.deletionPolicy === 'Snapshot'
  // The upgrade waits for this Backup. The Database does not own the Backup, because the Backup is kept.
  const { to } = database?.status?.upgrade ?? {}
  const mayMove = to !== undefined && database !== undefined && backupBefore(database, to)?.name === metadata.name
  const place = placeOf({ name, folder: databaseFolder, database, connection, mayLeave, mayMove })
  return { place, database }
}

/** A user who may write this Database may have no right to the other databases of its server. */
function notItsOwn(name: string): Problem {
  const message = `the method Physical copies a whole server, and Database ${name} has none of its own (provider inCluster); use the method Logical`
  return { kind: 'refused', reason: 'InvalidMethod', message }
}

function isPodOf({ metadata }: LiveObject, job: string): boolean {
  return metadata.annotations?.[jobAnnotation] === job
}
