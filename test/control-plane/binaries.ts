// Source of the control plane's programs: KUBEBUILDER_ASSETS if it is set, else a cache outside the checkout, else a Go
// build into
// that cache. All three are a folder with one file per program, named after it.
import { createHash } from 'node:crypto'
import { join } from 'node:path'

export const programs = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kwok',
] as const

export type Program = (typeof programs)[number]

/** Inputs of the decision, read only as needed. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly isExecutable: (path: string) => boolean
  /** Returns the output of `go version`; undefined without Go. */
  readonly goVersion: () => string | undefined
  /** Returns the contents of all files that determine the result of a build. */
  readonly sources: () => readonly string[]
}

export interface BinarySource {
  readonly kind: 'ready' | 'to-build'
  readonly folder: string
}

/** Throws one sentence with the remedy if the programs can neither be found nor built. */
export function binarySource(needs: readonly Program[], around: Surroundings): BinarySource {
  const assets = around.environment['KUBEBUILDER_ASSETS']
  if (assets !== undefined && assets !== '') {
    const missing = needs.filter((program) => !around.isExecutable(join(assets, program)))
    if (missing.length === 0) return { kind: 'ready', folder: assets }
    throw new Error(
      `KUBEBUILDER_ASSETS (${assets}) has no ${listed(missing)}: add what is missing, or unset the variable to build the control plane with Go.`,
    )
  }
  const goVersion = around.goVersion()
  if (goVersion === undefined) {
    throw new Error(
      `There is no control plane to test against: install Go, so that it can be built, or set KUBEBUILDER_ASSETS to a folder with ${listed(needs)}.`,
    )
  }
  const folder = join(cacheFolder(around.environment), buildId(goVersion, around.sources()))
  const isBuilt = programs.every((program) => around.isExecutable(join(folder, program)))
  return { kind: isBuilt ? 'ready' : 'to-build', folder }
}

function cacheFolder(environment: Surroundings['environment']): string {
  const { XDG_CACHE_HOME: cache, HOME: home } = environment
  if (cache !== undefined && cache !== '') return join(cache, 'konverge', 'control-plane')
  if (home !== undefined && home !== '') return join(home, '.cache', 'konverge', 'control-plane')
  throw new Error('The control plane has no place to be built in: set XDG_CACHE_HOME or HOME.')
}

function buildId(goVersion: string, sources: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([goVersion, ...sources]))
    .digest('hex')
    .slice(0, 16)
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
