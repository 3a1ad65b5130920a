// CEL time functions: the parts of a timestamp, and of a duration.
// Source: github.com/google/cel-go/common/stdlib/standard.go.
import type { FunctionRows, Library, Row } from '../function-table.ts'
import { type Calendar, calendarOf } from '../timestamp.ts'
import { CelError, type Duration, type Timestamp, type Value } from '../value.ts'

function ofMoment(id: string, read: (calendar: Calendar) => number): FunctionRows {
  const evaluate = (timestamp: Timestamp, zone: string): Value => {
    const calendar = calendarOf(timestamp, zone)
    return calendar instanceof CelError ? calendar : BigInt(read(calendar))
  }
  return {
    overloads: {
      [id]: ['timestamp.(): int', (timestamp: Timestamp) => evaluate(timestamp, 'UTC')],
      [`${id}_with_tz`]: ['timestamp.(string): int', evaluate],
    },
  }
}

function ofBoth(part: string, unit: bigint, read: (calendar: Calendar) => number): FunctionRows {
  const ofDuration: Row = ['duration.(): int', ({ nanoseconds }: Duration) => nanoseconds / unit]
  return {
    overloads: { ...ofMoment(`timestamp_to_${part}`, read).overloads, [`duration_to_${part}`]: ofDuration },
  }
}

export const time: Library = {
  getFullYear: ofMoment('timestamp_to_year', ({ year }) => year),
  getMonth: ofMoment('timestamp_to_month', ({ month }) => month),
  getDayOfYear: ofMoment('timestamp_to_day_of_year', ({ dayOfYear }) => dayOfYear),
  getDayOfMonth: ofMoment('timestamp_to_day_of_month', ({ day }) => day),
  getDate: ofMoment('timestamp_to_day_of_month_1_based', ({ day }) => day + 1),
  getDayOfWeek: ofMoment('timestamp_to_day_of_week', ({ weekday }) => weekday),
  getHours: ofBoth('hours', 3_600_000_000_000n, ({ hours }) => hours),
  getMinutes: ofBoth('minutes', 60_000_000_000n, ({ minutes }) => minutes),
  getSeconds: ofBoth('seconds', 1_000_000_000n, ({ seconds }) => seconds),
  getMilliseconds: ofBoth('milliseconds', 1_000_000n, ({ milliseconds }) => milliseconds),
}
