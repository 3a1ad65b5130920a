// Durations: int64 nanoseconds, parsed and formatted as Go does. Source: Go's time and
// k8s.io/kube-openapi/pkg/validation/strfmt/duration.go.
import { trimmedEnd } from '../../base/trimmed-end.ts'
import { formatPlain } from './double-text.ts'
import { CelError, Duration } from './value.ts'

const limit = 2n ** 63n

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n], // U+00B5, the micro sign.
  ['μs', 1_000n], // U+03BC, the Greek letter.
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])

/** Parses a Go duration: `-1.5h`, `300ms`, `0`. Undefined for an invalid text and for int64 overflow. */
export function parseGoDuration(text: string): bigint | undefined {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  if (rest === '0') return 0n
  if (rest === '') return undefined
  const part = /([0-9]*)(?:\.([0-9]*))?([^0-9.]+)/suy
  let total = 0n
  while (part.lastIndex < rest.length) {
    const [, whole = '', fraction = '', unitName = ''] = part.exec(rest) ?? []
    const unit = units.get(unitName)
    if (unit === undefined || (whole === '' && fraction === '')) return undefined
    const digits = BigInt(whole === '' ? '0' : whole)
    if (digits > limit / unit) return undefined
    total += digits * unit + fractionOf(fraction, unit)
    if (total > limit) return undefined
  }
  if (sign === '-') return -total
  return total === limit ? undefined : total
}

/** Returns the fraction of a unit, computed with doubles as Go does. */
function fractionOf(digits: string, unit: bigint): bigint {
  let [value, scale] = [0n, 1]
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit)
    if (value > (limit - 1n) / 10n || next > limit) break
    value = next
    scale *= 10
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)))
}

const looseUnits: readonly (readonly [names: readonly string[], unit: bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', 'µs', 'micro'], 1_000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec'], 1_000_000_000n],
  [['m', 'min'], 60_000_000_000n],
  [['h', 'hr', 'hour'], 3_600_000_000_000n],
  [['d', 'day'], 86_400_000_000_000n],
  [['w', 'wk', 'week'], 604_800_000_000_000n],
]

/** Parses the schema format `duration`: also `2 days`, `1w`. */
export function parseLooseDuration(text: string): Duration | CelError {
  const strict = parseGoDuration(text)
  if (strict !== undefined) return new Duration(strict)
  let total: bigint | undefined
  for (const [, digits = '', name = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    if (BigInt(digits) >= limit)
      return new CelError(`Invalid duration ${text}: strconv.Atoi: parsing "${digits}": value out of range`)
    for (const [names, unit] of looseUnits)
      if (isUnit(name.toLowerCase(), names)) total = (total ?? 0n) + BigInt(digits) * unit
  }
  if (total === undefined) return new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
  return new Duration(BigInt.asIntN(64, total))
}

function isUnit(name: string, names: readonly string[]): boolean {
  return names.includes(name) || name.startsWith(names.at(-1) ?? name)
}

/** `string(duration)`: seconds with no more decimals than needed. */
export function formatSeconds(nanoseconds: bigint): string {
  return `${formatPlain(secondsOf(nanoseconds))}s`
}

/** Returns seconds as a double, computed in Go's two steps. */
function secondsOf(nanoseconds: bigint): number {
  const second = 1_000_000_000n
  return Number(nanoseconds / second) + Number(nanoseconds % second) / 1e9
}

/** Formats as `1h30m0s`. */
export function formatGoDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s'
  const sign = nanoseconds < 0n ? '-' : ''
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds
  if (magnitude < 1_000_000_000n) {
    const [unit, size] = magnitude < 1_000n ? ['ns', 1n] : magnitude < 1_000_000n ? ['µs', 1_000n] : ['ms', 1_000_000n]
    return `${sign}${withFraction(magnitude, size)}${unit}`
  }
  const minutes = magnitude / 60_000_000_000n
  const seconds = `${withFraction(magnitude % 60_000_000_000n, 1_000_000_000n)}s`
  if (minutes === 0n) return `${sign}${seconds}`
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}

function withFraction(amount: bigint, unit: bigint): string {
  const fraction = trimmedEnd((amount % unit).toString().padStart(unit.toString().length - 1, '0'), '0')
  return fraction === '' ? `${amount / unit}` : `${amount / unit}.${fraction}`
}
