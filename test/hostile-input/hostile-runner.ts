// Runs every property of hostile inputs with its share of the cases, and counts failures. The same seed gives the same
// cases.
import fc from 'fast-check'
import { loadModule, parseSync } from 'libpg-query'
import { answerProperties } from './answer-properties.ts'
import type { HostileProperty } from './claims.ts'
import { outputProperties } from './output-properties.ts'
import { readerProperties } from './reader-properties.ts'
import { sqlProperties } from './sql-properties.ts'

export interface HostileRun {
  readonly name: string
  readonly cases: number
  readonly tookMs: number
  /** Smallest failing input and its error; undefined: all claims hold. */
  readonly failure?: string | undefined
}

export async function loadHostileProperties(): Promise<readonly HostileProperty[]> {
  await loadModule()
  return [...readerProperties, ...answerProperties, ...outputProperties, ...sqlProperties(parseSync)]
}

/** Runs one property. `cases` of the result is the number of tried cases: fewer than requested after a failure. */
export function runHostile({ name, property }: HostileProperty, cases: number, seed: number): HostileRun {
  const startedMs = performance.now()
  const details = fc.check(property as fc.IProperty<unknown>, { numRuns: cases, seed, endOnFailure: false })
  const tookMs = performance.now() - startedMs
  if (!details.failed) return { name, cases: details.numRuns, tookMs }
  const error =
    details.errorInstance instanceof Error ? (details.errorInstance.stack ?? '') : String(details.errorInstance)
  const failure = `${JSON.stringify(details.counterexample)?.slice(0, 2_000)}\n${error.split('\n').slice(0, 8).join('\n').slice(0, 2_000)}`
  return { name, cases: details.numRuns, tookMs, failure }
}
