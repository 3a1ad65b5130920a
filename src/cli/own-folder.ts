// Where does a process put what goes with it? In a folder of its own below the machine's temporary one, which says whose it is: if the
// process is killed, the next of its kind takes the folder away. Only what is surely a dead process's of the same user is touched.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { isRunning, thisProcess } from '../base/claim-provisioner.ts'
import { isJsonObject } from '../base/json.ts'

const ownerFile = 'owner.json'

/** `prefix` says what kind of process it is; `remove` is for its end. */
export async function makeOwnFolder(prefix: string): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), prefix))
  const owner = { ...thisProcess(), place: placeOfProcesses() }
  await writeFile(join(path, ownerFile), JSON.stringify(owner), { mode: 0o600 })
  return { path, remove: () => removeFolder(path) }
}

/** Takes away what dead processes left; `before` gets each folder first, and if it rejects the folder stays. */
export async function sweepLeftovers(prefix: string, before: (folder: string) => Promise<void>): Promise<void> {
  const folders = readdirSync(tmpdir())
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(tmpdir(), name))
  for (const folder of folders.filter(isLeftBehind)) {
    const isFree = await before(folder).then(
      () => true,
      () => false,
    )
    // Somebody else may sweep at the same time.
    if (isFree) await removeFolder(folder).catch(() => undefined)
  }
}

function isLeftBehind(folder: string): boolean {
  try {
    const stat = lstatSync(folder)
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) return false
    const owner: unknown = JSON.parse(readFileSync(join(folder, ownerFile), 'utf8'))
    return isJsonObject(owner) && owner.place === placeOfProcesses() && isRunning(owner) === false
  } catch {
    return false // Not ours, or still being made.
  }
}

/** Process ids mean something in one place only: a machine, and there a namespace of processes. */
function placeOfProcesses(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname() // There are no such namespaces.
  }
}

function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 })
}
