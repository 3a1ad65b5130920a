// What the backups beside changing definitions are told, by the command or by the gate.
import process from 'node:process'

export interface BesideOrder {
  readonly runs: number
  readonly seed: number
  /** Each change of definitions at each point of a backup, and not at a few of them. */
  readonly isEvery?: boolean
  /** Gets a line of JSON for each run. */
  readonly runsFile?: string | undefined
}

/** A sample, with the same seed every time. */
const inGate: BesideOrder = { runs: 15, seed: 7 }

export function besideOrder(): BesideOrder {
  // Sound: `npm run backups-beside-ddl` writes it.
  return JSON.parse(process.env['KONVERGE_BESIDE_ORDER'] ?? JSON.stringify(inGate)) as BesideOrder
}
