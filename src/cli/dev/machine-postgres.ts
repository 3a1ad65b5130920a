// Is there a PostgreSQL on this machine, and a user to run it as? Debian's places; where there is none, its tests are skipped.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'
import type { PostgresOnMachine } from '../../local-node/known-images.ts'

const versions = '/usr/lib/postgresql'

export function machinePostgres(): PostgresOnMachine | undefined {
  const version = existsSync(versions) ? readdirSync(versions).sort().at(-1) : undefined
  if (version === undefined) return undefined
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  const user = uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
  return { binFolder: `${versions}/${version}/bin`, user, isRoot: process.getuid?.() === 0 }
}
