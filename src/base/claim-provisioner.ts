// Lock file of a process: its number and the moment of its start. Invariant: at most one live owner. The claim of a process that has ended does not
// count, even if another process has its number by now.
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isJsonObject } from './json.ts'
import { startMarkOf } from './process-loader.ts'

export interface Claim {
  readonly isTaken: false
  /** For the end: the next one may have it. */
  release(): void
}

/** Another process that runs has it: which one, unless it has just given it back. */
export interface TakenClaim {
  readonly isTaken: true
  readonly holder: number | undefined
}

/** Claims by a file in a folder that is there. */
export function claim(path: string): Claim | TakenClaim {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, JSON.stringify(thisProcess()), { mode: 0o600 })
  try {
    if (!isLinked(draft, path)) {
      const holder = holderOf(path)
      if (holder !== undefined) return { isTaken: true, holder }
      rmSync(path, { force: true })
      // Another one may have been quicker.
      if (!isLinked(draft, path)) return { isTaken: true, holder: holderOf(path) }
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return { isTaken: false, release: () => rmSync(path, { force: true }) }
}

/** How a process names itself to others. */
export function thisProcess(): { readonly pid: number; readonly startMark: string } {
  return { pid: process.pid, startMark: startMarkOf(process.pid) ?? '' }
}

/** Does the process run that has named itself so? Undefined for what is no such name. */
export function isRunning(named: unknown): boolean | undefined {
  if (!isJsonObject(named) || typeof named.pid !== 'number' || typeof named.startMark !== 'string') return undefined
  return startMarkOf(named.pid) === named.startMark
}

/** Only one of several gets a name that is not there. */
function isLinked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return false
    throw thrown
  }
}

/** The process that has it; undefined if it has ended. */
function holderOf(path: string): number | undefined {
  try {
    const named: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isJsonObject(named) && isRunning(named) === true ? Number(named.pid) : undefined
  } catch {
    return undefined // Given back meanwhile, or none of ours.
  }
}
