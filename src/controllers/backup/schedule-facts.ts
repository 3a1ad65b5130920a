// Facts of a schedule: the Backup that it creates now, those that retention keeps, and those that it removes.
// Invariant: a Backup is first changed to artifactPolicy Delete, and deleted only after that. Pure.
import { Backup, type BackupSpec } from '../../../imports/wire/backup.ts'
import { durationMs, findCondition, isBeingDeleted, isOf, type LiveObject } from '../../index.ts'
import type { Problem } from '../migration/migration-place.ts'
import { type BackupObject, slotOf } from './desired-work.ts'
import { childName, type DueSlot, dueSlot, isCredible, overdueReason } from './due-slot.ts'
import { type RetainedBackup, retain } from './retention.ts'
import { readSchedule, type Schedule, type ScheduleReading } from './schedule.ts'
import { clocksMs, isSlotPassed } from './slot-passed.ts'
import { type VerifyMode, verifyModeOf } from './verify-mode.ts'

export type ScheduleFacts = { readonly kind: 'schedule' } & (UnreadableSchedule | PlannedSchedule)

export interface UnreadableSchedule {
  readonly problem: Extract<ScheduleReading, { kind: 'refused' }>
  readonly due?: undefined
}

type Rejection = Problem & { readonly kind: 'refused' }

export interface PlannedSchedule {
  /** Rejection of its store. Until it is resolved, the schedule neither creates nor removes Backups. */
  readonly problem?: Rejection | undefined
  readonly children: readonly DesiredBackup[]
  readonly due: DueSlot
  /** Names of the Backups that retention removes. */
  readonly removed: readonly string[]
  /** Existing Backups, sorted by scheduled time, the newest first. */
  readonly found: readonly FoundBackup[]
  /** Names of the Backups that are being deleted. */
  readonly going: readonly string[]
  readonly overdue: ReturnType<typeof overdueReason>
  /** The next scheduled time at which a backup begins; undefined: none does. */
  readonly nextSlotMs: number | undefined
  readonly nowMs: number
  /** Times at which the facts change without an event. */
  readonly dueAtMs: readonly number[]
}

/** Desired Backup of the schedule. */
export interface DesiredBackup {
  readonly name: string
  readonly slotMs: number
  readonly spec: BackupSpec
  /** It outlives its schedule. */
  readonly stays: boolean
}

export interface FoundBackup extends RetainedBackup {
  readonly object: BackupObject
  /** The schedule marked it for removal. */
  readonly isLeaving: boolean
  readonly completedAt: string | undefined
  readonly verifiedAt: string | undefined
}

export interface ScheduleInput {
  readonly object: BackupObject
  readonly children: readonly LiveObject[]
  /** Names of Backups that Databases bootstrap from, or will. */
  readonly awaited: ReadonlySet<string>
  readonly nowMs: number
  /** Rejection of its store. */
  readonly rejection?: Rejection | undefined
}

export function scheduleFacts({ object, children, awaited, nowMs, rejection }: ScheduleInput): ScheduleFacts {
  const { spec } = object
  const { schedule: expression = '', timeZone } = spec
  const reading = readSchedule({ expression, timeZone }, nowMs)
  if (reading.kind === 'refused') return { kind: 'schedule', problem: reading }
  const own = children.filter((child) => isOf(Backup, child)).map((child) => child as BackupObject) // isOf checked it.
  const found = own
    .filter((child) => !isBeingDeleted(child) && child.spec.databaseRef.name === spec.databaseRef.name)
    .map((child) => ({ ...foundBackup(child, object.metadata.uid), isAwaited: awaited.has(child.metadata.name) }))
    .toSorted((left, right) => right.takenAtMs - left.takenAtMs)
  const going = own.filter(isBeingDeleted).map(({ metadata }) => metadata.name)
  const taken = own.map(slotOf)
  const due: DueSlot =
    rejection === undefined
      ? dueSlot(dueState({ object, found, taken, schedule: reading.schedule, nowMs }), nowMs)
      : { kind: 'wait', because: 'Rejected', untilMs: undefined }
  // Backups being deleted do not count toward retention.
  const staying = found.filter(({ isLeaving }) => !isLeaving)
  const removed = removedBy(spec, staying, nowMs)
  const replaced = due.kind === 'begin' ? due.replaces : []
  const gone = new Set([...removed, ...replaced])
  return {
    kind: 'schedule',
    ...(rejection === undefined ? {} : { problem: rejection }),
    ...{ due, removed, found, going, nowMs },
    children: [
      ...found.flatMap((backup) => desiredBackupOf(backup, gone.has(backup.name) || backup.isLeaving)),
      ...(due.kind === 'begin' ? [newChild({ object, found, nowMs }, due.slotMs)] : []),
    ],
    ...timesOf({ object, found, schedule: reading.schedule, due, nowMs }),
  }
}

function foundBackup(object: BackupObject, scheduleUid: string): FoundBackup {
  const { metadata, status } = object
  const { completedAt, verifiedAt, conditions } = status ?? {}
  const verified = findCondition(conditions, 'Verified')
  return {
    ...{ object, name: metadata.name, takenAtMs: slotOf(object), completedAt },
    isLeaving: isMarkedForRemoval(object, scheduleUid),
    state: stateOf(object),
    isVerified: verified?.status === 'True',
    databaseUID: status?.source?.databaseUID,
    verifiedAt: verified?.status === 'True' ? verifiedAt : undefined,
  }
}

/** A Backup with an artifact holds data, whatever its verification found. */
function stateOf(object: BackupObject): FoundBackup['state'] {
  const { artifact, phase, verifiedAt } = object.status ?? {}
  if (artifact === undefined) return phase === 'Failed' || isSlotPassed(object) ? 'Failed' : 'Active'
  if (phase === 'Failed') return 'Unproven'
  // During a repeated verification the backup stays complete.
  return phase === 'Completed' || verifiedAt !== undefined ? 'Completed' : 'Proving'
}

interface Known {
  readonly object: BackupObject
  readonly found: readonly FoundBackup[]
  readonly schedule: Schedule
  readonly nowMs: number
}

function dueState({ object, found, taken, schedule, nowMs }: Known & { readonly taken: readonly number[] }) {
  const { spec, status, metadata } = object
  const recorded = Date.parse(status?.lastScheduleTime ?? '')
  const slots = [...taken, recorded].filter((ms) => isCredible(ms, nowMs))
  const named = (wanted: FoundBackup['state']) =>
    found.filter(({ state, isLeaving }) => state === wanted && !isLeaving).map(({ name }) => name)
  return {
    ...{ schedule, isSuspended: spec.suspend === true, concurrency: spec.concurrency },
    ...{ active: named('Active'), proving: named('Proving') },
    createdAtMs: Date.parse(metadata.creationTimestamp ?? ''),
    isImmediate: spec.immediate === true,
    handledSlotMs: slots.length === 0 ? undefined : Math.max(...slots),
    startingDeadlineMs: spec.startingDeadlineSeconds * 1_000,
  }
}

/** Without a retention policy all backups stay. */
function removedBy(
  { retention, timeZone = 'UTC' }: BackupSpec,
  found: readonly FoundBackup[],
  nowMs: number,
): readonly string[] {
  if (retention === undefined) return []
  const { keepLast, keepDaily, keepWeekly, keepMonthly, maxAge } = retention
  const maxAgeMs = maxAge === undefined ? undefined : durationMs(maxAge)
  // A scheduled time is never later than the API server's creationTimestamp allows: an operator's clock that is ahead
  // removes nothing.
  const dated = found.map((backup) => ({ ...backup, takenAtMs: takenAt(backup) }))
  return retain(dated, { keepLast, keepDaily, keepWeekly, keepMonthly, maxAgeMs, timeZone }, nowMs).removed
}

function takenAt({ takenAtMs, object }: FoundBackup): number {
  const createdMs = Date.parse(object.metadata.creationTimestamp ?? '')
  // The API server's timestamp has seconds and another clock: a backup of midnight stays in its day.
  return createdMs < takenAtMs - clocksMs ? createdMs : takenAtMs
}

/** The Backup unchanged; or with artifactPolicy Delete, and after that not at all. */
function desiredBackupOf(
  { object, takenAtMs: slotMs, name, isLeaving: isTold }: FoundBackup,
  isLeaving: boolean,
): readonly DesiredBackup[] {
  const { spec } = object
  if (!isLeaving) return [{ name, slotMs, spec, stays: true }]
  return spec.artifactPolicy === 'Delete' && isTold
    ? []
    : [{ name, slotMs, spec: { ...spec, artifactPolicy: 'Delete' }, stays: false }]
}

/** The schedule owns a Backup only while it removes it. Other owners do not affect its artifact. */
function isMarkedForRemoval({ metadata }: BackupObject, scheduleUid: string): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => uid === scheduleUid)
}

function newChild(known: Omit<Known, 'schedule'>, slotMs: number): DesiredBackup {
  const { metadata, spec } = known.object
  const { databaseRef, method, target, options, artifactPolicy, deadline, startingDeadlineSeconds, concurrency } = spec
  const verify = { ...spec.verify, mode: modeOf(known) }
  return {
    ...{ name: childName(metadata.name, slotMs), slotMs, stays: true },
    spec: {
      databaseRef,
      method,
      ...(target === undefined ? {} : { target }),
      options,
      artifactPolicy,
      deadline,
      startingDeadlineSeconds,
      concurrency,
      verify,
    },
  }
}

/**
 * Restores each Nth backup, and the first one; failed or unverified ones do not count. One at a time: each needs room
 * for a copy.
 */
function modeOf({ object: { spec }, found, nowMs }: Omit<Known, 'schedule'>): VerifyMode {
  const mode = verifyModeOf(spec)
  if (mode !== 'Restore') return mode
  const isRestored = ({ object }: FoundBackup) => verifyModeOf(object.spec) === 'Restore'
  // A verification beyond this time has stalled. Do not wait for it; otherwise no later backup would be restored.
  const isUnderWay = (backup: FoundBackup) =>
    backup.state === 'Proving' && !backup.isLeaving && nowMs - takenAt(backup) < graceMsOf(spec)
  if (found.some((backup) => isUnderWay(backup) && isRestored(backup))) return 'Checksum'
  const sound = found.filter(({ state }) => state !== 'Failed' && state !== 'Unproven')
  const last = sound.findIndex(isRestored)
  return last === -1 || last + 1 >= spec.verify.every ? 'Restore' : 'Checksum'
}

/** Time from the scheduled time until a backup must be stored and verified. */
function graceMsOf({ startingDeadlineSeconds, deadline }: BackupSpec): number {
  return startingDeadlineSeconds * 1_000 + 2 * (durationMs(deadline) ?? 0)
}

function timesOf({ object, found, schedule, due, nowMs }: Known & { readonly due: DueSlot }) {
  const { spec, status, metadata } = object
  const graceMs = graceMsOf(spec)
  const complete = found.filter(({ state }) => state === 'Completed').map(({ takenAtMs }) => takenAtMs)
  const succeededSlotMs = complete.find((ms) => isCredible(ms, nowMs))
  const hasSucceeded = isCredible(Date.parse(status?.lastSuccessTime ?? ''), nowMs)
  const isSuspended = spec.suspend === true
  const overdue = overdueReason(
    {
      ...{ schedule, isSuspended, graceMs, createdAtMs: Date.parse(metadata.creationTimestamp ?? '') },
      ...{ succeededSlotMs, hasSucceeded },
    },
    nowMs,
  )
  const isRejected = due.kind === 'wait' && due.because === 'Rejected'
  const nextMs = isSuspended ? undefined : schedule.next(nowMs)
  // The first scheduled time that is not overdue yet.
  const openMs = schedule.next(nowMs - graceMs)
  const overdueMs = openMs === undefined ? undefined : openMs + graceMs + 1
  const times = [nextMs, due.kind === 'wait' ? due.untilMs : undefined, overdueMs]
  return { overdue, nextSlotMs: isRejected ? undefined : nextMs, dueAtMs: times.filter((ms) => ms !== undefined) }
}
