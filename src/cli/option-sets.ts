// Options that several commands share, and the flags of a program's controllers.
import { type Command, Help, InvalidArgumentError, Option } from 'commander'
import { CommandError } from './command-error.ts'
import { type MetricsKind, metricsKinds } from './metrics-option.ts'
import { names } from './option-values.ts'
import { type ControllerCommand, type FlagValues, longNameOf, type OperatorCliOptions } from './program.ts'

/** Adds the options that select the cluster and the user. */
export function withCluster(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig file (default: KUBECONFIG, the pod’s service account, ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current context)')
}

export function withControllers(command: Command, text = 'run only these controllers, separated by commas'): Command {
  return command.addOption(new Option('--controllers <names>', text).argParser(names).default([], 'all'))
}

/** Adds --metrics. `byDefault` is the default unless the program sets one. */
export function withMetrics(command: Command, byDefault: MetricsKind): Command {
  const text = `readers of /metrics: cluster users over HTTPS, this machine, everyone, or none (default: ${byDefault})`
  return command.addOption(new Option('--metrics <which>', text).choices(metricsKinds))
}

/**
 * Throws a CommandError of exit code 2 for a flag `--no-…`. From `--no-labels`, commander derives `labels`, which is
 * true unless the flag is given.
 */
export function assertFlags({ flags = [] }: OperatorCliOptions): void {
  for (const { flag } of flags) {
    if (!new Option(flag).negate) continue
    const name = longNameOf(flag)
    const better = `--skip-${name.slice('no-'.length)}`
    throw new CommandError(
      `the program defines the flag --${name}, and --no- would negate it; call it ${better}, for one`,
      2,
    )
  }
}

/** Adds the program's own flags of the command. */
export function withFlags(command: Command, name: ControllerCommand, { flags = [] }: OperatorCliOptions): Command {
  for (const { flag, text, check, commands } of flags) {
    if (commands !== undefined && !commands.includes(name)) continue
    command.option(flag, text, (value: string) => {
      const problem = check?.(value)
      if (problem !== undefined) throw new InvalidArgumentError(`${problem}.`)
      return value
    })
  }
  return command
}

/** Returns the values of the program's own flags from the options of a command. */
export function flagValuesOf({ flags = [] }: OperatorCliOptions, given: Readonly<Record<string, unknown>>): FlagValues {
  return Object.fromEntries(
    flags.flatMap(({ flag }) => {
      const value = given[new Option(flag).attributeName()]
      return typeof value === 'string' || value === true ? [[longNameOf(flag), value]] : []
    }),
  )
}

/** Returns the help text of an option, with its default as the user would write it instead of JSON. */
export function optionDescription(option: Option): string {
  const value: unknown = option.defaultValue
  if (typeof value === 'string') option.defaultValueDescription ??= value
  return new Help().optionDescription(option)
}
