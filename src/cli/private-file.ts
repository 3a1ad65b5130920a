// Files of this process that can hold secrets: logs, traces, kubeconfigs. Invariant: only the user of the process can
// read them, whatever mode an earlier file had.
import { appendFileSync, fchmodSync, openSync } from 'node:fs'

const ownerOnly = 0o600

/** Opens the file and returns its descriptor; creates a missing file. */
export function openPrivate(path: string, flags: 'w' | 'a'): number {
  const file = openSync(path, flags, ownerOnly)
  fchmodSync(file, ownerOnly)
  return file
}

export function appendPrivate(path: string, text: string): void {
  appendFileSync(path, text, { mode: ownerOnly })
}
