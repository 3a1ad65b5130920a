// Parser of cron schedules such as `*/5 * * * *` and `@daily`. Errors have the messages of the server's parser.
// Source: github.com/robfig/cron/v3 (parser.go), called from k8s.io/kubernetes/pkg/util/parsers.
import { goQuoted } from '../field-error.ts'
import { parseDuration } from './go-duration.ts'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: ReadonlyMap<string, number>
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: new Map(months.map((name, index) => [name, index + 1])) },
  { min: 0, max: 6, names: new Map(days.map((name, index) => [name, index])) },
]

/** Allowed values of one field of the schedule. */
export interface ScheduleField {
  readonly values: ReadonlySet<number>
  /** True for a star: the field allows all values. */
  readonly isAny: boolean
}

export type Schedule =
  | {
      readonly kind: 'calendar'
      readonly minute: ScheduleField
      readonly hour: ScheduleField
      readonly day: ScheduleField
      readonly month: ScheduleField
      readonly weekday: ScheduleField
    }
  /** Interval in whole seconds. */
  | { readonly kind: 'every'; readonly seconds: number }

export type ParsedSchedule = { readonly schedule: Schedule } | { readonly fault: string }

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}
const every = '@every '
const zonePrefix = /^(?:CRON_)?TZ=/
const noSpaceAfterZone = 'invalid schedule format: runtime error: slice bounds out of range [:-1]'

/** Returns the fault of a schedule; undefined for a valid one. `isZone` is true for an existing time zone. */
export function scheduleFault(schedule: string, isZone: (name: string) => boolean): string | undefined {
  const zoned = zonePrefix.exec(schedule)
  if (zoned === null) return faultOf(parseSchedule(schedule))
  const end = schedule.indexOf(' ')
  if (end < 0) return noSpaceAfterZone
  const zone = schedule.slice(zoned[0].length, end)
  if (!isZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`
  return faultOf(parseSchedule(schedule.slice(end).trim()))
}

function faultOf(parsed: ParsedSchedule): string | undefined {
  return 'fault' in parsed ? parsed.fault : undefined
}

/** Parses a schedule without a time zone. */
export function parseSchedule(text: string): ParsedSchedule {
  if (text.startsWith('@')) return described(text)
  const parts = text.split(/[\s\u0085]+/u).filter((part) => part !== '')
  if (parts.length !== fields.length)
    return { fault: `expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(' ')}]` }
  const read: ScheduleField[] = []
  for (const [index, bounds] of fields.entries()) {
    const field = fieldOf(parts[index] ?? '', bounds)
    if ('fault' in field) return field
    read.push(field)
  }
  const [minute = nothing, hour = nothing, day = nothing, month = nothing, weekday = nothing] = read
  return { schedule: { kind: 'calendar', minute, hour, day, month, weekday } }
}

const nothing: ScheduleField = { values: new Set(), isAny: false }

function described(descriptor: string): ParsedSchedule {
  const meant = Object.hasOwn(descriptors, descriptor) ? descriptors[descriptor] : undefined
  if (meant !== undefined) return parseSchedule(meant)
  if (!descriptor.startsWith(every)) return { fault: `unrecognized descriptor: ${descriptor}` }
  const duration = parseDuration(descriptor.slice(every.length))
  if ('fault' in duration) return { fault: `failed to parse duration ${descriptor}: ${duration.fault}` }
  // Rounds to nanoseconds, as Go counts, so that a sum of fractions becomes whole again.
  const seconds = Math.floor(Math.round(duration.seconds * 1e9) / 1e9)
  return { schedule: { kind: 'every', seconds: Math.max(1, seconds) } }
}

function fieldOf(text: string, bounds: Bounds): ScheduleField | { readonly fault: string } {
  const values = new Set<number>()
  let isAny = false
  for (const part of text.split(',').filter((one) => one !== '')) {
    const range = rangeOf(part, bounds)
    if ('fault' in range) return range
    for (let value = range.start; value <= range.end; value += range.step) values.add(value)
    isAny ||= range.isAny
  }
  return { values, isAny }
}

type Parsed = { readonly value: number } | { readonly fault: string }

interface Range extends Limits {
  readonly step: number
}

function rangeOf(expression: string, bounds: Bounds): Range | { readonly fault: string } {
  const [range = '', stepText, ...moreSteps] = expression.split('/')
  const limits = limitsOf(range, expression, bounds)
  if ('fault' in limits) return limits
  if (moreSteps.length > 0) return { fault: `too many slashes: ${expression}` }
  const step = stepText === undefined ? { value: 1 } : integerOf(stepText)
  if ('fault' in step) return step
  const { start } = limits
  const end = stepText !== undefined && limits.isSingle ? bounds.max : limits.end
  if (start < bounds.min) return { fault: `beginning of range (${start}) below minimum (${bounds.min}): ${expression}` }
  if (end > bounds.max) return { fault: `end of range (${end}) above maximum (${bounds.max}): ${expression}` }
  if (start > end) return { fault: `beginning of range (${start}) beyond end of range (${end}): ${expression}` }
  if (step.value === 0) return { fault: `step of range should be a positive number: ${expression}` }
  return { ...limits, end, step: step.value, isAny: limits.isAny && step.value === 1 }
}

interface Limits {
  readonly start: number
  readonly end: number
  readonly isSingle: boolean
  readonly isAny: boolean
}

function limitsOf(range: string, expression: string, bounds: Bounds): Limits | { readonly fault: string } {
  const [low = '', high, ...more] = range.split('-')
  const isSingle = high === undefined
  if (low === '*' || low === '?') return { start: bounds.min, end: bounds.max, isSingle, isAny: true }
  const start = integerOrName(low, bounds)
  if ('fault' in start) return start
  if (more.length > 0) return { fault: `too many hyphens: ${expression}` }
  const end = high === undefined ? start : integerOrName(high, bounds)
  return 'fault' in end ? end : { start: start.value, end: end.value, isSingle, isAny: false }
}

function integerOrName(text: string, { names }: Bounds): Parsed {
  const named = names?.get(text.toLowerCase())
  return named === undefined ? integerOf(text) : { value: named }
}

/** Parses as Go's Atoi: a plus sign is valid, a negative number is not. */
function integerOf(text: string): Parsed {
  const failed = (why: string): Parsed => ({
    fault: `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuoted(text)}: ${why}`,
  })
  if (!/^[+-]?[0-9]+$/.test(text)) return failed('invalid syntax')
  const value = BigInt(text.replace('+', ''))
  if (value >= 2n ** 63n || value < -(2n ** 63n)) return failed('value out of range')
  if (value < 0n) return { fault: `negative number (${value}) not allowed: ${text}` }
  return { value: Number(value) }
}
