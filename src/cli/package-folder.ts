// Folder of this package, for its version and its CRDs. It works from source and from dist/.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns the nearest parent folder of this file with a package.json. */
export function packageFolder(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}

export function packageVersion(): string {
  // Sound: the file is our own, and npm requires a version.
  const { version } = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as {
    readonly version: string
  }
  return version
}
