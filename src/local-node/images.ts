// What does an image stand for on this machine? There are no images here: a table says which program of the machine runs in
// the place of each, with which arguments, variables and user. An image that no entry names is simulated: its containers
// are Running without a process.
import { type Mount, realPathOf, withRealPaths } from './mount-paths.ts'

export interface ImageEntry {
  /** Repositories without registry, tag and digest, e.g. `postgres`; `library/` and the registry are taken off before. */
  readonly repositories: readonly string[]
  /** Runs where the container names no command; empty: only a container's own command runs. */
  readonly entrypoint: readonly string[]
  /** Follow the entrypoint where the container names no args. */
  readonly defaultArguments?: readonly string[]
  /** Runs a container's own `command` as a program of this machine. Otherwise it is refused. */
  readonly runsOwnCommands?: boolean
  /** Under those of the container. */
  readonly environment?: Readonly<Record<string, string>>
  /** Without it, the user of the node itself. */
  readonly user?: MachineUser
  /** Runs as the node's own user whatever the pod says: nobody else may be able to read its program. */
  readonly keepsUser?: boolean
  /** Why it cannot be run on this machine, in one sentence that says what to do. */
  readonly refusal?: string
  /** There is no such image: a container of it waits as one whose image cannot be pulled. */
  readonly isMissing?: boolean
  /** The last word, e.g. on the address to listen on. Pure. */
  readonly adapt?: (program: Program, place: ProgramPlace) => Program
}

export type ImageTable = readonly ImageEntry[]

export interface MachineUser {
  readonly uid: number
  readonly gid: number
}

/** What a container asks to be run, its variables resolved. */
export interface ContainerAsk {
  readonly image: string
  readonly command: readonly string[]
  readonly args: readonly string[]
  readonly workingFolder: string | undefined
  readonly environment: ReadonlyMap<string, string>
  /** Whom the pod wants it to run as, if the node may switch to him. */
  readonly user: MachineUser | undefined
}

export interface ProgramPlace {
  /** As the container names it. */
  readonly image: string
  readonly podIp: string
  readonly namespace: string
  readonly mounts: readonly Mount[]
  /** The container's own folder, in which it starts unless it says otherwise. */
  readonly folder: string
}

export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  readonly workingFolder: string
  readonly user?: MachineUser
  /** What the image stands for, in a few words; absent: the command. */
  readonly standsFor?: string
  /** Written into the container's folder before the start. */
  readonly files?: readonly { readonly name: string; readonly text: string }[]
}

export type ImageVerdict =
  | { readonly kind: 'program'; readonly program: Program }
  | { readonly kind: 'simulated' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'missing'; readonly message: string }

/** Thrown for an image that there is none of. */
export class ImageMissingError extends Error {
  override readonly name = 'ImageMissingError'
}

/** What a container of this image is here. */
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
  // As with a real image: its own arguments belong to its own entrypoint.
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
 * The repository by which the table is asked: `postgres` of `docker.io/library/postgres:16@sha256:…`, `team/app` of
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

/** Do containers of this image run without a process? */
export function isSimulated(table: ImageTable, image: string): boolean {
  return entryFor(table, image) === undefined
}

function workingFolderOf({ workingFolder }: ContainerAsk, { mounts, folder }: ProgramPlace): string {
  if (workingFolder === undefined) return folder
  // Outside of every mount a container has a file system of its own, which is its folder here.
  return realPathOf(mounts, workingFolder) ?? folder
}
