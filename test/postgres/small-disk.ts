// A small disk in memory for tests, which is removed with the test.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

const run = promisify(execFile)

export const noDisks = 'only root may mount, and not in every container'

/** Mounts a disk of a size such as `2m`, as mount(8) reads it. Returns undefined where mounts are not possible. */
export async function smallDisk(size: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-disk-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const mount = run('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0777`, 'tmpfs', folder])
  const isMounted = await mount.then(
    () => true,
    () => false,
  )
  if (!isMounted) return undefined
  onTestFinished(async () => {
    await run('umount', ['--lazy', folder])
  })
  return folder
}

/** Makes a folder writable for a server. */
export async function giveToServer(folder: string): Promise<void> {
  await run('chown', ['postgres', folder])
}

export async function resizeDisk(folder: string, size: string): Promise<void> {
  await run('mount', ['-o', `remount,size=${size}`, folder])
}
