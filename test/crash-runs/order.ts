// What is asked of the crash runs, in words that go from the command to the processes that do them?
import type { Draw } from './draw.ts'

export interface CrashOrder {
  readonly draw: Draw
  /** Workflows; undefined: all. */
  readonly only?: readonly string[] | undefined
  /** Each workflow on one version only, one after the other on the next; else on all. */
  readonly onOneVersion?: boolean
  /** This process does every so manieth batch. */
  readonly lane: number
  readonly lanes: number
  /** No run begins after it, milliseconds since the epoch. */
  readonly untilMs?: number | undefined
  /** What of its draw was told and passed is not told again. */
  readonly folder?: string | undefined
  /** Gets a line of JSON for each run. */
  readonly runsFile?: string | undefined
}

/** What the gate does: a sample, the same every time. */
export const inGate: CrashOrder = {
  draw: { kind: 'drawn', runs: 200, seed: 7 },
  ...{ onOneVersion: true, lane: 0, lanes: 1 },
}
