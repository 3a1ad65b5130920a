// State of a Database's restore, and the next task of a worker, from the status and the workers' reports. Requests run
// one at a time: a started one completes, or is discarded and its copy removed. Invariant: no work starts before the
// status has recorded its request. Pure.
//
//   requested ──► Pending ──► Restoring ──► Completed
//                    │            │ worker failed, or request withdrawn
//                    └────────────┴──► Discarding ──► Failed, or Completed if the last worker died after completion
import { timestampAt } from '../../../index.ts'
import type { RestoredDatabase, WorkReport } from '../../backup/work-report.ts'
import type { WorkRun } from '../../backup/work-run.ts'
import type { Problem } from '../../migration/migration-place.ts'
import type { RestoreMethod, RestoreRecord, RestoreRequest } from './restore-request.ts'

/** Task of a worker. */
export type RestoreWork =
  | { readonly kind: 'restore' }
  /** Removes the copy, unless it has already replaced the database. */
  | { readonly kind: 'settle'; readonly requestID: string }
  /** Drops the database that the request has replaced. */
  | { readonly kind: 'drop'; readonly requestID: string }

export interface RestoreInput {
  readonly record: RestoreRecord | undefined
  readonly asked: RestoreRequest | undefined
  /** Identity of the database at its last observation; undefined if it does not exist. */
  readonly identity: RestoreRecord['replaces']
  /** Problem that prevents the start of a worker. */
  readonly problem: Problem | undefined
  /** Method of the restore, as far as it is known. */
  readonly method?: RestoreMethod | undefined
  /** The server does not exist before its bootstrap source is known. */
  readonly isServerHeld?: boolean
  /** Returns the run of this work's worker, for the recorded or named request. */
  readonly runOf: (work: RestoreWork) => WorkRun
  readonly nowMs: number
}

export interface RestoreState {
  /** Record for the status. */
  readonly record: RestoreRecord | undefined
  readonly work?: RestoreWork
  /** Problem that prevents its progress or its start. */
  readonly problem?: Problem
  /** Request that waits because of the problem, if it is not the recorded one. */
  readonly waiting?: string
  /** Time of the next reconcile, in milliseconds since the epoch. */
  readonly dueAtMs?: number
}

/** The operator's own write of a status triggers no reconcile. */
const afterWriteMs = 1_000
/** Interval between tries of a worker to remove databases. */
export const againAfterMs = 3_600_000
/** Interval between checks of a volume that is in the way. */
const inTheWayMs = 60_000
/** Time for which a replaced database is kept if its request was withdrawn too late: the CRD's default. */
const unaskedKeepMs = 24 * 3_600_000
/** Limits of the status's lists. */
const mostKept = 64
const mostEarlier = 128

export function isUnderWay(record: RestoreRecord | undefined): record is RestoreRecord {
  return record?.phase === 'Pending' || record?.phase === 'Restoring' || record?.phase === 'Discarding'
}

export function restoreState(input: RestoreInput): RestoreState {
  const { record } = input
  if (!isUnderWay(record)) return beginning(input) ?? dropping(input)
  return record.phase === 'Discarding' ? settling(record, input) : restoring(record, input)
}

/** Returns undefined if there is no request to start. */
function beginning(input: RestoreInput): RestoreState | undefined {
  const { record, asked, identity, problem, nowMs } = input
  if (asked === undefined || asked.requestID === record?.requestID) return undefined
  const { requestID, isFirst } = asked
  const { previous = [], earlierRequests = [] } = record ?? {}
  const later = (reason: string, message: string): RestoreState => ({
    ...dropping(input),
    problem: { kind: 'waiting', reason, message },
    waiting: requestID,
  })
  if (earlierRequests.includes(requestID)) {
    return later('RequestIDUsed', `request ${requestID} has run, and each runs once; give another requestID`)
  }
  if (previous.length >= mostKept) {
    return later('TooManyKept', `${previous.length} databases are kept of earlier requests; wait until one is dropped`)
  }
  if (problem !== undefined) return later(problem.reason, problem.message)
  if (!isFirst && identity === undefined) return later('DatabaseNotReady', 'the database is not there yet')
  if (!isFirst && isUnseen(record, identity)) return later('DatabaseNotReady', 'the database is being looked at')
  const begun: RestoreRecord = {
    requestID,
    phase: 'Pending',
    reason: 'WorkerStarting',
    message: 'a worker is being started',
    startedAt: timestampAt(nowMs),
    ...(isFirst || identity === undefined ? {} : { replaces: identity }),
    previous,
    earlierRequests: [...earlierRequests, ...(record === undefined ? [] : [record.requestID])].slice(-mostEarlier),
  }
  return { record: begun, dueAtMs: nowMs + afterWriteMs }
}

function restoring(record: RestoreRecord, input: RestoreInput): RestoreState {
  const { asked, problem, method, nowMs, runOf } = input
  const work: RestoreWork = { kind: 'restore' }
  const run = runOf(work)
  const told = (phase: RestoreRecord['phase'], reason: string, message: string) => ({
    ...record,
    ...(method === undefined ? {} : { method }),
    phase,
    reason,
    message,
  })
  const isWithdrawn = asked?.requestID !== record.requestID
  const withdrawn: RestoreState = {
    record: told('Discarding', 'Withdrawn', 'the Database asked for it no longer before it was done'),
    dueAtMs: nowMs + afterWriteMs,
  }
  switch (run.kind) {
    case 'none': {
      if (isWithdrawn) return withdrawn
      if (problem !== undefined) {
        // The volume may belong to others, whose deletion of it causes no event for the operator.
        const isInTheWay = input.isServerHeld === true && problem.reason === 'VolumeInUse'
        const due = isInTheWay ? { dueAtMs: nowMs + inTheWayMs } : {}
        return { record: told('Pending', problem.reason, problem.message), problem, ...due }
      }
      return { record: told('Pending', 'WorkerStarting', 'a worker is being started'), work }
    }
    case 'active': {
      // After the end of this worker, the next one finds out whether the restore is done.
      if (isWithdrawn) return withdrawn
      const { reason = 'Restoring', message = 'the backup is restored beside the database, and proven' } =
        run.last ?? (method === 'Physical' ? { message: 'the volume of the server is filled' } : {})
      return { record: told('Restoring', reason, message), work }
    }
    case 'completed':
      // A worker that ended without a report is started again, and continues from what exists.
      if (run.report?.restored === undefined) return { record, dueAtMs: nowMs + afterWriteMs }
      return { record: completed(record, input, run.report.restored), work, dueAtMs: nowMs + afterWriteMs }
    case 'failed': {
      const { reason, message } = wordsOf(run.report)
      return { record: told('Discarding', reason, message), work, dueAtMs: nowMs + afterWriteMs }
    }
  }
}

function settling(record: RestoreRecord, input: RestoreInput): RestoreState {
  const { problem, method, isServerHeld = false, nowMs, runOf } = input
  const work: RestoreWork = { kind: 'settle', requestID: record.requestID }
  // No worker has started it, because the method was unknown.
  if (isServerHeld && method === undefined)
    return { record: { ...record, phase: 'Failed', endedAt: timestampAt(nowMs) } }
  if (problem !== undefined) return { record, problem }
  const run = runOf(work)
  if (run.kind === 'failed') return { record, work, problem: failed(run.report), dueAtMs: againAt(record, nowMs) }
  if (run.kind !== 'completed') return { record, work }
  const dueAtMs = nowMs + afterWriteMs
  if (run.report === undefined) return { record, dueAtMs }
  const { restored } = run.report
  if (restored !== undefined) return { record: completed(record, input, restored), work, dueAtMs }
  return { record: { ...record, phase: 'Failed', endedAt: timestampAt(run.endedAtMs) }, work, dueAtMs }
}

function completed(record: RestoreRecord, { asked, nowMs }: RestoreInput, { former }: RestoredDatabase): RestoreRecord {
  const { requestID, previous = [], replaces } = record
  const isAsked = asked?.requestID === requestID
  const undone = isAsked ? asked.from.previousOf : undefined
  const replacedAt = timestampAt(nowMs)
  const keptUntil = timestampAt(nowMs + (isAsked ? asked.keepMs : unaskedKeepMs))
  const kept = previous.filter((one) => one.requestID !== undone && one.requestID !== requestID)
  return {
    ...record,
    phase: 'Completed',
    reason: 'RestoreCompleted',
    message: former === undefined ? 'the database has what the backup has' : whileKept(former, keptUntil),
    endedAt: replacedAt,
    ...(replaces === undefined ? {} : { replaces }),
    previous: former === undefined ? kept : [...kept, { requestID, databaseName: former, replacedAt, keptUntil }],
  }
}

/** Drops databases that have been kept for long enough, the oldest first. */
function dropping({ record, asked, problem, nowMs, runOf }: RestoreInput): RestoreState {
  if (record?.previous === undefined || record.previous.length === 0) return { record }
  const previous = record.previous.map((one) =>
    one.requestID === asked?.requestID
      ? { ...one, keptUntil: timestampAt(Date.parse(one.replacedAt) + asked.keepMs) }
      : one,
  )
  const own = previous.find(({ requestID }) => requestID === record.requestID)
  const known = { ...record, previous, ...(own && { message: whileKept(own.databaseName, own.keptUntil) }) }
  const due = previous.find(({ keptUntil }) => Date.parse(keptUntil) <= nowMs)
  if (due === undefined) {
    return { record: known, dueAtMs: Math.min(...previous.map(({ keptUntil }) => Date.parse(keptUntil))) }
  }
  if (problem !== undefined) return { record: known }
  const work: RestoreWork = { kind: 'drop', requestID: due.requestID }
  const run = runOf(work)
  if (run.kind === 'failed') {
    const { reason, message } = wordsOf(run.report)
    const why = `${due.databaseName} could not be dropped, and is tried again within the hour: ${message}`
    return { record: known, work, problem: { kind: 'waiting', reason, message: why }, dueAtMs: againAt(due, nowMs) }
  }
  if (run.kind !== 'completed') return { record: known, work }
  const without = {
    ...known,
    previous: previous.filter((one) => one !== due),
    ...(due === own && { message: onceDropped }),
  }
  return { record: without, work, dueAtMs: nowMs + afterWriteMs }
}

const wasAsked = 'the database is what was asked for; what was there before'
const onceDropped = `${wasAsked} has been dropped`

function whileKept(former: string, keptUntil: string): string {
  return `${wasAsked} is ${former}, until ${keptUntil} at least`
}

/** Returns the number of the try to remove what has existed since `sinceMs`; the first is 0. */
export function attemptAt(sinceMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - sinceMs) / againAfterMs)) || 0
}

function againAt(since: { readonly startedAt?: string; readonly keptUntil?: string }, nowMs: number): number {
  const sinceMs = Date.parse(since.startedAt ?? since.keptUntil ?? '')
  return sinceMs + (attemptAt(sinceMs, nowMs) + 1) * againAfterMs
}

/**
 * Returns whether the database that the last request put in place is not observed yet. `identity`: last observed one.
 */
export function isUnseen(record: RestoreRecord | undefined, identity: Partial<Identity> | undefined): boolean {
  return record?.phase === 'Completed' && record.replaces !== undefined && isSame(record.replaces, identity)
}

type Identity = NonNullable<RestoreRecord['replaces']>

function isSame(one: Identity, other: Partial<Identity> | undefined): boolean {
  return one.systemIdentifier === other?.systemIdentifier && one.databaseOID === other?.databaseOID
}

function failed(report: WorkReport): Problem {
  const { reason, message } = wordsOf(report)
  return { kind: 'waiting', reason, message: `it is tried again within the hour: ${message}` }
}

function wordsOf({ reason, outcome, message = 'the worker was interrupted' }: WorkReport) {
  return { reason: reason ?? outcome, message }
}
