// Timestamps: parsing, formatting and calendar fields. Source: Go's time,
// k8s.io/kube-openapi/pkg/validation/strfmt/time.go.
import { trimmedEnd } from '../../base/trimmed-end.ts'
import { goQuoted } from '../field-error.ts'
import { CelError, Timestamp } from './value.ts'

/** Range of a timestamp: year 1 to year 9999. */
export const minSeconds = -62135596800
export const maxSeconds = 253402300799

/** One element of a layout: its text in the layout, and the pattern that it parses. */
type Piece = readonly [layout: string, pattern: RegExp]

const date: readonly Piece[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/],
  ['-', /^-/],
  ['02', /^\d\d/],
]
const clock: readonly Piece[] = [
  ['T', /^T/],
  ['15', /^\d\d?/],
  [':', /^:/],
  ['04', /^\d\d/],
  [':', /^:/],
  ['05', /^\d\d/],
]
const zone: Piece = ['Z07:00', /^(?:Z|[+-]\d\d:\d\d)/]
const micros: Piece = ['.000000', /^[.,]\d{6}(?!\d)/]
const millis: Piece = ['.000', /^[.,]\d{3}(?!\d)/]

const rfc3339: readonly Piece[] = [...date, ...clock, zone]
const dateTimes: readonly (readonly Piece[])[] = [
  [...date, ...clock, micros, zone],
  [...date, ...clock, millis, zone],
  rfc3339,
  [...date, ...clock],
]

/** Parses the argument of `timestamp(text)`. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const read = parseLayout(text, rfc3339)
  return typeof read === 'string' ? undefined : read
}

/** Parses the schema format `date-time`: any fraction and zone, UTC without a zone; an empty text is 1970. */
export function parseDateTime(text: string): Timestamp | CelError {
  if (text === '') return new Timestamp(0, 0, 0)
  let fault = ''
  for (const layout of dateTimes) {
    const read = parseLayout(text, layout)
    if (typeof read !== 'string') return read
    fault = read
  }
  return new CelError(`Invalid date-time formatted string ${text}: ${fault}`)
}

/** Parses the schema format `date`. */
export function parseDate(text: string): Timestamp | CelError {
  const read = parseLayout(text, date)
  return typeof read === 'string' ? new CelError(`Invalid date formatted string ${text}: ${read}`) : read
}

/** Returns the timestamp, or Go's error message. */
function parseLayout(text: string, pieces: readonly Piece[]): Timestamp | string {
  const layout = pieces.map(([written]) => written).join('')
  const found = new Map<string, string>()
  let rest = text
  let fraction = ''
  let isOutOfRange = ''
  for (const [index, [written, pattern]] of pieces.entries()) {
    const [read] = pattern.exec(rest) ?? []
    if (read === undefined)
      return `parsing time ${goQuoted(text)} as ${goQuoted(layout)}: cannot parse ${goQuoted(rest)} as ${goQuoted(written)}`
    rest = rest.slice(read.length)
    if (written.startsWith('.')) fraction = read
    else found.set(written, read)
    if (isOutOfRange === '') isOutOfRange = rangeFault(written, read)
    if (isOutOfRange !== '') return `parsing time ${goQuoted(text)}: ${isOutOfRange} out of range`
    // A fraction of a second may follow even if the layout has none.
    if (written !== '05' || pieces[index + 1]?.[0].startsWith('.') === true) continue
    const [digits] = /^[.,]\d+/.exec(rest) ?? []
    if (digits === undefined) continue
    fraction = digits
    rest = rest.slice(digits.length)
  }
  if (rest !== '') return `parsing time ${goQuoted(text)}: extra text: ${goQuoted(rest)}`
  return momentOf(found, fraction) ?? `parsing time ${goQuoted(text)}: day out of range`
}

const ranges: Readonly<Record<string, readonly [name: string, max: number, min: number]>> = {
  '01': ['month', 12, 1],
  '15': ['hour', 23, 0],
  '04': ['minute', 59, 0],
  '05': ['second', 59, 0],
}

function rangeFault(written: string, read: string): string {
  const [name, max, min] = ranges[written] ?? []
  if (name !== undefined && max !== undefined && min !== undefined)
    return Number(read) > max || Number(read) < min ? name : ''
  if (written !== zone[0] || read === 'Z') return ''
  if (Number(read.slice(1, 3)) > 24) return 'time zone offset hour'
  return Number(read.slice(4, 6)) > 60 ? 'time zone offset minute' : ''
}

function momentOf(found: ReadonlyMap<string, string>, fraction: string): Timestamp | undefined {
  const part = (name: string) => Number(found.get(name) ?? '0')
  const [year, month, day] = [part('2006'), part('01'), part('02')]
  if (day < 1 || day > daysIn(year, month)) return undefined
  const offset = offsetOf(found.get(zone[0]) ?? 'Z')
  const seconds = daysBefore(year, month, day) * 86_400 + part('15') * 3_600 + part('04') * 60 + part('05') - offset
  const nanoseconds = Number(fraction.slice(1, 10).padEnd(9, '0'))
  return new Timestamp(seconds, fraction === '' ? 0 : nanoseconds, offset)
}

function offsetOf(text: string): number {
  if (text === 'Z') return 0
  const magnitude = Number(text.slice(1, 3)) * 3_600 + Number(text.slice(4, 6)) * 60
  return text.startsWith('-') ? -magnitude : magnitude
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Returns the days from 1970 to a date. */
function daysBefore(year: number, month: number, day: number): number {
  const moment = new Date(0)
  moment.setUTCFullYear(year, month - 1, day)
  return Math.round(moment.getTime() / 86_400_000)
}

/** `string(timestamp)`: RFC 3339 in its original offset, with no more decimals than needed. */
export function formatTimestamp({ seconds, nanoseconds, offsetSeconds }: Timestamp): string {
  const local = new Date((seconds + offsetSeconds) * 1_000).toISOString()
  const year = local.startsWith('-') || local.startsWith('+') ? local.replace(/^[+-]0*(\d{4})/, '$1') : local
  const fraction = nanoseconds === 0 ? '' : `.${trimmedEnd(String(nanoseconds).padStart(9, '0'), '0')}`
  return `${year.slice(0, 19)}${fraction}${offsetSeconds === 0 ? 'Z' : offsetText(offsetSeconds, ':')}`
}

/** Formats as `2020-01-01 00:00:00 +0000 UTC`. */
export function formatGoTime(timestamp: Timestamp): string {
  const [day = '', time = ''] = formatTimestamp(
    new Timestamp(timestamp.seconds + timestamp.offsetSeconds, timestamp.nanoseconds, 0),
  )
    .slice(0, -1)
    .split('T')
  const offset = offsetText(timestamp.offsetSeconds, '')
  return `${day} ${time} ${offset} ${timestamp.offsetSeconds === 0 ? 'UTC' : offset}`
}

function offsetText(offsetSeconds: number, separator: string): string {
  const minutes = Math.trunc(Math.abs(offsetSeconds) / 60)
  const [hour, minute] = [Math.trunc(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  return `${offsetSeconds < 0 ? '-' : '+'}${hour}${separator}${minute}`
}

export interface Calendar {
  readonly year: number
  /** Zero-based, like day and weekday. */
  readonly month: number
  readonly day: number
  readonly dayOfYear: number
  readonly weekday: number
  readonly hours: number
  readonly minutes: number
  readonly seconds: number
  readonly milliseconds: number
}

/** Returns the calendar fields of a timestamp in a zone: a zone name, or an offset such as `+01:30`. */
export function calendarOf(timestamp: Timestamp, zoneName: string): Calendar | CelError {
  const offset = zoneOffset(timestamp.seconds, zoneName)
  if (offset instanceof CelError) return offset
  const local = new Date((timestamp.seconds + offset) * 1_000)
  const yearStart = new Date(local)
  yearStart.setUTCMonth(0, 1)
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth(),
    day: local.getUTCDate() - 1,
    dayOfYear: Math.round((local.getTime() - yearStart.getTime()) / 86_400_000),
    weekday: local.getUTCDay(),
    hours: local.getUTCHours(),
    minutes: local.getUTCMinutes(),
    seconds: local.getUTCSeconds(),
    milliseconds: Math.trunc(timestamp.nanoseconds / 1_000_000),
  }
}

function zoneOffset(seconds: number, name: string): number | CelError {
  if (name === '' || name === 'UTC') return 0
  const colon = name.indexOf(':')
  if (colon < 0) return namedOffset(seconds, name)
  const [hours, minutes] = [name.slice(0, colon), name.slice(colon + 1)]
  for (const part of [hours, minutes])
    if (!/^[+-]?\d+$/.test(part)) return new CelError(`strconv.Atoi: parsing ${goQuoted(part)}: invalid syntax`)
  const total = Number(hours) * 60 + (name.startsWith('-') ? -Number(minutes) : Number(minutes))
  return total * 60
}

/** Uses JavaScript's time zone database. */
function namedOffset(seconds: number, name: string): number | CelError {
  if (!/^[A-Z][A-Za-z0-9_+/-]*$/.test(name)) return new CelError(`unknown time zone ${name}`)
  try {
    const shownAt = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
      .formatToParts(new Date(seconds * 1_000))
      .find(({ type }) => type === 'timeZoneName')
    const [, sign, hours = '0', minutes = '0', rest = '0'] =
      /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(shownAt?.value ?? '') ?? []
    const magnitude = Number(hours) * 3_600 + Number(minutes) * 60 + Number(rest)
    return sign === '-' ? -magnitude : magnitude
  } catch {
    // A RangeError: the database lacks the name.
    return new CelError(`unknown time zone ${name}`)
  }
}
