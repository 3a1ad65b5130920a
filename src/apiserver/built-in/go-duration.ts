// Parser of Go durations such as `1h30m`. Errors have Go's messages. Source: time.ParseDuration.
import { goQuoted } from '../field-error.ts'

const unitSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3_600,
}
const maxSeconds = 2 ** 63 / 1e9
const part = /([0-9]*)(\.?)([0-9]*)([^0-9.]*)/y

export type ParsedDuration = { readonly seconds: number } | { readonly fault: string }

/** Durations within a microsecond of the largest count as the largest. */
export function parseDuration(text: string): ParsedDuration {
  const fault = `time: invalid duration ${goQuoted(text)}`
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text
  if (unsigned === '0') return { seconds: 0 }
  if (unsigned === '') return { fault }
  let seconds = 0
  for (part.lastIndex = 0; part.lastIndex < unsigned.length; ) {
    const [, whole = '', , fraction = '', unit = ''] = part.exec(unsigned) ?? []
    if (whole === '' && fraction === '') return { fault }
    if (unit === '') return { fault: `time: missing unit in duration ${goQuoted(text)}` }
    const size = Object.hasOwn(unitSeconds, unit) ? unitSeconds[unit] : undefined
    if (size === undefined) return { fault: `time: unknown unit ${goQuoted(unit)} in duration ${goQuoted(text)}` }
    seconds += Number(`${whole}.${fraction}0`) * size
    if (seconds > maxSeconds) return { fault }
  }
  return { seconds: text.startsWith('-') ? -seconds : seconds }
}
