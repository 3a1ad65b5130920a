// Where is the package that this program came from? Its version and its CRDs are read from there, whether it runs from
// source or from dist/.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The nearest folder above this file with a package.json. */
export function packageFolder(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}

export function packageVersion(): string {
  // Our own file, whose version npm insists on.
  const { version } = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as {
    readonly version: string
  }
  return version
}
