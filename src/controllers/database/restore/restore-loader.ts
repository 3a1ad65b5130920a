// What of the cluster does a restore depend on? The Backup that it is from, how the server is reached, and what its workers said: read only
// where there is something to restore, so that a Database at rest costs nothing.
import { Backup } from '../../../../imports/wire/backup.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../../imports/wire/database.ts'
import {
  isBeingDeleted,
  isOf,
  Job,
  type LiveObject,
  type LiveReader,
  type ObserveContext,
  Pod,
} from '../../../index.ts'
import { areAtWork, type WorkRun, workRun } from '../../backup/work-run.ts'
import type { WorkWish } from '../../backup/work-wish.ts'
import { knownPlace, type Place, type Problem } from '../../migration/migration-place.ts'
import { moveOf } from '../moving.ts'
import type { DatabaseObject, ServerConnection } from '../server-connection.ts'
import type { RestoreFacts } from './restore-facts.ts'
import { restoreParting } from './restore-parting.ts'
import {
  type BackupObject,
  hasBegun,
  type RestoreRequest,
  type RestoreSource,
  restoreRequest,
  restoreSource,
} from './restore-request.ts'
import { attemptAt, isUnderWay, type RestoreInput, type RestoreWork, restoreStanding } from './restore-standing.ts'
import { begunWish, jobAnnotation, jobOf, releaseWish, restoreWish, workerLabel, workMark } from './restore-wish.ts'

type Observing = ObserveContext<DatabaseSpec, DatabaseStatus>

export interface RestoreSurroundings {
  readonly connection: ServerConnection
  /** Why there is nothing to connect to yet. */
  readonly serverProblem: Problem | undefined
  /** Of the database among what there is outside the cluster. */
  readonly recordName: string
}

/** Undefined where there is nothing to restore, nor was. */
export async function loadRestore(
  { object, children, live, nowMs }: Observing,
  { connection, serverProblem, recordName }: RestoreSurroundings,
): Promise<RestoreFacts | undefined> {
  const record = object.status?.restore
  const isLeaving = isBeingDeleted(object)
  const asked = isLeaving ? undefined : restoreRequest(object, recordName)
  if (record === undefined && asked === undefined) return undefined
  const isDue = record?.previous?.some(({ keptUntil }) => Date.parse(keptUntil) <= nowMs) === true
  const pods = isUnderWay(record) || isDue ? await loadPods(live, object) : []
  const place = placeOf(object, connection, serverProblem)
  const isNeeded = asked !== undefined && asked.requestID === record?.requestID && isUnderWay(record)
  const source = isNeeded ? await loadSource(live, object, asked) : undefined
  const wishOf = (work: RestoreWork): WorkWish | undefined => {
    if (record === undefined || place.kind !== 'place') return undefined
    if (work.kind !== 'restore') return releaseOf(object, { work, place, nowMs })
    const job = jobOf(record.requestID, children)
    const begun = job === undefined ? undefined : begunWish(job, children)
    return begun ?? (source?.kind === 'source' ? restoreWish(object, { record, source, place }) : undefined)
  }
  const runOf = (work: RestoreWork): WorkRun => {
    const job =
      work.kind === 'restore' && record !== undefined
        ? jobOf(record.requestID, children)
        : children.find((child) => isOf(Job, child) && child.metadata.name === wishOf(work)?.name)
    return workRun(
      job,
      pods.filter((pod) => jobNameOf(pod) === job?.metadata.name),
    )
  }
  const isSourceWanted = record?.phase === 'Pending' || record?.phase === 'Restoring'
  const problem =
    place.kind !== 'place'
      ? place
      : isSourceWanted && source !== undefined && source.kind !== 'source'
        ? source
        : undefined
  const { identity: seen } = object.status ?? {}
  const { systemIdentifier, databaseOID } = seen ?? {}
  const identity =
    systemIdentifier === undefined || databaseOID === undefined ? undefined : { systemIdentifier, databaseOID }
  const input: RestoreInput = { record, asked, identity, problem, runOf, nowMs }
  const standing = isLeaving ? restoreParting(object, input) : restoreStanding(input)
  const isAwaited = object.spec.bootstrap !== undefined && !hasBegun(object.status, recordName)
  const { work } = standing
  const wish = work === undefined ? undefined : wishOf(work)
  const kept = isLeaving ? children.filter(({ metadata }) => metadata.labels?.[workerLabel] === undefined) : []
  const facts = { ...standing, isAwaited, kept }
  if (work === undefined || wish === undefined) return facts
  const run = runOf(work)
  const isBusy = areAtWork(pods.filter((pod) => jobNameOf(pod) !== wish.name))
  const mark = workMark(work, work.kind === 'restore' ? (record?.requestID ?? '') : work.requestID)
  return { ...facts, worker: { wish, mark, run, isSuspended: isBusy || run.kind === 'failed' } }
}

async function loadPods(live: LiveReader, { metadata }: DatabaseObject): Promise<readonly LiveObject[]> {
  return await live.list(Pod, { namespace: metadata.namespace, labels: { [workerLabel]: metadata.uid } })
}

async function loadSource(
  live: LiveReader,
  object: DatabaseObject,
  asked: RestoreRequest,
): Promise<RestoreSource | Problem> {
  const { backupRef } = asked.from
  const { namespace } = object.metadata
  const found = backupRef === undefined ? undefined : await live.find(Backup, { namespace, name: backupRef.name })
  return restoreSource(asked, object, found as BackupObject | undefined) // Its definition requires a spec.
}

function placeOf(
  object: DatabaseObject,
  connection: ServerConnection,
  serverProblem: Problem | undefined,
): Place | Problem {
  if (connection.kind === 'unknown') {
    return { kind: 'waiting', reason: connection.reason, message: connection.message }
  }
  const move = moveOf(object.status)
  if (move !== undefined) return { kind: 'waiting', reason: 'DatabaseMoving', message: `it ${move}` }
  return serverProblem ?? knownPlace({ folder: 'database', database: object, access: connection.access })
}

function releaseOf(
  object: DatabaseObject,
  { work, place, nowMs }: { work: Exclude<RestoreWork, { kind: 'restore' }>; place: Place; nowMs: number },
): WorkWish {
  const { requestID } = work
  const { restore } = object.status ?? {}
  const kept = restore?.previous?.find((one) => one.requestID === requestID)?.keptUntil
  const since = work.kind === 'drop' ? kept : restore?.startedAt
  const attempt = attemptAt(Date.parse(since ?? ''), nowMs)
  const isCopy = work.kind === 'settle'
  const wasFirst = isCopy && restore?.replaces === undefined
  return releaseWish(object, { requestID, what: isCopy ? 'copy' : 'former', wasFirst, place, attempt })
}

function jobNameOf({ metadata }: LiveObject): string | undefined {
  return metadata.annotations?.[jobAnnotation]
}
