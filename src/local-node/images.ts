// Image table: maps an image to a program of this machine, with arguments, variables and user. The local node pulls no
// images. Containers of an image without an entry are simulated: they are Running without a process.
import { type Mount, realPathOf, withRealPaths } from './mount-paths.ts'

export interface ImageEntry {
  /** Repositories without registry, `library/`, tag and digest, e.g. `postgres`. */
  readonly repositories: readonly string[]
  /** Command if the container has none; empty: only a container's own command runs. */
  readonly entrypoint: readonly string[]
  /** Arguments after the entrypoint if the container has no args. */
  readonly defaultArguments?: readonly string[]
  /** Runs a container's own `command` as a program of this machine. Default: such a container is rejected. */
  readonly runsOwnCommands?: boolean
  /** Default variables; those of the container override them. */
  readonly environment?: Readonly<Record<string, string>>
  /** User of the process. Default: the user of the node. */
  readonly user?: MachineUser
  /** Runs as the node's user, whatever the pod requests, because other users may be unable to read the program. */
  readonly keepsUser?: boolean
  /** Reason why the image cannot run on this machine, in one sentence with the remedy. */
  readonly refusal?: string
  /** The image does not exist: its containers wait as if the pull failed. */
  readonly isMissing?: boolean
  /** Final changes to the program, e.g. of the listen address. Pure. */
  readonly adapt?: (program: Program, place: ProgramPlace) => Program
}

export type ImageTable = readonly ImageEntry[]

export interface MachineUser {
  readonly uid: number
  readonly gid: number
}

/** Program that a container requests, with resolved variables. */
export interface ContainerAsk {
  readonly image: string
  readonly command: readonly string[]
  readonly args: readonly string[]
  readonly workingFolder: string | undefined
  readonly environment: ReadonlyMap<string, string>
  /** User that the pod requests, if the node can switch users. */
  readonly user: MachineUser | undefined
}

export interface ProgramPlace {
  /** Image as in the container's spec. */
  readonly image: string
  readonly podIp: string
  readonly namespace: string
  readonly mounts: readonly Mount[]
  /** Folder of the container; its default working directory. */
  readonly folder: string
}

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  readonly workingFolder: string
  readonly user?: MachineUser
  /** Short name of the program that runs for the image; absent: the command. */
  readonly standsFor?: string
  /** Files to write into the container's folder before the start. */
  readonly files?: readonly { readonly name: string; readonly text: string }[]
}

export type ImageVerdict =
  | { readonly kind: 'program'; readonly program: Program }
  | { readonly kind: 'simulated' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'missing'; readonly message: string }

/** Error for an image that does not exist. */
export class ImageMissingError extends Error {
  override readonly name = 'ImageMissingError'
}

/** Returns the program for a container of this image. */
export function programOf(table: ImageTable, ask: ContainerAsk, place: ProgramPlace): ImageVerdict {
  const entry = entryFor(table, ask.image)
  if (entry === undefined) return { kind: 'simulated' }
  if (entry.isMissing === true) return { kind: 'missing', message: `Back-off pulling image "${ask.image}"` }
  if (entry.refusal !== undefined) return { kind: 'refused', message: entry.refusal }
  if (ask.command.length > 0 && entry.runsOwnCommands !== true) {
    const message = `the local node runs ${ask.image} by its image table, not by the container's own command; leave command out`
    return { kind: 'refused', message }
  }
  const [command, ...own] = ask.command.length > 0 ? ask.command : entry.entrypoint
  if (command === undefined) {
    return {
      kind: 'refused',
      message: `${ask.image} has no entrypoint on the local node; give the container a command`,
    }
  }
  // As in an image, default arguments apply only to the default entrypoint.
  const isEntrypoint = ask.command.length === 0
  const defaults = isEntrypoint && ask.args.length === 0 ? (entry.defaultArguments ?? []) : []
  const mapped = (text: string) => withRealPaths(text, place.mounts)
  const environment = new Map([...Object.entries(entry.environment ?? {}), ...ask.environment])
  const user = entry.user ?? (entry.keepsUser === true ? undefined : ask.user)
  const program: Program = {
    command: mapped(command),
    args: [...own, ...defaults, ...ask.args].map(mapped),
    environment: new Map([...environment].map(([name, value]) => [name, mapped(value)])),
    workingFolder: workingFolderOf(ask, place),
    ...(user === undefined ? {} : { user }),
  }
  return { kind: 'program', program: entry.adapt?.(program, place) ?? program }
}

/**
 * Returns the repository of an image: `postgres` for `docker.io/library/postgres:16@sha256:…`, `team/app` for
 * `registry.example:5000/team/app`.
 */
export function repositoryOf(image: string): string {
  const [untagged = ''] = image.split('@', 1)
  const slash = untagged.lastIndexOf('/')
  const colon = untagged.indexOf(':', slash + 1)
  const path = (colon < 0 ? untagged : untagged.slice(0, colon)).split('/')
  const isRegistry = path.length > 1 && /[.:]|^localhost$/.test(path[0] ?? '')
  const repository = isRegistry ? path.slice(1) : path
  return (repository[0] === 'library' ? repository.slice(1) : repository).join('/')
}

export function entryFor(table: ImageTable, image: string): ImageEntry | undefined {
  const repository = repositoryOf(image)
  return table.find(({ repositories }) => repositories.includes(repository))
}

/** Returns whether containers of this image run without a process. */
export function isSimulated(table: ImageTable, image: string): boolean {
  return entryFor(table, image) === undefined
}

function workingFolderOf({ workingFolder }: ContainerAsk, { mounts, folder }: ProgramPlace): string {
  if (workingFolder === undefined) return folder
  // Outside all mounts, the container's folder replaces its file system.
  return realPathOf(mounts, workingFolder) ?? folder
}
