// What does a schedule ask for now? To begin the backup of one slot, or to wait. Slots that passed while nobody looked are not made up
// for one by one: the last of them counts, if it is not too late for it. Pure: told the time, so that a clock that jumps begins nothing twice.
import type { Schedule } from './schedule.ts'

export interface ScheduleState {
  readonly schedule: Schedule
  readonly isSuspended: boolean
  /** Slots before it are nobody's. */
  readonly createdAtMs: number
  /** Is the moment at which it was made its first slot? */
  readonly isImmediate: boolean
  /** The last slot that was begun or given up. */
  readonly handledSlotMs: number | undefined
  /** How long after its moment a slot may still begin. */
  readonly startingDeadlineMs: number
  readonly concurrency: 'Forbid' | 'Replace'
  /** Names of the backups that are being made. */
  readonly active: readonly string[]
  /** Names of those that are stored, and being proven: by Forbid they are waited for, and they never make room. */
  readonly proving: readonly string[]
}

export type DueSlot =
  | {
      readonly kind: 'begin'
      readonly slotMs: number
      /** Backups that are being made, and make room for it. */
      readonly replaces: readonly string[]
      /** How many slots before it passed unused; `mostMissed` stands for more. */
      readonly missed: number
    }
  | {
      readonly kind: 'wait'
      readonly because: 'NextSlot' | 'Running' | 'Suspended' | 'Rejected'
      /** When something may have changed by itself; undefined: not by time. */
      readonly untilMs: number | undefined
      /** A slot that is given up, as it is too late for it. */
      readonly givenUp?: number | undefined
    }

/** Beyond it nobody counts. */
export const mostMissed = 100

/** What lies further ahead was told by a clock that has been put right since, and counts for nothing: else it would hold up all before it. */
const furthestAheadMs = 86_400_000

export function isCredible(ms: number, nowMs: number): boolean {
  return ms <= nowMs + furthestAheadMs
}

export function dueSlot(state: ScheduleState, nowMs: number): DueSlot {
  const { schedule, createdAtMs, handledSlotMs = createdAtMs, startingDeadlineMs, active, proving } = state
  if (state.isSuspended) return { kind: 'wait', because: 'Suspended', untilMs: undefined }
  // A clock that went back must not bring slots that have had their turn.
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

/** The last one that has passed and has not had its turn. */
function lastSlot(
  { schedule, createdAtMs, handledSlotMs, isImmediate }: ScheduleState,
  nowMs: number,
): number | undefined {
  const last = schedule.last(nowMs)
  if (last !== undefined && last > (handledSlotMs ?? createdAtMs) && last >= createdAtMs) return last
  return isImmediate && handledSlotMs === undefined ? createdAtMs : undefined
}

/** `<parent>-<minutes since the epoch>`: the same for whoever begins it, so that it is begun once. */
export function childName(parent: string, slotMs: number): string {
  return `${parent}-${Math.floor(slotMs / 60_000)}`
}

export interface SuccessState {
  readonly schedule: Schedule
  readonly isSuspended: boolean
  readonly createdAtMs: number
  /** The slot of the newest backup that is there, and as proven as it is to be. */
  readonly succeededSlotMs: number | undefined
  /** There was one once. */
  readonly hasSucceeded: boolean
  /** From its slot on, how long a backup may take: to begin, and to be made. */
  readonly graceMs: number
}

/** Has a backup not come that should be there by now? Goes by the slots alone, so that a schedule that nobody serves shows too. */
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
