// Temporary folder of a process, with an owner file, and checks for a folder that the user names. Invariants: a process
// removes the folders of killed processes of its kind and user; it uses no folder that another user can change.
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { isRunning, thisProcess } from '../base/claim-provisioner.ts'
import { isJsonObject } from '../base/json.ts'
import { CommandError } from './command-error.ts'

const ownerFile = 'owner.json'

/** Makes the folder. `prefix` names the kind of process; call `remove` at the end. */
export async function makeOwnFolder(prefix: string): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), prefix))
  const owner = { ...thisProcess(), place: placeOfProcesses() }
  await writeFile(join(path, ownerFile), JSON.stringify(owner), { mode: 0o600 })
  return { path, remove: () => removeFolder(path) }
}

/** Removes the folders of dead processes. `before` gets each folder first; if it rejects, the folder remains. */
export async function sweepLeftovers(prefix: string, before: (folder: string) => Promise<void>): Promise<void> {
  const folders = readdirSync(tmpdir())
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(tmpdir(), name))
  for (const folder of folders.filter(isLeftBehind)) {
    const isFree = await before(folder).then(
      () => true,
      () => false,
    )
    // Another process may sweep at the same time.
    if (isFree) await removeFolder(folder).catch(() => undefined)
  }
}

/**
 * Throws a CommandError of exit code 2 if the folder exists and another user of the machine can change its contents.
 */
export function checkFolderToKeep(folder: string): void {
  const stat = statSync(folder, { throwIfNoEntry: false })
  const userId = process.getuid?.()
  if (stat === undefined || userId === undefined) return
  const fault = folderFault({ ownerId: stat.uid, mode: stat.mode }, userId)
  if (fault !== undefined) throw new CommandError(`--persist: ${folder} ${fault}`, 2)
}

/** Returns the reason why another user can change the contents of a folder, with the remedy; undefined if none can. */
export function folderFault(
  { ownerId, mode }: { readonly ownerId: number; readonly mode: number },
  userId: number,
): string | undefined {
  if (ownerId !== userId)
    return 'belongs to another user, who can read and replace what it keeps; name a folder of your own'
  if ((mode & 0o002) !== 0)
    return 'can be written by every user of this machine; run chmod o-w on it, or name another folder'
  return undefined
}

function isLeftBehind(folder: string): boolean {
  try {
    const stat = lstatSync(folder)
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) return false
    const owner: unknown = JSON.parse(readFileSync(join(folder, ownerFile), 'utf8'))
    return isJsonObject(owner) && owner.place === placeOfProcesses() && isRunning(owner) === false
  } catch {
    return false // Another user's folder, or its owner file is not written yet.
  }
}

/** Identifies the scope of process ids: a machine and its PID namespace. */
function placeOfProcesses(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname() // The platform has no PID namespaces.
  }
}

function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 })
}
