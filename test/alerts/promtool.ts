// Finds promtool, Prometheus's checker of rule files: on the PATH, else in a cache outside the checkout. The cache gets
// the program from Debian's package without installation, daemon or root.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

const limitMs = 300_000

/** Returns the path of the program. Throws one sentence if it is neither present nor available for download. */
export function findOrFetchPromtool(environment: Environment): string {
  if (spawnSync('promtool', ['--version']).status === 0) return 'promtool'
  const cache = cacheFolder(environment)
  const program = join(cache, 'promtool')
  if (!isExecutable(program)) fetchTo(program, cache)
  return program
}

/** Invariant: the final rename makes the program appear complete or not at all, also with concurrent calls. */
function fetchTo(program: string, cache: string): void {
  mkdirSync(cache, { recursive: true })
  const workshop = mkdtempSync(join(cache, 'fetching-'))
  try {
    download(workshop)
    const [packed = 'nothing'] = readdirSync(workshop).filter((name) => name.endsWith('.deb'))
    const unpacked = run(workshop, 'dpkg-deb', '--extract', packed, 'unpacked')
    if (unpacked !== undefined) throw missing(unpacked)
    renameSync(join(workshop, 'unpacked', 'usr', 'bin', 'promtool'), program)
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

/** Downloads with the machine's package lists, or with own lists if it has none. */
function download(folder: string): void {
  if (run(folder, 'apt-get', '--quiet', 'download', 'prometheus') === undefined) return
  for (const part of ['lists', 'archives']) mkdirSync(join(folder, part, 'partial'), { recursive: true })
  const own = ['-o', `Dir::State::Lists=${join(folder, 'lists')}`, '-o', `Dir::Cache=${folder}`]
  const failure =
    run(folder, 'apt-get', '--quiet', ...own, 'update') ??
    run(folder, 'apt-get', '--quiet', ...own, 'download', 'prometheus')
  if (failure !== undefined) throw missing(failure)
}

/** Returns the error; undefined: success. */
function run(cwd: string, program: string, ...args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', timeout: limitMs })
  if (status === 0) return undefined
  const lines = (error?.message ?? stderr).trim().split('\n')
  return `${program}: ${lines.at(-1)}`
}

function missing(why: string): Error {
  return new Error(
    `The alert rules cannot be tested without promtool, which is not on the PATH, and Debian's package of Prometheus could not be fetched (${why}): install Prometheus.`,
  )
}

function cacheFolder({ XDG_CACHE_HOME: cache, HOME: home }: Environment): string {
  if (cache !== undefined && cache !== '') return join(cache, 'konverge', 'promtool')
  if (home !== undefined && home !== '') return join(home, '.cache', 'konverge', 'promtool')
  throw new Error('promtool has no place to be kept in: set XDG_CACHE_HOME or HOME, or put promtool on the PATH.')
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
