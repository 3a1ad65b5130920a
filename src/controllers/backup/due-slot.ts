// Decides which scheduled time a schedule runs now, or until when it waits. If scheduled times were missed, only the
// last one runs, within its starting deadline. Pure: the caller passes the time, so a clock that jumps starts no backup
// twice.
import type { Schedule } from './schedule.ts'

export interface ScheduleState {
  readonly schedule: Schedule
  readonly isSuspended: boolean
  /** Creation of the schedule. Scheduled times before it do not count. */
  readonly createdAtMs: number
  /** The creation time counts as the first scheduled time. */
  readonly isImmediate: boolean
  /** Last scheduled time that was started or skipped. */
  readonly handledSlotMs: number | undefined
  /** Starting deadline: how late a scheduled time may still start. */
  readonly startingDeadlineMs: number
  readonly concurrency: 'Forbid' | 'Replace'
  /** Names of the backups that are being made. */
  readonly active: readonly string[]
  /** Names of the backups that are stored and being verified. Forbid waits for them; Replace does not replace them. */
  readonly proving: readonly string[]
}

export type DueSlot =
  | {
      readonly kind: 'begin'
      readonly slotMs: number
      /** Running backups that it replaces. */
      readonly replaces: readonly string[]
      /** Number of scheduled times that were missed before it, at most `mostMissed`. */
      readonly missed: number
    }
  | {
      readonly kind: 'wait'
      readonly because: 'NextSlot' | 'Running' | 'Suspended' | 'Rejected'
      /** When time alone may change the decision; undefined: never. */
      readonly untilMs: number | undefined
      /** Scheduled time that is skipped, because its starting deadline has passed. */
      readonly givenUp?: number | undefined
    }

/** Missed scheduled times are counted up to this number. */
export const mostMissed = 100

/**
 * A recorded time further ahead than this comes from a clock that was wrong. It is ignored; otherwise it would block
 * all earlier times.
 */
const furthestAheadMs = 86_400_000

export function isCredible(ms: number, nowMs: number): boolean {
  return ms <= nowMs + furthestAheadMs
}

export function dueSlot(state: ScheduleState, nowMs: number): DueSlot {
  const { schedule, createdAtMs, handledSlotMs = createdAtMs, startingDeadlineMs, active, proving } = state
  if (state.isSuspended) return { kind: 'wait', because: 'Suspended', untilMs: undefined }
  // A clock that went back must not repeat a scheduled time that was handled.
  const untilMs = schedule.next(Math.max(nowMs, handledSlotMs))
  const last = lastSlot(state, nowMs)
  if (last === undefined) return { kind: 'wait', because: 'NextSlot', untilMs }
  const tooLateMs = last + startingDeadlineMs
  if (nowMs > tooLateMs) return { kind: 'wait', because: 'NextSlot', untilMs, givenUp: last }
  if (active.length + proving.length > 0 && state.concurrency === 'Forbid') {
    return { kind: 'wait', because: 'Running', untilMs: earlier(untilMs, tooLateMs + 1) }
  }
  return { kind: 'begin', slotMs: last, replaces: active, missed: slotsBetween(schedule, handledSlotMs, last) }
}

/** The last scheduled time that has passed and was not handled. */
function lastSlot(
  { schedule, createdAtMs, handledSlotMs, isImmediate }: ScheduleState,
  nowMs: number,
): number | undefined {
  const last = schedule.last(nowMs)
  if (last !== undefined && last > (handledSlotMs ?? createdAtMs) && last >= createdAtMs) return last
  return isImmediate && handledSlotMs === undefined ? createdAtMs : undefined
}

/** `<parent>-<minutes since the epoch>`: deterministic, so that two operators create one Backup. */
export function childName(parent: string, slotMs: number): string {
  return `${parent}-${Math.floor(slotMs / 60_000)}`
}

export interface SuccessState {
  readonly schedule: Schedule
  readonly isSuspended: boolean
  readonly createdAtMs: number
  /** Scheduled time of the newest backup that is stored and verified as its spec requires. */
  readonly succeededSlotMs: number | undefined
  /** The schedule had a successful backup at some time. */
  readonly hasSucceeded: boolean
  /** Time that a backup may take from its scheduled time on: to start, to be made and to be verified. */
  readonly graceMs: number
}

/**
 * Reason why a backup is overdue; undefined if none is. It depends on scheduled times alone, so it also detects an idle
 * operator.
 */
export function overdueReason(state: SuccessState, nowMs: number): 'MissedSchedule' | 'NeverSucceeded' | undefined {
  if (state.isSuspended) return undefined
  const asked = state.schedule.last(nowMs - state.graceMs)
  if (asked === undefined || asked < state.createdAtMs) return undefined
  if (state.succeededSlotMs === undefined) return state.hasSucceeded ? 'MissedSchedule' : 'NeverSucceeded'
  return state.succeededSlotMs < asked ? 'MissedSchedule' : undefined
}

function slotsBetween(schedule: Schedule, afterMs: number, beforeMs: number): number {
  let count = 0
  let slot = schedule.next(afterMs)
  while (slot !== undefined && slot < beforeMs && count < mostMissed) {
    count += 1
    slot = schedule.next(slot)
  }
  return count
}

function earlier(left: number | undefined, right: number): number {
  return left === undefined ? right : Math.min(left, right)
}
