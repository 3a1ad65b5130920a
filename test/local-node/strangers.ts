// Another user of the same machine: reports which files of a folder that user can read, write or list.
import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

/** User `nobody` of the machine; it owns no file of a test. */
export const strangerId = 65_534

/** Only root can start a process as another user. Elsewhere, tests check the modes of files. */
export const canBeStranger = process.getuid?.() === 0

const [read, write, enter] = [0o004, 0o002, 0o001]

/**
 * Returns paths below the folder that their modes open to every user, with the allowed access: `rw pods/…`. Links count
 * as their targets.
 */
export function openToOthers(folder: string): readonly string[] {
  const found: string[] = []
  const visit = (path: string) => {
    const stat = lstatSync(path)
    const { mode } = stat
    if (stat.isSymbolicLink()) return
    const rights = `${mode & read ? 'r' : ''}${mode & write ? 'w' : ''}`
    if (rights !== '') found.push(`${rights} ${relative(folder, path)}`)
    if (stat.isDirectory() && mode & enter) for (const name of readdirSync(path)) visit(join(path, name))
  }
  if (lstatSync(folder).mode & enter) visit(folder)
  return found
}

/** Returns paths below the folder that a process of another user can read or write, although it knows all names. */
export function reachedByStranger(folder: string): readonly string[] {
  const paths = [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ]
  const script =
    'while IFS= read -r path; do [ -r "$path" ] && echo "r $path"; [ -w "$path" ] && echo "w $path"; done; true'
  const identity = { uid: strangerId, gid: strangerId, cwd: '/' }
  const text = execFileSync('/bin/sh', ['-c', script], {
    ...identity,
    input: `${paths.join('\n')}\n`,
    encoding: 'utf8',
  })
  return text.split('\n').filter((line) => line !== '')
}
