// Folder of the local node of `dev`, and the end of processes that a killed node left there.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { silentInstruments } from '../../base/instrument.ts'
import { ProcessRunner } from '../../local-node/process-runner.ts'

/** Returns the node's folder inside the folder of the control plane. */
export function nodeFolder(folder: string): string {
  return join(folder, 'node')
}

/** Ends the programs that a node left running in its folder when it was killed. */
export async function endPodsOf(folder: string, signal: AbortSignal): Promise<void> {
  const processes = join(folder, 'processes')
  if (!existsSync(processes)) return
  await new ProcessRunner({ clock: systemClock, log: silentInstruments.log, folder: processes }).endOrphans(signal)
}
