// When is a backup due? The slots of a cron expression in a time zone: moments that follow from the expression alone, so that every
// operator, and one that was away, knows the same ones. An hour that the clocks skip runs when it would have begun; one that they
// repeat counts once. Pure.
import { Cron } from 'croner'

export interface ScheduleText {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly expression: string
  /** IANA's name, e.g. `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string | undefined
}

/** Milliseconds since the epoch, whole minutes. */
export interface Schedule {
  /** The first slot after this moment; undefined: none for years. */
  next(afterMs: number): number | undefined
  /** The last slot up to this moment, and at it; undefined: none for years. */
  last(untilMs: number): number | undefined
}

export type ScheduleReading =
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  | {
      readonly kind: 'refused'
      readonly reason: 'InvalidSchedule' | 'InvalidTimeZone' | 'NoSchedule'
      readonly message: string
    }

/** `now` matters only for whether there will ever be a slot. */
export function readSchedule({ expression, timeZone = 'UTC' }: ScheduleText, nowMs: number): ScheduleReading {
  if (!isTimeZone(timeZone)) {
    const message = `${JSON.stringify(timeZone)} is no time zone; write it as IANA does, e.g. Europe/Berlin`
    return { kind: 'refused', reason: 'InvalidTimeZone', message }
  }
  const cron = cronOf(expression, timeZone)
  if (typeof cron === 'string') {
    const message = `the schedule ${JSON.stringify(expression)} cannot be read: ${cron}`
    return { kind: 'refused', reason: 'InvalidSchedule', message }
  }
  const schedule = new CronSchedule(cron)
  if (schedule.next(nowMs) === undefined) {
    const message = `the schedule ${JSON.stringify(expression)} never comes, as no date fits it`
    return { kind: 'refused', reason: 'NoSchedule', message }
  }
  return { kind: 'schedule', schedule }
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How far back is looked for a last slot, step by step: a leap day comes once in eight years at the least. */
const looksBackMs = [hourMs, dayMs + hourMs, 8 * dayMs, 32 * dayMs, 367 * dayMs, 9 * 366 * dayMs]

class CronSchedule implements Schedule {
  readonly #cron: Cron

  constructor(cron: Cron) {
    this.#cron = cron
  }

  next(afterMs: number): number | undefined {
    return this.#cron.nextRun(new Date(afterMs))?.getTime()
  }

  /** Found by going forward, so that both directions agree on what a slot is when the clocks change. */
  last(untilMs: number): number | undefined {
    for (const lookMs of looksBackMs) {
      let found = this.next(untilMs - lookMs)
      if (found === undefined || found > untilMs) continue
      for (let later = this.next(found); later !== undefined && later <= untilMs; later = this.next(later)) {
        found = later
      }
      return found
    }
    return undefined
  }
}

/** What is wrong with it, if it cannot be read. */
function cronOf(expression: string, timeZone: string): Cron | string {
  // The library takes seconds, years and whole dates too, none of which this is.
  if (!/^[^\s:]+( [^\s:]+){4}$/.test(expression)) return 'it has to have five fields with one space between them'
  try {
    return new Cron(expression, { timezone: timeZone, mode: '5-part', paused: true })
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^Cron\w*: /, '') : String(error)
  }
}

export function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
