// What a command-line program is made of: an operator's name, version, controllers and CRDs, and the flags that its controllers take.
import type { Controller, OperatorHandle, Right, RunOperatorOptions } from '../index.ts'

/** The commands that work with the controllers. */
export type ControllerCommand = 'run' | 'preview' | 'diff' | 'install' | 'dev'

/** Flags as given, by their long names without dashes: `{ zone: 'example.com', 'read-only': true }`. */
export type FlagValues = Readonly<Record<string, string | true | undefined>>

/** An option that the controllers take. `install` passes it on to the pods of the operator. */
export interface OperatorFlag {
  /** `--zone <domain>`, or `--read-only` for one without a value. No name that begins with `--no-`: call it `--skip-labels`, for one. */
  readonly flag: string
  /** Shown by `--help`. */
  readonly text: string
  /** Returns what is wrong with the value and how to mend it, as a sentence without its full stop; undefined: nothing. */
  check?(value: string): string | undefined
  /** The commands that have it. Default: all that work with the controllers. */
  readonly commands?: readonly ControllerCommand[] | undefined
}

/** What controllers and settings may be made of. */
export interface ControllerSettings {
  /** `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly flags: FlagValues
}

/** Options of `runOperator` that a command line sets by itself. */
type OptionsOfCommandLine = 'name' | 'controllers' | 'environment' | 'output' | 'userAgent' | 'kubeconfig' | 'context'

/** Every other option of `runOperator`, and what `install` and the program need to know of the operator. A flag of `run` that is given overrides its option. */
export interface OperatorSettings extends Partial<Omit<RunOperatorOptions, OptionsOfCommandLine>> {
  /** For what the program does with the client of its operator: `install` grants them. Default: none. */
  readonly rights?: readonly Right[] | undefined
  /** Called once when the API server has answered, by `run` and `dev`. Its work ends with `operator.done`. */
  readonly onStarted?: ((operator: OperatorHandle) => void) | undefined
}

export interface OperatorCliOptions {
  /**
   * Identifies the operator in its cluster, as the `name` of `runOperator`: a DNS label of at most 40 characters. The flag `--name` overrides it. Help and errors
   * call the program by it.
   */
  readonly name: string
  /** Printed by `--version`, and part of the user agent of each request. */
  readonly version: string
  /** First line of `--help`. Default: `The operator <name>.` */
  readonly description?: string | undefined
  /** The controllers, or a function that makes them of the flags and the environment. `--help` and `generate` do not call it. */
  readonly controllers:
    | readonly Controller[]
    | ((settings: ControllerSettings) => readonly Controller[] | Promise<readonly Controller[]>)
  /**
   * How the operator runs: runnables, rights, sharding, rates, a logger, connections to other clusters. Or a function that makes it of the flags and the
   * environment. `run`, `install` and `dev` go by it.
   *
   * @example { runnables: [report], sharding: { kind: 'hash' } }
   */
  readonly operator?:
    | OperatorSettings
    | ((settings: ControllerSettings) => OperatorSettings | Promise<OperatorSettings>)
    | undefined
  /**
   * A folder with the CustomResourceDefinitions of the controllers, or one file: `preview` validates by them, `install` and `dev` install them,
   * `generate` reads them. Everything else in the folder is left out. Default: none, for controllers of kinds that others define.
   */
  readonly crds?: URL | string | undefined
  /** The container image of the operator, whose entry point is this program. Default: none, and `install` needs `--image`. */
  readonly image?: string | undefined
  /** A folder with YAML of objects, or one file: `dev` applies them in the order of their files. Default: none. */
  readonly samples?: URL | string | undefined
  readonly flags?: readonly OperatorFlag[] | undefined
  /** TCP ports that the NetworkPolicy of `install` lets the operator connect to. Default: 443 and 6443. */
  readonly egressPorts?: readonly number[] | undefined
}

/** Begins the user agent of each request: `websites/1.2.0`. */
export function userAgentOf({ name, version }: Pick<OperatorCliOptions, 'name' | 'version'>): string {
  return `${name}/${version}`
}

/** `zone` of `--zone <domain>`. */
export function longNameOf(flag: string): string {
  return /--([\w-]+)/.exec(flag)?.[1] ?? flag
}
