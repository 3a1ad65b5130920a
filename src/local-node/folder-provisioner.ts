// Claim on the data folder of a node. Invariant: at most one live process uses the folder.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Claim, claim } from '../base/claim-provisioner.ts'
import { NodeError } from './node-reconciler.ts'
import { passageMode } from './private-folder-provisioner.ts'

/** Claims the folder, and makes a missing one. Throws a NodeError if another live process holds it. */
export function claimFolder(folder: string): Claim {
  mkdirSync(folder, { recursive: true, mode: passageMode(process.getuid?.()) })
  const claimed = claim(join(folder, 'owner.json'))
  if (!claimed.isTaken) return claimed
  const who = claimed.holder === undefined ? 'another process' : `process ${claimed.holder}`
  const message = `use ${folder} for a node: it is in use by ${who}; end it, or choose another folder`
  throw new NodeError({ code: 'FolderInUse', message, remedy: 'stop' })
}
