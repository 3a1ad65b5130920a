// Input of the backups beside changing definitions, from the command line or for `npm test`.
import process from 'node:process'

export interface BesideOrder {
  readonly runs: number
  readonly seed: number
  /** True: each change of definitions at each point of a backup. Otherwise at a few points. */
  readonly isEvery?: boolean
  /** File that gets a line of JSON for each run. */
  readonly runsFile?: string | undefined
}

/** A sample, with the same seed every time. */
const inGate: BesideOrder = { runs: 15, seed: 7 }

export function besideOrder(): BesideOrder {
  // Sound: `npm run backups-beside-ddl` writes it.
  return JSON.parse(process.env['KONVERGE_BESIDE_ORDER'] ?? JSON.stringify(inGate)) as BesideOrder
}
