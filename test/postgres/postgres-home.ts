// Home of the tests' PostgreSQL servers: one folder for a run, owned by the user that PostgreSQL runs as.
// It has a data folder for every version on this machine, because a copy takes a twentieth of the time of initdb. The
// versions come from the machine and from npm.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { machinePostgres } from '../../src/cli/dev/machine-postgres.ts'

const run = promisify(execFile)

/** The role that initdb creates. */
export const superuser = 'postgres'

export interface PostgresHome {
  readonly folder: string
  /** User of the servers; undefined: the current user. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined
  /** Password of `superuser` on every server of this run. */
  readonly password: string
  /** Oldest first. */
  readonly versions: readonly HomeVersion[]
}

export interface HomeVersion {
  readonly major: number
  readonly binFolder: string
  readonly template: string
}

/** Returns plain data, which can be passed to the processes of tests. Remove it by `removePostgresHome`. */
export async function makePostgresHome(): Promise<PostgresHome> {
  const { versions, user, isRoot } = machinePostgres()
  if (versions.length === 0) throw new Error('There is no PostgreSQL on this machine; npm ci brings one.')
  if (isRoot && user === undefined) {
    throw new Error(
      'PostgreSQL does not run as root, and this machine has no user postgres; run the tests as another user.',
    )
  }
  const folder = mkdtempSync(join(tmpdir(), 'konverge-postgres-'))
  const owner = isRoot ? user : undefined
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  const home = { folder, user: owner, password: randomBytes(12).toString('hex') }
  try {
    const passwordFile = join(folder, 'password')
    await writeFile(passwordFile, home.password)
    const templates = versions
      .toSorted((left, right) => left.major - right.major)
      .map(async ({ major, binFolder }) => {
        const template = join(folder, `template-${major}`)
        await run(join(binFolder, 'initdb'), [...initdbOptions, '-D', template, '--pwfile', passwordFile], {
          ...owner,
          cwd: folder,
        })
        return { major, binFolder, template }
      })
    return { ...home, versions: await Promise.all(templates) }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

export async function removePostgresHome({ folder }: PostgresHome): Promise<void> {
  await rm(folder, { recursive: true, force: true })
}

const initdbOptions = [
  '--username',
  superuser,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C.UTF-8',
  '--no-sync',
  // Small, because every server gets a copy.
  '--wal-segsize=1',
]
