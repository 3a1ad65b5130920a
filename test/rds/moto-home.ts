// Installation of moto, which acts as Amazon RDS in tests: from a cache outside the checkout, else by Python's pip into
// that cache. One installation per list of packages and version of Python. Invariant: the final rename makes it appear
// complete or not at all.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface MotoHome {
  readonly python: string
  /** Folder of the Python packages. */
  readonly folder: string
}

type Environment = Readonly<Record<string, string | undefined>>

const requirements = join(import.meta.dirname, 'requirements.txt')
const python = 'python3'
const installLimitMs = 10 * 60_000

/**
 * Returns the installation. The first call on a machine takes a minute and reports it. Throws if Python or a package is
 * unavailable.
 */
export async function findOrInstallMoto(environment: Environment): Promise<MotoHome> {
  const version = spawnSync(python, ['-c', 'import sys, pip; print(sys.version)'], { encoding: 'utf8' })
  if (version.status !== 0) {
    throw new Error(
      `The tests of RDS need ${python} with pip, to run moto: install them (Debian: apt install python3-pip).`,
    )
  }
  const folder = join(cacheFolder(environment), idOf([version.stdout, readFileSync(requirements, 'utf8')]))
  if (!existsSync(folder)) await install(folder, environment)
  return { python, folder }
}

async function install(folder: string, environment: Environment): Promise<void> {
  process.stderr.write('installing moto, which plays Amazon RDS (first time only, about a minute) …\n')
  const workshop = `${folder}.installing-${process.pid}`
  await mkdir(dirname(folder), { recursive: true })
  try {
    const options = ['--quiet', '--no-input', '--no-deps', '--no-warn-conflicts', '--disable-pip-version-check']
    const child = spawn(python, ['-m', 'pip', 'install', ...options, '--target', workshop, '-r', requirements], {
      env: { ...environment, PIP_USER: '0', PIP_ROOT_USER_ACTION: 'ignore' },
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: installLimitMs,
    })
    const [exitCode] = (await once(child, 'exit')) as [number | null] // As documented for this event.
    if (exitCode !== 0) {
      throw new Error('The tests of RDS need moto, and pip could not install it; its output is above.')
    }
    // A concurrent process may have installed it first, with the same result.
    await rename(workshop, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

function cacheFolder({ XDG_CACHE_HOME: cache, HOME: home }: Environment): string {
  if (cache !== undefined && cache !== '') return join(cache, 'konverge', 'moto')
  if (home !== undefined && home !== '') return join(home, '.cache', 'konverge', 'moto')
  throw new Error('moto has no place to be installed in: set XDG_CACHE_HOME or HOME.')
}

function idOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
