// Command-line program: reads arguments, environment and signals, and passes values to the command. Invariants: a
// failure prints one sentence on standard error and sets an exit code; a command's modules load only after the command
// is known.
import process from 'node:process'
import { Command, CommanderError } from 'commander'
import { CodedError, messageOf } from '../base/errors.ts'
import { terminalText } from '../base/terminal-text.ts'
import { identityOf } from '../object/identity.ts'
import { CommandError } from './command-error.ts'
import { addExamples, type CommandExamples } from './command-examples.ts'
import type { Play } from './dev/play.ts'
import {
  assertFlags,
  flagValuesOf,
  optionDescription,
  withCluster,
  withControllers,
  withFlags,
  withMetrics,
} from './option-sets.ts'
import { names, operatorName, port, ports, positive, selector } from './option-values.ts'
import type { OperatorCliOptions } from './program.ts'
import { addRun } from './run-command.ts'
import { withSharding } from './sharding-option.ts'

/** Commands and options that a program of this package adds to those of every operator. */
export interface OwnParts {
  /** Adds commands. */
  readonly addCommands?: (program: Command, signal: AbortSignal) => void
  /** Show of `dev`, with its options. Default: the controllers on a cluster with simulated pods. */
  readonly dev?: {
    readonly description: string
    readonly addOptions: (dev: Command) => void
    readonly loadPlay: (options: Readonly<Record<string, unknown>>) => Promise<Play>
  }
  /** By command: examples of its help instead of those of every operator. */
  readonly examples?: CommandExamples
  /** Makes `install` add the NetworkPolicies of the pods of konverge's own kinds. */
  readonly includesDataPods?: boolean
}

/** Exit codes of failures: `diff` keeps 1 for a difference, as `kubectl diff` does. */
interface ExitCodes {
  failure: 1 | 2
  success: 0 | 1
}

export interface Building {
  readonly options: OperatorCliOptions
  readonly own: OwnParts
  readonly exits: ExitCodes
  readonly signal: AbortSignal
}

/** Resolves with the exit code when the command has ended. */
export async function runCommandLine(
  options: OperatorCliOptions,
  argv: readonly string[],
  own: OwnParts = {},
): Promise<number> {
  const stop = new AbortController()
  // The first signal stops the command gracefully. For the second, Node's default applies again and ends the process at
  // once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stop.abort(new CommandError(`ended by ${signal}`, 1)))
  const exits: ExitCodes = { failure: 1, success: 0 }
  let asked: Asked = { path: options.name, commands: [] }
  try {
    identityOf(options.name)
    assertFlags(options)
    const program = programWith({ options, own, exits, signal: stop.signal })
    asked = commandIn(program, argv.slice(2))
    await program.parseAsync(argv)
    return exits.success
  } catch (thrown) {
    return report(thrown, { name: options.name, exits, ...asked })
  }
}

/** Returns the program with all its commands. It has parsed no arguments yet. */
export function programWith(building: Building): Command {
  const { options, own, signal } = building
  const program = new Command(options.name)
  program.description(options.description ?? `The operator ${options.name}.`).version(options.version)
  program
    .exitOverride()
    .configureOutput({ outputError: () => {}, writeErr: () => {} })
    .configureHelp({ optionDescription })
    .showHelpAfterError(false)
  addRun(program, options, signal)
  addInstall(program, building)
  own.addCommands?.(program, signal)
  addDev(program, building)
  addPreview(program, building)
  addDiff(program, building)
  addGenerate(program, building)
  for (const command of program.commands) addExamples(command, options.name, own.examples)
  return program
}

/** Commands print text from the cluster, files and other programs, so control characters are escaped. */
const write = (text: string) => void process.stdout.write(terminalText(text))
const writeError = (text: string) => void process.stderr.write(terminalText(text))

function addInstall(program: Command, { options, own, signal }: Building): void {
  const install = program
    .command('install')
    .description('install the operator: CRDs, roles, Deployment')
    .option('--name <name>', 'name of the operator and of its objects', operatorName, options.name)
    .option('--dry-run', 'print the manifests for kubectl apply --server-side -f -; apply nothing')
    .option('--namespace <name>', 'namespace of the operator’s pods (default: the name and -system)')
    .option('--image <reference>', 'container image of the pods', options.image)
    .option(
      '--replicas <pods>',
      'number of pods; one leads and the others stand by, unless --shard-by-hash is set (default: 2)',
      positive,
    )
    .option('--namespaces <names>', 'serve these namespaces, separated by commas (default: default)', names)
    .option('--all-namespaces', 'serve all namespaces, with rights on every Secret of the cluster')
    .option('--selector <labels>', 'manage only resources with these labels (default: all)', selector)
  withMetrics(withSharding(install), 'protected').option(
    '--egress-ports <ports>',
    `TCP ports that the pods may connect to (default: ${(options.egressPorts ?? [443, 6443]).join()})`,
    ports,
  )
  withFlags(withCluster(withControllers(install)), 'install', options).action(async (given) =>
    (await import('./install.ts')).install(
      {
        ...given,
        ...kitOf(options, given),
        includesDataPods: own.includesDataPods,
        write,
      },
      signal,
    ),
  )
}

/** `dev` handles signals itself, because more than signals ends it. */
function addDev(program: Command, { options, own, signal }: Building): void {
  const dev = program
    .command('dev')
    .description(own.dev?.description ?? 'run the operator on a control plane in this process')
  own.dev?.addOptions(dev)
  dev
    .option('--no-samples', 'apply no samples')
    .option('--port <port>', 'port of the API server (default: any free port)', port)
    .option('--kubeconfig <file>', 'path of the kubeconfig to write (default: a temporary file)')
    .option('--persist <folder>', 'keep the cluster in this folder across restarts (default: keep nothing)')
    .option('--repair', 'keep only the complete records of a corrupt folder')
  if (own.dev === undefined) withFlags(dev, 'dev', options)
  dev.action(async (given) => {
    const kit = { ...given, ...kitOf(options, given), output: process.stdout }
    const play = own.dev?.loadPlay(kit) ?? (await import('./dev/plain-play.ts')).plainPlay(kit, signal)
    await (await import('./dev.ts')).dev(kit, await play)
  })
}

function addPreview(program: Command, { options, signal }: Building): void {
  const preview = program
    .command('preview')
    .description('print the manifests of resources, without a cluster')
    .requiredOption('-f, --filename <file...>', 'YAML files with the resources; - is standard input')
  withFlags(preview, 'preview', options).action(async (given) =>
    (await import('./preview.ts')).preview({ ...kitOf(options, given), files: given.filename, write }, signal),
  )
}

function addDiff(program: Command, { options, exits, signal }: Building): void {
  const diff = program
    .command('diff')
    .description(
      'show what applying resources would change in the cluster; exit code 0: no difference, 1: a difference',
    )
    .requiredOption('-f, --filename <file...>', 'YAML files with the resources; - is standard input')
    .option('--name <name>', 'name of the operator in the cluster', operatorName, options.name)
    .option('--namespaces <names>', 'namespaces that the operator serves, separated by commas (default: all)', names)
    .option('--field-manager <name>', 'field manager of the apply', 'kubectl')
  withFlags(withCluster(diff), 'diff', options).action(async (given) => {
    exits.failure = 2
    const { diff } = await import('./diff.ts')
    const writeNote = (text: string) => writeError(`${options.name}: ${text}\n`)
    const isDifferent = await diff(
      { ...given, ...kitOf(options, given), files: given.filename, write, writeError: writeNote },
      signal,
    )
    if (isDifferent) exits.success = 1
  })
}

function addGenerate(program: Command, { options, signal }: Building): void {
  program
    .command('generate')
    .description('write constructs, types and descriptors from the CRDs')
    .option('--crds <folder>', 'folder with the CRDs', 'crds')
    .option('--out <folder>', 'folder for the generated code', 'imports')
    .option('--check', 'write nothing; fail if anything would change')
    .action(async ({ crds, out, check }: { crds: string; out: string; check?: boolean }) =>
      (await import('./generate.ts')).generateCommand(
        {
          crdFolder: crds,
          outFolder: out,
          mode: check === true ? 'check' : 'write',
          program: options.name,
          write,
        },
        signal,
      ),
    )
}

function kitOf(program: OperatorCliOptions, given: Readonly<Record<string, unknown>>) {
  return { program, flags: flagValuesOf(program, given), environment: process.env }
}

interface Asked {
  /** Program and command, as in `websites run`. */
  readonly path: string
  /** Names of the commands below it. */
  readonly commands: readonly string[]
}

/** Returns the longest command path that the words name. */
function commandIn(program: Command, words: readonly string[]): Asked {
  const [word = ''] = words
  const command = program.commands.find((one) => one.name() === word)
  if (command === undefined) return { path: program.name(), commands: program.commands.map((one) => one.name()) }
  const asked = commandIn(command, words.slice(1))
  return { ...asked, path: `${program.name()} ${asked.path}` }
}

function report(
  thrown: unknown,
  { name, exits: { failure }, ...asked }: Asked & { readonly name: string; readonly exits: ExitCodes },
): number {
  if (thrown instanceof CommanderError) {
    // Help and version are already printed. Any other error is a wrong flag.
    if (thrown.exitCode === 0) return 0
    writeError(`${name}: ${wrongUse(thrown, asked)}\n`)
    return 2
  }
  writeError(`${name}: ${messageOf(thrown)}\n`)
  if (thrown instanceof CommandError) return Math.max(thrown.exitCode, failure)
  if (!(thrown instanceof CodedError) && thrown instanceof Error) writeError(`${thrown.stack}\n`)
  return failure
}

/** Commander's message as one sentence with what to choose from. */
function wrongUse({ code, message }: CommanderError, { path, commands }: Asked): string {
  const choices = commands.length === 0 ? '' : `: choose from ${commands.join(', ')}`
  if (code === 'commander.help') return `${path} needs a command${choices}`
  const problem = message
    .replace(/^error: /, '')
    .replace(/\.$/, '')
    .replaceAll('\n', ' ')
  return code === 'commander.unknownCommand' ? `${problem}${choices}` : `${problem}; ${path} --help lists all options`
}
