// Due start and next start of a CronJob. If several starts were missed, only the newest one runs.
// Source: k8s.io/kubernetes/pkg/controller/cronjob/utils.go.
import type { JsonObject } from '../../../base/json.ts'
import { optionalIntegerAt, structAt, textAt } from '../../built-in/field-walk.ts'
import { metadataText } from '../../metadata.ts'

/** Returns the first scheduled time after `afterMs`, in milliseconds; undefined if there is none. */
export type NextTime = (afterMs: number) => number | undefined

interface Missed {
  readonly earliestMs: number
  readonly newestMs: number | undefined
  readonly isAnyMissed: boolean
  readonly areTooMany: boolean
}

/** Message for a valid schedule that never occurs, for example on February 30. */
export const noSuchTime = 'time difference between two schedules is less than 1 second'
const tooMany = 100
/** Margin for clock skew. */
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

/** Returns the delay until the controller checks for the next start; undefined if there is none. */
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
  // The distance of the first two starts estimates the number of missed starts. The search begins one start before the
  // estimate.
  const distanceSeconds = Math.round((secondMs - firstMs) / 1_000)
  const count = Math.floor(Math.floor((nowMs - firstMs) / 1_000) / distanceSeconds) + 1
  let newestMs: number | undefined
  let at = next(firstMs + (count - 2) * distanceSeconds * 1_000)
  for (; at !== undefined && at <= nowMs; at = next(at)) newestMs = at
  return { earliestMs, newestMs, isAnyMissed: count > 0, areTooMany: count > tooMany }
}
