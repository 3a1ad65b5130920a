// Does a text stand for a schedule, as `*/5 * * * *` or `@daily`? In the words of the parser that the server uses.
// Source: github.com/robfig/cron/v3 (parser.go), called from k8s.io/kubernetes/pkg/util/parsers.
import { goQuoted } from '../field-error.ts'
import { durationFault } from './go-duration.ts'

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

const descriptors = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'])
const every = '@every '
const zonePrefix = /^(?:CRON_)?TZ=/
const noSpaceAfterZone = 'invalid schedule format: runtime error: slice bounds out of range [:-1]'

/** What is wrong with a schedule; undefined for a good one. `isZone` says which time zones there are. */
export function scheduleFault(schedule: string, isZone: (name: string) => boolean): string | undefined {
  const zoned = zonePrefix.exec(schedule)
  if (zoned === null) return plainFault(schedule)
  const end = schedule.indexOf(' ')
  if (end < 0) return noSpaceAfterZone
  const zone = schedule.slice(zoned[0].length, end)
  if (!isZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`
  return plainFault(schedule.slice(end).trim())
}

function plainFault(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorFault(schedule)
  const parts = schedule.split(/[\s\u0085]+/u).filter((part) => part !== '')
  if (parts.length !== fields.length)
    return `expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(' ')}]`
  for (const [index, bounds] of fields.entries()) {
    for (const range of (parts[index] ?? '').split(',')) {
      const fault = range === '' ? undefined : rangeFault(range, bounds)
      if (fault !== undefined) return fault
    }
  }
  return undefined
}

function descriptorFault(descriptor: string): string | undefined {
  if (descriptors.has(descriptor)) return undefined
  if (!descriptor.startsWith(every)) return `unrecognized descriptor: ${descriptor}`
  const fault = durationFault(descriptor.slice(every.length))
  return fault === undefined ? undefined : `failed to parse duration ${descriptor}: ${fault}`
}

type Parsed = { readonly value: number } | { readonly fault: string }

function rangeFault(expression: string, bounds: Bounds): string | undefined {
  const [range = '', stepText, ...moreSteps] = expression.split('/')
  const limits = limitsOf(range, expression, bounds)
  if ('fault' in limits) return limits.fault
  if (moreSteps.length > 0) return `too many slashes: ${expression}`
  const step = stepText === undefined ? { value: 1 } : integerOf(stepText)
  if ('fault' in step) return step.fault
  const end = stepText !== undefined && limits.isSingle ? bounds.max : limits.end
  if (limits.start < bounds.min)
    return `beginning of range (${limits.start}) below minimum (${bounds.min}): ${expression}`
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${expression}`
  if (limits.start > end) return `beginning of range (${limits.start}) beyond end of range (${end}): ${expression}`
  return step.value === 0 ? `step of range should be a positive number: ${expression}` : undefined
}

interface Limits {
  readonly start: number
  readonly end: number
  readonly isSingle: boolean
}

function limitsOf(range: string, expression: string, bounds: Bounds): Limits | { readonly fault: string } {
  const [low = '', high, ...more] = range.split('-')
  const isSingle = high === undefined
  if (low === '*' || low === '?') return { start: bounds.min, end: bounds.max, isSingle }
  const start = integerOrName(low, bounds)
  if ('fault' in start) return start
  if (more.length > 0) return { fault: `too many hyphens: ${expression}` }
  const end = high === undefined ? start : integerOrName(high, bounds)
  return 'fault' in end ? end : { start: start.value, end: end.value, isSingle }
}

function integerOrName(text: string, { names }: Bounds): Parsed {
  const named = names?.get(text.toLowerCase())
  return named === undefined ? integerOf(text) : { value: named }
}

/** As Go's Atoi reads it; a sign is fine, a negative number is not. */
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
