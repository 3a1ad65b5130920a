// Declaration of a command-line program: name, version, controllers and CRDs of an operator, and the flags of its
// controllers.
import type { Controller, OperatorHandle, Right, RunOperatorOptions } from '../index.ts'

/** Commands that use the controllers. */
export type ControllerCommand = 'run' | 'preview' | 'diff' | 'install' | 'dev'

/** Flags of the command line by their long names without dashes: `{ zone: 'example.com', 'read-only': true }`. */
export type FlagValues = Readonly<Record<string, string | true | undefined>>

/** Flag that the controllers take. `install` passes it to the pods of the operator. */
export interface OperatorFlag {
  /**
   * Flag with a value, `--zone <domain>`, or without one, `--read-only`. The prefix `--no-` is not allowed: use, for
   * example, `--skip-labels`.
   */
  readonly flag: string
  /** Text of `--help`. */
  readonly text: string
  /**
   * Returns the problem of the value and its remedy, as a sentence without a full stop; undefined: the value is valid.
   */
  check?(value: string): string | undefined
  /** Commands that have the flag. Default: all commands that use the controllers. */
  readonly commands?: readonly ControllerCommand[] | undefined
}

/** Input of the functions that make controllers and settings. */
export interface ControllerSettings {
  /** Environment variables: `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly flags: FlagValues
}

/** Options of `runOperator` that the command line sets. */
type OptionsOfCommandLine = 'name' | 'controllers' | 'environment' | 'output' | 'userAgent' | 'kubeconfig' | 'context'

/**
 * Options of `runOperator` that the command line does not set, and further settings for `install` and the program. A
 * flag of `run` overrides its option.
 */
export interface OperatorSettings extends Partial<Omit<RunOperatorOptions, OptionsOfCommandLine>> {
  /** Rights of the program's own requests with the operator's client; `install` grants them. Default: none. */
  readonly rights?: readonly Right[] | undefined
  /**
   * Called once by `run` and `dev`, after the first answer of the API server. Work that it starts must end with
   * `operator.done`.
   */
  readonly onStarted?: ((operator: OperatorHandle) => void) | undefined
}

/** Options of `operatorCli`: the operator and its program. */
export interface OperatorCliOptions {
  /**
   * Name of the operator in its cluster, as the `name` of `runOperator`: a DNS label of at most 40 characters. The flag
   * `--name` overrides it. Help and errors use it as the name of the program.
   */
  readonly name: string
  /** Version that `--version` prints; part of the user agent of each request. */
  readonly version: string
  /** First line of `--help`. Default: `The operator <name>.` */
  readonly description?: string | undefined
  /**
   * Controllers, or a function that makes them from the flags and the environment. `--help` and `generate` do not call
   * it.
   */
  readonly controllers:
    | readonly Controller[]
    | ((settings: ControllerSettings) => readonly Controller[] | Promise<readonly Controller[]>)
  /**
   * Settings of the operator: runnables, rights, sharding, rates, logger, connections to other clusters. Or a function
   * that makes them from the flags and the environment. `run`, `install` and `dev` use them.
   *
   * @example { runnables: [report], sharding: { kind: 'hash' } }
   */
  readonly operator?:
    | OperatorSettings
    | ((settings: ControllerSettings) => OperatorSettings | Promise<OperatorSettings>)
    | undefined
  /**
   * Folder with the CustomResourceDefinitions of the controllers, or one file. `preview` validates by them, `install`
   * and `dev` install them, `generate` reads them. Other objects in the folder are ignored. Default: none, for
   * controllers of kinds that others define.
   */
  readonly crds?: URL | string | undefined
  /**
   * Container image of the operator; its entry point is this program. Default: none, and `install` requires `--image`.
   */
  readonly image?: string | undefined
  /** Folder with sample objects as YAML, or one file. `dev` applies them in the order of the files. Default: none. */
  readonly samples?: URL | string | undefined
  /** Flags that the controllers take, besides those of the commands. Default: none. */
  readonly flags?: readonly OperatorFlag[] | undefined
  /** TCP ports that the NetworkPolicy of `install` opens for the operator's connections. Default: 443 and 6443. */
  readonly egressPorts?: readonly number[] | undefined
}

/** Returns the first part of the user agent of each request: `websites/1.2.0`. */
export function userAgentOf({ name, version }: Pick<OperatorCliOptions, 'name' | 'version'>): string {
  return `${name}/${version}`
}

/** Returns the long name of a flag: `zone` for `--zone <domain>`. */
export function longNameOf(flag: string): string {
  return /--([\w-]+)/.exec(flag)?.[1] ?? flag
}
