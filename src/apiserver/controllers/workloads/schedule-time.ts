// Next scheduled time in a time zone, by the same steps as the real controller's library. A time inside a skipped hour
// does not occur;
// a time inside a repeated hour occurs twice.
// Source: github.com/robfig/cron/v3 (spec.go, constantdelay.go), Go's time.Date.
import type { Schedule } from '../../built-in/cron-schedule.ts'
import type { ZoneOffset } from './zone-offset.ts'

const secondMs = 1_000
const minuteMs = 60_000
const hourMs = 3_600_000
/** Limit of the search for a date that never occurs. */
const yearsAhead = 5

/** Returns the first scheduled time after `afterMs`; undefined if none occurs within five years. */
export function nextScheduled(schedule: Schedule, afterMs: number, offset: ZoneOffset): number | undefined {
  const from = Math.floor(afterMs / secondMs) * secondMs
  if (schedule.kind === 'every') return from + schedule.seconds * secondMs
  return new Search(schedule, from + secondMs, offset).find()
}

type Calendar = Extract<Schedule, { kind: 'calendar' }>

/** Point in time that advances until every calendar field fits. */
class Search {
  readonly #schedule: Calendar
  readonly #offset: ZoneOffset
  readonly #lastYear: number
  #ms: number
  /** True after the first advance; each smaller field then starts at its first value. */
  #isMoved = false

  constructor(schedule: Calendar, fromMs: number, offset: ZoneOffset) {
    this.#schedule = schedule
    this.#offset = offset
    this.#ms = fromMs
    this.#lastYear = this.#shown().getUTCFullYear() + yearsAhead
  }

  find(): number | undefined {
    // When a field overflows, the search starts again at the larger fields.
    while (this.#shown().getUTCFullYear() <= this.#lastYear)
      if (this.#findMonth() && this.#findDay() && this.#findHour() && this.#findMinute() && this.#findSecond())
        return this.#ms
    return undefined
  }

  #findMonth(): boolean {
    for (let shown = this.#shown(); !this.#schedule.month.values.has(shown.getUTCMonth() + 1); shown = this.#shown()) {
      this.#begin(() => this.#atShown(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth(), 1)))
      const now = this.#shown()
      this.#ms = this.#atShown(now.setUTCMonth(now.getUTCMonth() + 1))
      if (this.#shown().getUTCMonth() === 0) return false
    }
    return true
  }

  #findDay(): boolean {
    for (let shown = this.#shown(); !this.#isDay(shown); shown = this.#shown()) {
      this.#begin(() => this.#atShown(Math.floor(shown.getTime() / (24 * hourMs)) * 24 * hourMs))
      const before = this.#ms
      const now = this.#shown()
      this.#ms = this.#atShown(now.setUTCDate(now.getUTCDate() + 1))
      // Some days have no midnight.
      const hour = this.#shown().getUTCHours()
      if (hour !== 0) this.#ms += (hour > 12 ? 24 - hour : -hour) * hourMs
      // An island once skipped a whole day; the library hangs on it.
      if (this.#ms <= before) this.#ms = before + 24 * hourMs
      if (this.#shown().getUTCDate() === 1) return false
    }
    return true
  }

  #isDay(shown: Date): boolean {
    const { day, weekday } = this.#schedule
    const [fitsDay, fitsWeekday] = [day.values.has(shown.getUTCDate()), weekday.values.has(shown.getUTCDay())]
    return day.isAny || weekday.isAny ? fitsDay && fitsWeekday : fitsDay || fitsWeekday
  }

  #findHour(): boolean {
    while (!this.#schedule.hour.values.has(this.#shown().getUTCHours())) {
      this.#begin(() => this.#atShown(Math.floor(this.#shown().getTime() / hourMs) * hourMs))
      this.#ms += hourMs
      if (this.#shown().getUTCHours() === 0) return false
    }
    return true
  }

  #findMinute(): boolean {
    while (!this.#schedule.minute.values.has(this.#shown().getUTCMinutes())) {
      this.#begin(() => Math.floor(this.#ms / minuteMs) * minuteMs)
      this.#ms += minuteMs
      if (this.#shown().getUTCMinutes() === 0) return false
    }
    return true
  }

  #findSecond(): boolean {
    while (this.#shown().getUTCSeconds() !== 0) {
      this.#isMoved = true
      this.#ms += secondMs
      if (this.#shown().getUTCSeconds() === 0) return false
    }
    return true
  }

  #begin(at: () => number): void {
    if (this.#isMoved) return
    this.#isMoved = true
    this.#ms = at()
  }

  /** Returns the local date and time, as if it were UTC. */
  #shown(): Date {
    return new Date(this.#ms + this.#offset(this.#ms))
  }

  /** Returns the UTC time of a local time. For repeated and skipped local times, it chooses as Go does. */
  #atShown(shownMs: number): number {
    const offset = this.#offset(shownMs)
    return offset === 0 ? shownMs : shownMs - this.#offset(shownMs - offset)
  }
}
