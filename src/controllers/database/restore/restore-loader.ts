// Reads the cluster objects that a restore depends on: its Backup, the server's connection, and its workers' reports.
// Without a restore it reads nothing, so that an idle Database costs nothing.
import { Backup } from '../../../../imports/wire/backup.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../../imports/wire/database.ts'
import {
  childNamed,
  type ExternalReport,
  isBeingDeleted,
  Job,
  type LiveObject,
  type LiveReader,
  type ObserveContext,
  PersistentVolumeClaim,
  Pod,
} from '../../../index.ts'
import type { DesiredWork } from '../../backup/desired-work.ts'
import { claimProblem } from '../../backup/store-claim.ts'
import { type WorkRun, workRun } from '../../backup/work-run.ts'
import type { Place, Problem } from '../../migration/migration-place.ts'
import type { ReferencePolicy } from '../../references/reference-policy.ts'
import { loadStoreRejection } from '../../references/store-loader.ts'
import { isAtWork } from '../../worker/job-words.ts'
import type { DatabaseObject, ServerConnection } from '../server-connection.ts'
import { jobAnnotation, jobOf, type VolumePlace, workerLabel, workMark } from './desired-restore-work.ts'
import type { RestoreFacts } from './restore-facts.ts'
import { type OwnServer, placeOf, requestedWork, restoreMethod, volumePlace } from './restore-place.ts'
import { restorePreDelete } from './restore-pre-delete.ts'
import {
  type BackupObject,
  hasBegun,
  type RestoreRequest,
  type RestoreSource,
  restoreRequest,
  restoreSource,
} from './restore-request.ts'
import { isUnderWay, type RestoreInput, type RestoreWork, restoreState } from './restore-state.ts'
import { snapshotRestore } from './snapshot-restore.ts'

type Observing = ObserveContext<DatabaseSpec, DatabaseStatus>

export interface RestoreSurroundings {
  readonly connection: ServerConnection
  /** Reason why the server does not serve yet. */
  readonly serverProblem: Problem | undefined
  /** The server in the cluster, existing or planned. */
  readonly server: OwnServer | undefined
  /** The operator's policy for references in a spec. */
  readonly policy: ReferencePolicy
  /** Name of the database's journal entry among the external resources. */
  readonly recordName: string
  /** Report of the RDS instance, if there is one. */
  readonly instance?: ExternalReport | undefined
}

/** Undefined if there is no restore and never was one. */
export async function loadRestore(
  context: Observing,
  surroundings: RestoreSurroundings,
): Promise<RestoreFacts | undefined> {
  const { object } = context
  const isLeaving = isBeingDeleted(object)
  const asked = isLeaving ? undefined : restoreRequest(object, surroundings.recordName)
  if (object.status?.restore === undefined && asked === undefined) return undefined
  const bySnapshot = isLeaving ? undefined : await loadSnapshotRestore(context, asked, surroundings)
  return bySnapshot ?? (await loadByWorker(context, asked, surroundings))
}

/** Undefined: no instance is created from a snapshot. */
async function loadSnapshotRestore(
  { object, live, nowMs }: Observing,
  asked: RestoreRequest | undefined,
  { instance }: RestoreSurroundings,
): Promise<RestoreFacts | undefined> {
  if (object.spec.provider.rds === undefined) return undefined
  const backup = asked?.isFirst === true ? await loadBackup(live, object, asked) : undefined
  const standing = snapshotRestore({ object, asked, backup, instance, nowMs })
  return standing && { ...standing, isAwaited: true, isServerHeld: false, isFilled: false, kept: [] }
}

async function loadByWorker(
  { object, children, live, nowMs }: Observing,
  asked: RestoreRequest | undefined,
  surroundings: RestoreSurroundings,
): Promise<RestoreFacts> {
  const { server, recordName, policy } = surroundings
  const record = object.status?.restore
  const isLeaving = isBeingDeleted(object)
  const isDue = record?.previous?.some(({ keptUntil }) => Date.parse(keptUntil) <= nowMs) === true
  const pods = isUnderWay(record) || isDue ? await loadPods(live, object) : []
  const found = await loadSource(live, object, asked)
  const source = (await rejectedSource(found, { live, object, policy })) ?? found
  const method = restoreMethod({ record, children, source })
  const isAwaited = object.spec.bootstrap !== undefined && !hasBegun(object.status, recordName)
  const isServerHeld = isAwaited && server?.isThere === false && method !== 'Logical'
  const volume = isServerHeld ? await live.find(PersistentVolumeClaim, claimOf(object, server)) : undefined
  const place = isServerHeld ? volumePlace(server, { found: volume, children }) : placeOf(object, surroundings)
  const wishOf = (work: RestoreWork): DesiredWork | undefined =>
    record === undefined ? undefined : requestedWork({ object, record, children, source, place, nowMs }, work)
  const runOf = (work: RestoreWork): WorkRun => {
    const job =
      work.kind === 'restore' && record !== undefined
        ? jobOf(record.requestID, children)
        : childNamed({ object, children }, Job, wishOf(work)?.name ?? '')
    return workRun(
      job,
      pods.filter((pod) => jobNameOf(pod) === job?.metadata.name),
      { nowMs },
    )
  }
  const problem = problemOf(record, { source, place, isServerHeld })
  const identity = identityIn(object)
  const input: RestoreInput = { record, asked, identity, problem, method, isServerHeld, runOf, nowMs }
  const standing = isLeaving ? restorePreDelete(object, input) : restoreState(input)
  const { work } = standing
  const wish = work === undefined ? undefined : wishOf(work)
  const kept = isLeaving ? children.filter(({ metadata }) => metadata.labels?.[workerLabel] === undefined) : []
  const isFilled = isServerHeld && method === 'Physical' && isUnderWay(record) && place.kind === 'volume'
  const facts = { ...standing, isAwaited, isServerHeld, isFilled, kept }
  if (work === undefined || wish === undefined) return facts
  const run = runOf(work)
  const isBusy = pods.some((pod) => jobNameOf(pod) !== wish.name && isAtWork(pod))
  const mark = workMark(work, work.kind === 'restore' ? (record?.requestID ?? '') : work.requestID)
  return { ...facts, worker: { wish, mark, run, isSuspended: isBusy || run.kind === 'failed' } }
}

interface Found {
  readonly source: RestoreSource | Problem | undefined
  readonly place: Place | VolumePlace | Problem
  readonly isServerHeld: boolean
}

/** If the server depends on the restore's source, a problem of the source takes precedence. */
function problemOf(record: DatabaseStatus['restore'], { source, place, isServerHeld }: Found): Problem | undefined {
  const isSourceWanted = record?.phase === 'Pending' || record?.phase === 'Restoring'
  const ofSource = isSourceWanted && source !== undefined && source.kind !== 'source' ? source : undefined
  const ofPlace = place.kind === 'place' || place.kind === 'volume' ? undefined : place
  return isServerHeld ? (ofSource ?? ofPlace) : (ofPlace ?? ofSource)
}

function identityIn({ status }: DatabaseObject): RestoreInput['identity'] {
  const { systemIdentifier, databaseOID } = status?.identity ?? {}
  return systemIdentifier === undefined || databaseOID === undefined ? undefined : { systemIdentifier, databaseOID }
}

async function loadPods(live: LiveReader, { metadata }: DatabaseObject): Promise<readonly LiveObject[]> {
  return await live.list(Pod, { namespace: metadata.namespace, labels: { [workerLabel]: metadata.uid } })
}

/** Undefined if it is not requested or has ended. */
async function loadSource(
  live: LiveReader,
  object: DatabaseObject,
  asked: RestoreRequest | undefined,
): Promise<RestoreSource | Problem | undefined> {
  const record = object.status?.restore
  if (asked === undefined || asked.requestID !== record?.requestID || !isUnderWay(record)) return undefined
  const source = restoreSource(asked, object, await loadBackup(live, object, asked))
  const claim = source.kind === 'source' ? source.target?.pvc?.claimName : undefined
  if (claim === undefined) return source
  const { namespace } = object.metadata
  return claimProblem(await live.find(PersistentVolumeClaim, { namespace, name: claim })) ?? source
}

/** Returns the rejection of a store by the policy. */
async function rejectedSource(
  source: RestoreSource | Problem | undefined,
  { live, object, policy }: { live: LiveReader; object: DatabaseObject; policy: ReferencePolicy },
): Promise<Problem | undefined> {
  if (source?.kind !== 'source' || source.target === undefined) return undefined
  const { namespace } = object.metadata
  const rejection = await loadStoreRejection(source.target, { live, namespace, policy })
  return rejection && { kind: 'waiting', ...rejection }
}

async function loadBackup(
  live: LiveReader,
  { metadata: { namespace } }: DatabaseObject,
  { from: { backupRef } }: RestoreRequest,
): Promise<BackupObject | undefined> {
  const found = backupRef === undefined ? undefined : await live.find(Backup, { namespace, name: backupRef.name })
  return found as BackupObject | undefined // The CRD requires a spec.
}

function claimOf({ metadata: { namespace } }: DatabaseObject, { claim: name }: OwnServer) {
  return { namespace, name }
}

function jobNameOf({ metadata }: LiveObject): string | undefined {
  return metadata.annotations?.[jobAnnotation]
}
