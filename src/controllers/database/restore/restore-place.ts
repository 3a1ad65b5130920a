// Location and job spec of a restore: an existing server, or the volume of a future one. A physical backup is written
// to the volume before the server starts for the first time. Pure.
import { childNamed, type LiveObject, PersistentVolumeClaim } from '../../../index.ts'
import type { DesiredWork } from '../../backup/desired-work.ts'
import { knownPlace, type Place, type Problem } from '../../migration/migration-place.ts'
import { moveOf } from '../moving.ts'
import type { DatabaseObject, ServerConnection } from '../server-connection.ts'
import {
  desiredClear,
  desiredFill,
  desiredRelease,
  desiredRestoreWork,
  jobOf,
  startedWork,
  type VolumePlace,
} from './desired-restore-work.ts'
import type { RestoreMethod, RestoreRecord, RestoreSource } from './restore-request.ts'
import { attemptAt, type RestoreWork } from './restore-state.ts'

/** Server of a Database in the cluster. */
export interface OwnServer {
  /** The server is created, or its creation has started. */
  readonly isThere: boolean
  readonly claim: string
  readonly adminSecret: string
  /** Major version. */
  readonly version: string
}

interface Known {
  readonly record: RestoreRecord | undefined
  readonly children: readonly LiveObject[]
  readonly source: RestoreSource | Problem | undefined
}

/** Returns the recorded method, that of a started worker, or that of the source; undefined if unknown. */
export function restoreMethod({ record, children, source }: Known): RestoreMethod | undefined {
  if (record?.method !== undefined) return record.method
  const job = record === undefined ? undefined : jobOf(record.requestID, children)
  const begun = job === undefined ? undefined : startedWork(job, children)
  if (begun !== undefined) return begun.work === 'fill' ? 'Physical' : 'Logical'
  return source?.kind === 'source' ? source.method : undefined
}

interface Claims {
  /** The claim, if it exists. */
  readonly found: LiveObject | undefined
  readonly children: readonly LiveObject[]
}

export function volumePlace(
  { claim, adminSecret, version }: OwnServer,
  { found, children }: Claims,
): VolumePlace | Problem {
  const isOurs =
    found === undefined || childNamed({ object: found, children }, PersistentVolumeClaim, claim) !== undefined
  if (!isOurs) {
    const message = `the volume claim ${claim} is there already, and may hold another database; delete it if nobody needs that, or give the Database another name`
    return { kind: 'waiting', reason: 'VolumeInUse', message }
  }
  return { kind: 'volume', claim, adminSecret, version: Number(version) }
}

export interface ServerPlace {
  readonly connection: ServerConnection
  readonly serverProblem: Problem | undefined
}

export function placeOf(object: DatabaseObject, { connection, serverProblem }: ServerPlace): Place | Problem {
  if (connection.kind === 'unknown') {
    return { kind: 'waiting', reason: connection.reason, message: connection.message }
  }
  const move = moveOf(object.status)
  if (move !== undefined) return { kind: 'waiting', reason: 'DatabaseMoving', message: `it ${move}` }
  return serverProblem ?? knownPlace({ folder: 'database', database: object, access: connection.access })
}

interface Wanted {
  readonly object: DatabaseObject
  readonly record: RestoreRecord
  readonly children: readonly LiveObject[]
  readonly source: RestoreSource | Problem | undefined
  readonly place: Place | VolumePlace | Problem
  readonly nowMs: number
}

/** Returns undefined if the work cannot start. */
export function requestedWork(wanted: Wanted, work: RestoreWork): DesiredWork | undefined {
  const { object, record, children, source, place, nowMs } = wanted
  if (place.kind !== 'place' && place.kind !== 'volume') return undefined
  if (work.kind === 'restore') {
    const job = jobOf(record.requestID, children)
    const begun = job === undefined ? undefined : startedWork(job, children)
    if (begun !== undefined || source?.kind !== 'source') return begun
    if (place.kind === 'place') return desiredRestoreWork(object, { record, source, place })
    return desiredFill(object, { record, source, place })
  }
  if (place.kind === 'place') return releaseOf(object, { work, place, nowMs })
  const attempt = attemptAt(Date.parse(record.startedAt), nowMs)
  return desiredClear(object, { record, place, attempt })
}

function releaseOf(
  object: DatabaseObject,
  { work, place, nowMs }: { work: Exclude<RestoreWork, { kind: 'restore' }>; place: Place; nowMs: number },
): DesiredWork {
  const { requestID } = work
  const { restore } = object.status ?? {}
  const kept = restore?.previous?.find((one) => one.requestID === requestID)?.keptUntil
  const since = work.kind === 'drop' ? kept : restore?.startedAt
  const attempt = attemptAt(Date.parse(since ?? ''), nowMs)
  const isCopy = work.kind === 'settle'
  const wasFirst = isCopy && restore?.replaces === undefined
  return desiredRelease(object, { requestID, what: isCopy ? 'copy' : 'former', wasFirst, place, attempt })
}
