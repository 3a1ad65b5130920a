// Cron schedules. Scheduled times follow from expression and time zone alone, so every operator computes the same ones.
// An hour that daylight saving time skips runs at the end of the gap; an hour that it repeats counts once.
// Invariant: one search visits the days of a fixed span of years, whatever expression and zone a user writes. Pure.
import { Cron, CronPattern } from 'croner'

export interface ScheduleText {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly expression: string
  /** IANA name, e.g. `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string | undefined
}

/** Times are milliseconds since the epoch, at whole minutes. */
export interface Schedule {
  /** Returns the first scheduled time after `afterMs`. Undefined if there is none for years. */
  next(afterMs: number): number | undefined
  /** Returns the last scheduled time up to and including `untilMs`. Undefined if there was none for years. */
  last(untilMs: number): number | undefined
}

export type ScheduleReading =
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  | {
      readonly kind: 'refused'
      readonly reason: 'InvalidSchedule' | 'InvalidTimeZone' | 'NoSchedule' | 'ScheduleTooFrequent'
      readonly message: string
    }

/** Shortest interval between two scheduled times. Each Backup has two Jobs, and rarely takes less. */
const shortestMinutes = 5
/** Longest accepted expression, as in the CRD. */
const maxCharacters = 100
/** Span of a search, in years around now. 29 February recurs within 8 years, as a fifth weekday within 40. */
const searchYears = { back: 9, ahead: 41 } as const

/** Returns the schedule of a text, or why it is rejected. `nowMs` is the middle of the searched years. */
export function readSchedule({ expression, timeZone = 'UTC' }: ScheduleText, nowMs: number): ScheduleReading {
  const zone = canonicalZone(timeZone)
  if (zone === undefined) {
    const message = `${JSON.stringify(timeZone.slice(0, maxCharacters))} is no time zone; write it as IANA does, e.g. Europe/Berlin`
    return { kind: 'refused', reason: 'InvalidTimeZone', message }
  }
  const shown = JSON.stringify(expression.slice(0, maxCharacters))
  const cron = cronOf(expression, zone, nowMs)
  if (typeof cron === 'string') {
    return { kind: 'refused', reason: 'InvalidSchedule', message: `the schedule ${shown} cannot be read: ${cron}` }
  }
  const gap = shortestGap(cron.pattern)
  if (gap < shortestMinutes) {
    const message = `the schedule ${shown} has two times ${gap} minute${gap === 1 ? '' : 's'} apart; the shortest interval is ${shortestMinutes} minutes`
    return { kind: 'refused', reason: 'ScheduleTooFrequent', message }
  }
  const schedule = new CronSchedule(cron.search)
  if (schedule.next(nowMs) === undefined) {
    const message = `the schedule ${shown} never comes, as no date fits it`
    return { kind: 'refused', reason: 'NoSchedule', message }
  }
  return { kind: 'schedule', schedule }
}

class CronSchedule implements Schedule {
  readonly #cron: Cron

  constructor(cron: Cron) {
    this.#cron = cron
  }

  next(afterMs: number): number | undefined {
    return this.#cron.nextRun(new Date(afterMs))?.getTime()
  }

  last(untilMs: number): number | undefined {
    // The search starts before the given time.
    return this.#cron.previousRuns(1, new Date(untilMs + 1))[0]?.getTime()
  }
}

interface ParsedCron {
  readonly pattern: CronPattern
  readonly search: Cron
}

/** Returns the parsed expression, or a sentence that says why it is unreadable. */
function cronOf(expression: string, zone: string, nowMs: number): ParsedCron | string {
  if (expression.length > maxCharacters) return `it has more than ${maxCharacters} characters`
  // The library also accepts seconds, years and whole dates, which are not allowed here.
  if (!/^[^\s:]+( [^\s:]+){4}$/.test(expression)) return 'it has to have five fields with one space between them'
  if (!/^[0-9A-Za-z*,/#? -]+$/.test(expression)) return 'a field holds letters, digits and * , / # ? - only'
  const year = new Date(nowMs).getUTCFullYear()
  const years = `${year - searchYears.back}-${year + searchYears.ahead}`
  try {
    return {
      pattern: new CronPattern(expression, zone, { mode: '5-part' }),
      search: new Cron(`0 ${expression} ${years}`, { timezone: zone, mode: '7-part', paused: true }),
    }
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^Cron\w*: /, '') : String(error)
  }
}

/** Returns the minutes between the two closest times on the clock, as if every day were scheduled. */
function shortestGap({ hour, minute }: CronPattern): number {
  const times = Array.from({ length: 24 * 60 }, (_, at) => at).filter(
    (at) => hour[Math.floor(at / 60)] === 1 && minute[at % 60] === 1,
  )
  const [first = 0] = times
  return times.reduce((gap, at, index) => Math.min(gap, (times[index + 1] ?? first + 24 * 60) - at), 24 * 60)
}

/**
 * Returns the canonical name of the zone. Undefined if there is no such zone. The library keeps a calendar for each
 * name that it was ever given.
 */
function canonicalZone(timeZone: string): string | undefined {
  // Node also accepts offsets as zones: there are thousands of them.
  if (timeZone.length > maxCharacters || !/^[A-Za-z]/.test(timeZone)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return undefined // A RangeError means that there is no such zone.
  }
}
