// Which start of a CronJob is due, and when is the next one? Of all that were missed since the last one, only the newest.
// Source: k8s.io/kubernetes/pkg/controller/cronjob/utils.go.
import type { JsonObject } from '../../../base/json.ts'
import { optionalIntegerAt, structAt, textAt } from '../../built-in/field-walk.ts'
import { metadataText } from '../../metadata.ts'

/** The first moment after another one at which the schedule is due, in milliseconds; undefined if there is none. */
export type NextTime = (afterMs: number) => number | undefined

interface Missed {
  readonly earliestMs: number
  readonly newestMs: number | undefined
  readonly isAnyMissed: boolean
  readonly areTooMany: boolean
}

/** What is wrong with a schedule that fits its grammar: it names a day that no year has. */
export const noSuchTime = 'time difference between two schedules is less than 1 second'
const tooMany = 100
/** Clocks differ a little. */
const paddingMs = 100

export interface DueStart {
  readonly startMs: number | undefined
  readonly areTooMany: boolean
}

export function dueStart(cronJob: JsonObject, nowMs: number, next: NextTime): DueStart | 'none' {
  const missed = missedStarts(cronJob, nowMs, { next, deadlineSeconds: deadlineOf(cronJob) })
  if (missed === 'none') return 'none'
  return { startMs: missed.newestMs, areTooMany: missed.newestMs !== undefined && missed.areTooMany }
}

/** How long until the next start is to be looked for. */
export function nextStartDelayMs(cronJob: JsonObject, nowMs: number, next: NextTime): number | undefined {
  const missed = missedStarts(cronJob, nowMs, { next, deadlineSeconds: undefined })
  const from = missed === 'none' ? nowMs : (missed.newestMs ?? (missed.isAnyMissed ? nowMs : missed.earliestMs))
  const at = next(from)
  return at === undefined ? undefined : at + paddingMs - nowMs
}

export function deadlineOf(cronJob: JsonObject): number | undefined {
  return optionalIntegerAt(structAt(cronJob, 'spec'), 'startingDeadlineSeconds')
}

export function lastScheduleTimeOf(cronJob: JsonObject): string {
  return textAt(structAt(cronJob, 'status'), 'lastScheduleTime')
}

function missedStarts(
  cronJob: JsonObject,
  nowMs: number,
  { next, deadlineSeconds }: { readonly next: NextTime; readonly deadlineSeconds: number | undefined },
): Missed | 'none' {
  const lastMs = Date.parse(lastScheduleTimeOf(cronJob) || metadataText(cronJob, 'creationTimestamp'))
  const earliestMs = deadlineSeconds === undefined ? lastMs : Math.max(lastMs, nowMs - deadlineSeconds * 1_000)
  const firstMs = next(earliestMs)
  const secondMs = firstMs === undefined ? undefined : next(firstMs)
  if (firstMs === undefined) return 'none'
  if (nowMs < firstMs) return { earliestMs, newestMs: undefined, isAnyMissed: false, areTooMany: false }
  if (secondMs === undefined || nowMs < secondMs)
    return { earliestMs, newestMs: firstMs, isAnyMissed: false, areTooMany: false }
  // How many were missed is guessed by the distance of the first two; the search begins one before the guess.
  const distanceSeconds = Math.round((secondMs - firstMs) / 1_000)
  const count = Math.floor(Math.floor((nowMs - firstMs) / 1_000) / distanceSeconds) + 1
  let newestMs: number | undefined
  let at = next(firstMs + (count - 2) * distanceSeconds * 1_000)
  for (; at !== undefined && at <= nowMs; at = next(at)) newestMs = at
  return { earliestMs, newestMs, isAnyMissed: count > 0, areTooMany: count > tooMany }
}
