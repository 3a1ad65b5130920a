// Status of a schedule: its next and last backups, those that stay or go, and whether one is missing. Pure.
import type { BackupStatus } from '../../../imports/wire/backup.ts'
import {
  type ConditionClaim,
  type EventReport,
  findCondition,
  nameList,
  type StatusReport,
  timestampAt,
} from '../../index.ts'
import { unknownSince } from '../engines/unrequested.ts'
import { claim, readiness } from './backup-claims.ts'
import type { BackupObject } from './desired-work.ts'
import { isCredible, mostMissed } from './due-slot.ts'
import type { FoundBackup, PlannedSchedule, UnreadableSchedule } from './schedule-facts.ts'
import { remembered } from './single-status.ts'

export function scheduleStatus(
  object: BackupObject,
  plan: PlannedSchedule,
  isOver: boolean,
): StatusReport<BackupStatus> {
  const isSuspended = object.spec.suspend === true
  const reason = isSuspended ? 'Suspended' : 'Scheduled'
  const next = plan.nextSlotMs === undefined ? '' : `; the next one is due at ${timestampAt(plan.nextSlotMs)}`
  const message = isSuspended
    ? 'spec.suspend is true, so no backup is begun'
    : `backups are made by the schedule${next}`
  return {
    fields: fieldsOf(object, plan, isOver),
    conditions: [
      ...(isOver ? readiness('done', { reason, message }) : []),
      overdue(plan),
      ...retentionApplied(object, plan),
    ],
    events: isOver ? missedEvents(plan) : [],
    dueAtMs: plan.dueAtMs,
  }
}

const ownTypes = ['Overdue', 'RetentionApplied']

/** Omits the next scheduled time, because the expression cannot be read. */
export function unreadableStatus(object: BackupObject, { problem }: UnreadableSchedule): StatusReport<BackupStatus> {
  const { nextScheduleTime: _, ...fields } = remembered(object)
  return { fields: { ...fields, phase: 'Pending' }, conditions: unknownSince(object.status, ownTypes, problem) }
}

/** Returns the unchanged status of a schedule that could not be observed. */
export function unobservedStatus(object: BackupObject): StatusReport<BackupStatus> {
  const conditions = ownTypes.flatMap((type) => findCondition(object.status?.conditions, type) ?? [])
  return {
    fields: remembered(object),
    conditions: conditions.map(({ type, status, reason, message }) => claim(type, status, { reason, message })),
  }
}

function fieldsOf(
  { spec, status }: BackupObject,
  plan: PlannedSchedule,
  isOver: boolean,
): StatusReport<BackupStatus>['fields'] {
  const { found, going, due, nextSlotMs, nowMs } = plan
  const newest = (times: readonly (string | undefined)[]) => newestUntil(nowMs, times)
  const slots = found.map(({ takenAtMs }) => takenAtMs)
  // A scheduled time whose Backup could not be created is still due. If it was created all the same, the next reconcile
  // finds it.
  const begun = due.kind === 'begin' && isOver ? [due.slotMs] : []
  const lastScheduleTime = newest([...[...slots, ...begun].map(timestampAt), status?.lastScheduleTime])
  const lastSuccessTime = newest([...found.map(({ completedAt }) => completedAt), status?.lastSuccessTime])
  const lastVerifiedTime = newest([...found.map(({ verifiedAt }) => verifiedAt), status?.lastVerifiedTime])
  const among = (...states: readonly FoundBackup['state'][]) => found.filter(({ state }) => states.includes(state))
  const active = among('Active', 'Proving').map(({ name }) => name)
  return {
    phase: plan.problem !== undefined ? 'Pending' : spec.suspend === true ? 'Suspended' : 'Scheduled',
    ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
    ...(nextSlotMs === undefined ? {} : { nextScheduleTime: timestampAt(nextSlotMs) }),
    ...(lastSuccessTime === undefined ? {} : { lastSuccessTime }),
    ...(lastVerifiedTime === undefined ? {} : { lastVerifiedTime }),
    ...(active.length === 0 ? {} : { active }),
    counts: { kept: among('Completed').length, failed: among('Failed', 'Unproven').length, going: going.length },
  }
}

/** Returns the newest credible time. RFC 3339 texts of one form sort by time. */
function newestUntil(nowMs: number, times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined && isCredible(Date.parse(time), nowMs))
    .toSorted()
    .at(-1)
}

function overdue({ overdue: reason, found }: PlannedSchedule): ConditionClaim {
  if (reason === undefined) {
    return claim('Overdue', 'False', { reason: 'OnTime', message: 'no backup is missing' })
  }
  const failed = found.find(({ state }) => state === 'Failed' || state === 'Unproven')
  const why =
    failed === undefined ? '' : `; ${failed.name} failed: ${failed.object.status?.error ?? 'it does not say why'}`
  const what =
    reason === 'NeverSucceeded'
      ? 'no backup has been made yet'
      : 'the last slots have no backup that is as proven as it is to be'
  return claim('Overdue', 'True', { reason, message: `${what}${why}` })
}

function retentionApplied(
  { spec }: BackupObject,
  { found, removed, going, problem }: PlannedSchedule,
): readonly ConditionClaim[] {
  if (spec.retention === undefined) return []
  if (problem !== undefined && removed.length > 0) {
    const message = `retention no longer keeps ${nameList(removed, 5)}; they stay until the schedule goes on: ${problem.message}`
    return [claim('RetentionApplied', 'False', { reason: problem.reason, message })]
  }
  const told = found.filter(({ isLeaving }) => isLeaving).map(({ name }) => name)
  const leaving = [...new Set([...removed, ...told, ...going])]
  if (leaving.length === 0) {
    return [claim('RetentionApplied', 'True', { reason: 'Pruned', message: 'those that are there are to stay' })]
  }
  const message = `${nameList(leaving, 5)} are removed once their artifacts are; their status says what keeps them`
  return [claim('RetentionApplied', 'False', { reason: 'Pruning', message })]
}

function missedEvents({ due }: PlannedSchedule): readonly EventReport[] {
  if (due.kind !== 'begin' || due.missed === 0) return []
  const count = due.missed >= mostMissed ? `${mostMissed} slots or more` : `${due.missed} slots`
  return [{ type: 'Warning', reason: 'MissedSchedule', action: 'Backup', note: `${count} passed without a backup` }]
}
