// Input of the crash runs, which the command passes to its processes.
import type { Draw } from './draw.ts'

export interface CrashOrder {
  readonly draw: Draw
  /** Names of workflows; undefined: all. */
  readonly only?: readonly string[] | undefined
  /**
   * True: each workflow runs on one version only, and the next workflow on the next version. Otherwise on all versions.
   */
  readonly onOneVersion?: boolean
  /** Number of this process, which runs every Nth batch. */
  readonly lane: number
  readonly lanes: number
  /** Time after which no run starts, in milliseconds since the epoch. */
  readonly untilMs?: number | undefined
  /** Folder of earlier runs. Passed runs of its draw are not repeated. */
  readonly folder?: string | undefined
  /** File that gets a line of JSON for each run. */
  readonly runsFile?: string | undefined
}

/** Sample that `npm test` runs, the same every time. */
export const inGate: CrashOrder = {
  draw: { kind: 'drawn', runs: 200, seed: 7 },
  ...{ onOneVersion: true, lane: 0, lanes: 1 },
}
