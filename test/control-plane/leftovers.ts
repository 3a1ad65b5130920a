// Files of a control plane and their removal. stop() removes them; if the test process is killed, etcd's lifeline does.
// If etcd is
// killed too, the next start on this machine removes them: it reads the owner in the folder.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './is-alive.ts'
import type { Layout } from './layout.ts'
import { folderPrefix, ownerFile, volumePrefix, volumesFolder } from './layout.ts'

type Place = Pick<Layout, 'folder' | 'volumeMark'>

/** Owner of a control plane: the process that may stop it. A process id is valid on one host only. */
export interface Owner {
  readonly pid: number
  readonly host: string
  readonly volumeMark: string
}

/** A killed program may still complete a write. */
const removal = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }

export async function removeLeftovers(place: Place): Promise<void> {
  await Promise.all(leftoversOf(place).map((path) => rm(path, removal)))
  await rmdir(volumesFolder).catch(() => undefined) // Absent, or other control planes have volumes in it.
}

/** As `removeLeftovers`, for exit handlers, which cannot await. */
export function removeLeftoversNow(place: Place): void {
  for (const path of leftoversOf(place)) rmSync(path, removal)
}

/**
 * Removes the files of control planes whose owner on this host is dead. Several processes may do so at the same time.
 */
export async function sweepLeftovers(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(folderPrefix))
  for (const name of names) {
    const folder = join(tmpdir(), name)
    const owner = await readOwner(folder)
    if (owner !== undefined && owner.host === hostname() && !isAlive(owner.pid)) {
      await removeLeftovers({ folder, volumeMark: owner.volumeMark })
    }
  }
}

export function ownerText(volumeMark: string): string {
  const owner: Owner = { pid: process.pid, host: hostname(), volumeMark }
  return JSON.stringify(owner)
}

/** Returns undefined while the owner is still writing it. */
async function readOwner(folder: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, ownerFile), 'utf8')) // Written by ownerText.
  } catch {
    return undefined
  }
}

function leftoversOf(place: Place): readonly string[] {
  const names = existsSync(volumesFolder) ? readdirSync(volumesFolder) : []
  const volumes = names.filter((name) => name.startsWith(volumePrefix(place)))
  return [place.folder, ...volumes.map((name) => join(volumesFolder, name))]
}
