// Values of command-line options, parsed. Each function throws commander's InvalidArgumentError with the rule as one sentence. Pure.
import { InvalidArgumentError } from 'commander'
import { operatorNameProblem } from '../object/identity.ts'
import { hasRequirement } from '../object/selector-text.ts'

/** Names separated by commas, at least one. */
export function names(text: string): readonly string[] {
  const given = listedIn(text)
  if (given.length === 0) throw new InvalidArgumentError('Give at least one name.')
  return given
}

/** Parts separated by commas, without blanks around them. */
export function listedIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** A label selector that excludes something. */
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

/** Seconds as milliseconds. */
export function seconds(text: string): number {
  const number = Number(text)
  if (!(number > 0 && number <= 86_400)) throw new InvalidArgumentError('Give a number of seconds, as in 15 or 0.5.')
  return Math.round(number * 1000)
}

export function port(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError('Give a port from 0 to 65535.')
  return number
}

export function backoff(text: string): { readonly baseMs: number; readonly capMs: number } {
  const [base, cap] = (/^(\d+)-(\d+)$/.exec(text) ?? []).slice(1).map(Number)
  if (base === undefined || cap === undefined || base < 1 || cap < base)
    throw new InvalidArgumentError('Give two numbers of seconds, as in 1-1000.')
  return { baseMs: base * 1000, capMs: cap * 1000 }
}
