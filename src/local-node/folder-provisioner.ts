// Whose is the data folder of a node? One process's at a time: it says in a file who it is and since when it runs. The claim of a process
// that has ended counts for nothing, and of two that come at once one gets it.
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject } from '../base/json.ts'
import { NodeError } from './node-reconciler.ts'
import { startMarkOf } from './process-loader.ts'

const claimName = 'owner.json'

export interface FolderClaim {
  /** For the end: the folder is free again. */
  release(): void
}

/** Makes the folder if it is not there. Throws a NodeError if another process that runs has it. */
export function claimFolder(folder: string): FolderClaim {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, claimName)
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, JSON.stringify({ pid: process.pid, startMark: startMarkOf(process.pid) ?? '' }))
  try {
    if (!isLinked(draft, path)) {
      const holder = holderOf(path)
      if (holder !== undefined) throw inUse(folder, holder)
      rmSync(path, { force: true })
      // Another one may have been quicker.
      if (!isLinked(draft, path)) throw inUse(folder, holderOf(path))
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return { release: () => rmSync(path, { force: true }) }
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

/** The process that has the folder; undefined if it has ended. */
function holderOf(path: string): number | undefined {
  try {
    const claim: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!isJsonObject(claim) || typeof claim.pid !== 'number') return undefined
    return startMarkOf(claim.pid) === claim.startMark ? claim.pid : undefined
  } catch {
    return undefined // Given back meanwhile, or none of ours.
  }
}

function inUse(folder: string, holder: number | undefined): NodeError {
  const who = holder === undefined ? 'another process' : `process ${holder}`
  const message = `use ${folder} for a node: it is in use by ${who}; end it, or choose another folder`
  return new NodeError({ code: 'FolderInUse', message, remedy: 'stop' })
}
