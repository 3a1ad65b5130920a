// Files of this process that can hold secrets: logs, traces, kubeconfigs. Invariant: only its own user reads them, whatever mode an earlier file had.
import { appendFileSync, fchmodSync, openSync } from 'node:fs'

const ownerOnly = 0o600

/** A descriptor of the file, which is made if it is not there. */
export function openPrivate(path: string, flags: 'w' | 'a'): number {
  const file = openSync(path, flags, ownerOnly)
  fchmodSync(file, ownerOnly)
  return file
}

export function appendPrivate(path: string, text: string): void {
  appendFileSync(path, text, { mode: ownerOnly })
}
