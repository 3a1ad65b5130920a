// Lock file of a process: its pid and the time of its start. Invariant: at most one live owner. The claim of an ended
// process does not count, even if another process has its pid now.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isJsonObject } from './json.ts'
import { startMarkOf } from './process-loader.ts'

export interface Claim {
  readonly isTaken: false
  /** Releases the claim for the next process. */
  release(): void
}

/** Another live process holds the claim. `holder` is undefined if it has just released the claim. */
export interface UsedClaim {
  readonly isTaken: true
  readonly holder: number | undefined
}

/** Claims by a file in an existing folder. */
export function claim(path: string): Claim | UsedClaim {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, JSON.stringify(thisProcess()), { mode: 0o600 })
  try {
    if (!isLinked(draft, path)) {
      const holder = holderOf(path)
      if (holder !== undefined) return { isTaken: true, holder }
      rmSync(path, { force: true })
      // Another process may have been faster.
      if (!isLinked(draft, path)) return { isTaken: true, holder: holderOf(path) }
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return { isTaken: false, release: () => rmSync(path, { force: true }) }
}

/** Returns the identity of this process. */
export function thisProcess(): { readonly pid: number; readonly startMark: string } {
  return { pid: process.pid, startMark: startMarkOf(process.pid) ?? '' }
}

/** True if the named process runs. Undefined for a value that is not such a name. */
export function isRunning(named: unknown): boolean | undefined {
  if (!isJsonObject(named) || typeof named.pid !== 'number' || typeof named.startMark !== 'string') return undefined
  return startMarkOf(named.pid) === named.startMark
}

/** Creates a name; of several processes only one succeeds. */
function isLinked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return false
    throw thrown
  }
}

/** Returns the pid of the live holder; undefined if it has ended. */
function holderOf(path: string): number | undefined {
  try {
    const named: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isJsonObject(named) && isRunning(named) === true ? Number(named.pid) : undefined
  } catch {
    return undefined // Released meanwhile, or not a lock file of konverge.
  }
}
