// Parsers for values of command-line options. Each throws commander's InvalidArgumentError with the rule as one
// sentence. Pure.
import { InvalidArgumentError } from 'commander'
import { durationMs } from '../base/duration.ts'
import { operatorNameProblem } from '../object/identity.ts'
import { hasRequirement } from '../object/selector-text.ts'

const longestMs = 86_400_000

/** Returns names separated by commas, at least one. */
export function names(text: string): readonly string[] {
  const given = listedIn(text)
  if (given.length === 0) throw new InvalidArgumentError('Give at least one name.')
  return given
}

/** Returns parts separated by commas, without surrounding blanks. */
export function listedIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Returns a label selector with at least one requirement. */
export function selector(text: string): string {
  if (hasRequirement(text)) return text
  throw new InvalidArgumentError('It selects everything; name a label, as in region=eu, or leave the option out.')
}

export function ports(text: string): readonly number[] {
  return names(text).map(port)
}

export function operatorName(text: string): string {
  const problem = operatorNameProblem(text)
  if (problem !== undefined) throw new InvalidArgumentError(`${problem}.`)
  return text
}

export function positive(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('Give a whole number from 1.')
  return number
}

/** A duration as milliseconds: `15s` is 15,000. */
export function duration(text: string): number {
  const ms = durationMs(text)
  if (ms === undefined || ms <= 0 || ms > longestMs)
    throw new InvalidArgumentError('Give a duration up to 24h with a unit, as in 15s, 500ms or 1m30s.')
  return Math.round(ms)
}

export function port(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError('Give a port from 0 to 65535.')
  return number
}

/** Two durations joined by a hyphen: `5s-300s`. */
export function backoff(text: string): { readonly baseMs: number; readonly capMs: number } {
  const [baseMs, capMs, ...others] = text.split('-').map(durationMs)
  if (baseMs === undefined || capMs === undefined || others.length > 0 || baseMs <= 0 || capMs < baseMs)
    throw new InvalidArgumentError('Give the first and the longest delay with units, as in 5s-300s.')
  return { baseMs, capMs }
}
