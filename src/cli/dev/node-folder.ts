// The folder of a local node within that of a `dev` command, and the end of what a killed one left running there.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { silentInstruments } from '../../base/instrument.ts'
import { ProcessRunner } from '../../local-node/process-runner.ts'

/** Where the node is within the stage's folder. */
export function nodeFolder(folder: string): string {
  return join(folder, 'node')
}

/** Ends the programs that a node left running in its folder when it was killed. */
export async function endPodsOf(folder: string, signal: AbortSignal): Promise<void> {
  const processes = join(folder, 'processes')
  if (!existsSync(processes)) return
  await new ProcessRunner({ clock: systemClock, log: silentInstruments.log, folder: processes }).endOrphans(signal)
}
