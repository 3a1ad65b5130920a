// Build of the programs, once even if several test processes start together. One process takes the lock and builds into
// its own
// folder; a final rename publishes the result atomically. Correctness depends on the rename alone; the lock only saves
// work.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Program, Surroundings } from './binaries.ts'
import { binarySource, programs } from './binaries.ts'
import { onExitSignal } from './exit-signal.ts'
import { isAlive } from './is-alive.ts'

type Environment = Readonly<Record<string, string | undefined>>

const kubernetesModule = join(import.meta.dirname, 'kubernetes')
const kwokModule = join(import.meta.dirname, 'kwok')
const buildLimitMs = 30 * 60_000

/**
 * Returns the folder with the needed programs. The first call on a machine takes minutes and reports this on standard
 * error.
 */
export async function findOrBuildBinaries(
  needs: readonly Program[],
  environment: Environment,
  signal?: AbortSignal,
): Promise<string> {
  const around = surroundings(environment)
  const deadline = performance.now() + buildLimitMs
  for (;;) {
    const { kind, folder } = binarySource(needs, around)
    if (kind === 'ready') return folder
    await mkdir(dirname(folder), { recursive: true })
    if (await takeLock(`${folder}.lock`)) {
      try {
        await build(folder, environment, signal)
      } finally {
        await rm(`${folder}.lock`, { force: true })
      }
    } else {
      if (performance.now() > deadline) throw new Error(`Another process has held ${folder}.lock for half an hour.`)
      await sleep(1000, undefined, { signal })
    }
  }
}

/** Test programs beside the control plane. */
const goPrograms = {
  oracles: { module: kubernetesModule, package: './oracles' },
  informer: { module: kubernetesModule, package: './informer' },
  vale: { module: join(import.meta.dirname, '../language/vale'), package: 'github.com/errata-ai/vale/v3/cmd/vale' },
} as const

type GoProgram = (typeof goPrograms)[keyof typeof goPrograms]

/** Returns the path of a program; builds it with Go if the cache lacks it. A build takes a minute or two. */
export async function findOrBuildProgram(name: keyof typeof goPrograms, environment: Environment): Promise<string> {
  const built = goPrograms[name]
  const around = surroundings(environment, () => programSources(built))
  const folder = `${binarySource([], { ...around, environment: without(environment, 'KUBEBUILDER_ASSETS') }).folder}-${name}`
  const program = join(folder, name)
  while (!isExecutable(program)) {
    await mkdir(dirname(folder), { recursive: true })
    if (await takeLock(`${folder}.lock`)) {
      try {
        const workshop = `${folder}.building-${process.pid}`
        await mkdir(workshop, { recursive: true })
        await goBuild({ ...built, linkerFlags: [], to: join(workshop, name) }, environment)
        await rename(workshop, folder)
      } finally {
        await rm(`${folder}.lock`, { force: true })
      }
    } else await sleep(1000)
  }
  return program
}

function without(environment: Environment, name: string): Environment {
  const { [name]: _, ...rest } = environment
  return rest
}

/** Returns the contents of the files that determine the result of a build. */
function programSources({ module, package: path }: GoProgram): readonly string[] {
  const own = path.startsWith('./')
    ? readdirSync(join(module, path))
        .sort()
        .map((file) => join(path, file))
    : []
  return [...own, 'go.mod', 'go.sum'].map((file) => readFileSync(join(module, file), 'utf8'))
}

function surroundings(environment: Environment, sources = controlPlaneSources): Surroundings {
  const goVersion = spawnSync('go', ['version'], { encoding: 'utf8', env: environment })
  return {
    environment,
    isExecutable,
    goVersion: () => (goVersion.status === 0 ? goVersion.stdout.trim() : undefined),
    sources,
  }
}

function controlPlaneSources(): readonly string[] {
  return [kubernetesModule, kwokModule].flatMap((folder) =>
    ['main.go', 'go.mod', 'go.sum'].map((file) => readFileSync(join(folder, file), 'utf8')),
  )
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns false if a living process holds the lock. Removes the lock of a dead process; a later call can take it. */
async function takeLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx')
    await file.writeFile(String(process.pid))
    await file.close()
    return true
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  const holder = Number(await readFile(path, 'utf8').catch(() => ''))
  if (holder > 0 && !isAlive(holder)) await rm(path, { force: true })
  return false
}

async function build(folder: string, environment: Environment, signal?: AbortSignal): Promise<void> {
  process.stderr.write('building the Kubernetes control plane (first time only, about 8 minutes) …\n')
  const startedMs = performance.now()
  const parent = dirname(folder)
  const unfinished = (await readdir(parent)).filter((name) => name.startsWith(`${basename(folder)}.building-`))
  await Promise.all(unfinished.map((name) => rm(join(parent, name), { recursive: true, force: true })))

  const workshop = `${folder}.building-${process.pid}`
  await mkdir(workshop)
  try {
    signal?.throwIfAborted()
    await goBuild(
      { module: kubernetesModule, linkerFlags: versionFlags(), to: join(workshop, 'control-plane') },
      environment,
    )
    await goBuild({ module: kwokModule, linkerFlags: [], to: join(workshop, 'kwok') }, environment)
    const links = programs.filter((program) => program !== 'kwok')
    await Promise.all(links.map((program) => symlink('control-plane', join(workshop, program))))
    await rename(workshop, folder)
  } catch (error) {
    await rm(workshop, { recursive: true, force: true })
    // Another process finished first with the same result.
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'EEXIST')) throw error
  }
  process.stderr.write(
    `built the Kubernetes control plane in ${Math.round((performance.now() - startedMs) / 1000)} s\n`,
  )
}

interface GoBuild {
  readonly module: string
  /** Package to build, if it is not the module's root. */
  readonly package?: string
  readonly linkerFlags: readonly string[]
  readonly to: string
}

async function goBuild(
  { module, package: path = '.', linkerFlags, to }: GoBuild,
  environment: Environment,
): Promise<void> {
  const flags = ['build', '-buildvcs=false', '-ldflags', ['-s', '-w', ...linkerFlags].join(' '), '-o', to, path]
  const child = spawn('go', flags, {
    cwd: module,
    env: {
      ...environment,
      // A workspace file around the checkout would override the module's versions.
      GOWORK: 'off',
      // Remains of an aborted build here are removed with the build folder.
      GOTMPDIR: dirname(to),
      TMPDIR: dirname(to),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: buildLimitMs,
    // A process group of its own, so that compilers and linkers end with it. Go alone would leave them running.
    detached: true,
  })
  const ignoreSignals = onExitSignal(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
  })
  const [exitCode] = (await once(child, 'exit').finally(ignoreSignals)) as [number | null] // Documented for this event.
  if (exitCode !== 0)
    throw new Error(`go build in ${module} ended with ${exitCode ?? 'a signal'}; its output is above.`)
}

/** Without these flags clients see version v0.0.0-master. The version is that of go.mod. */
function versionFlags(): readonly string[] {
  const found = /k8s\.io\/kubernetes v(\d+)\.(\d+)\.\d+/.exec(readFileSync(join(kubernetesModule, 'go.mod'), 'utf8'))
  if (found === null) throw new Error(`${kubernetesModule}/go.mod does not require k8s.io/kubernetes.`)
  const [path, major, minor] = found
  const variable = (name: string, value: string | undefined) => `-X k8s.io/component-base/version.${name}=${value}`
  return [
    variable('gitVersion', path.slice('k8s.io/kubernetes '.length)),
    variable('gitMajor', major),
    variable('gitMinor', minor),
  ]
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
