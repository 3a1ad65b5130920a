// Reference of konverge's program, from its own definition: each command with its options, their defaults and examples.
import { tmpdir } from 'node:os'
import type { Command, Option } from 'commander'
import { examplesOf } from '../../src/cli/command-examples.ts'
import { programWith } from '../../src/cli/command-line.ts'
import { konverge } from '../../src/cli/konverge-program.ts'
import { ownParts } from '../../src/cli/own-parts.ts'
import { code, head, plain, table } from './markdown.ts'

/** Jobs of the operator run this command and those below it. */
const workerPath = 'konverge worker'

const intro = `\`konverge\` is the program of the operator.
In a checkout, run \`npm run -s konverge -- <command>\`.
Every command has \`-h, --help\`; \`konverge --version\` prints the version.
[Exit codes](../command-line.md#exit-codes) are the same for all commands.
Your own operator has \`run\`, \`preview\`, \`diff\`, \`install\`, \`dev\` and \`generate\`
by [operatorCli](../command-line.md).`

const workerNote = `The operator runs these commands in Jobs of its image, and \`worker review\` as a child process.
Do not run them by hand: they carry out an order that the operator writes.`

/** Returns the program without parsing any arguments. */
export function konvergeProgram(): Command {
  return programWith({
    options: konverge,
    own: ownParts,
    exits: { failure: 1, success: 0 },
    signal: new AbortController().signal,
  })
}

/** Returns the commands with an action, in the order of the help. */
export function commandsOf(command: Command): readonly Command[] {
  return command.commands.flatMap((one) => (one.commands.length === 0 ? [one] : commandsOf(one)))
}

/** Returns the full path of a command, for example `konverge worker migrate`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** Returns the page as Markdown. */
export function commandLinePage(): string {
  const commands = commandsOf(konvergeProgram())
  const isOfWorker = (command: Command) => pathOf(command).startsWith(workerPath)
  const forUsers = commands.filter((command) => !isOfWorker(command))
  const rows = forUsers.map((command) => [
    `[${code(pathOf(command))}](#${pathOf(command).replaceAll(' ', '-')})`,
    plain(command.description()),
  ])
  return [
    head('Commands and options', 'the definition of the program'),
    intro,
    table(
      ['Command', 'Effect'],
      [...rows, [`[\`${workerPath} …\`](#commands-of-jobs)`, 'run long work of the operator']],
    ),
    ...forUsers.map((command) => section(command, '##')),
    `## Commands of Jobs\n\n${workerNote}`,
    ...commands.filter(isOfWorker).map((command) => section(command, '###')),
  ]
    .join('\n\n')
    .concat('\n')
}

function section(command: Command, level: string): string {
  const path = pathOf(command)
  const rows = command.options.map((option) => [
    code(option.flags),
    option.mandatory ? 'yes' : '',
    defaultOf(option),
    textOf(option),
  ])
  const shown = command.parent?.parent === null ? examplesOf(command.name(), konverge.name, ownParts.examples) : []
  return [
    `${level} ${path}`,
    plain(command.description()),
    ...(rows.length === 0
      ? ['This command has no options.']
      : [table(['Option', 'Required', 'Default', 'Description'], rows)]),
    ...(shown.length === 0 ? [] : [`Examples:\n\n${shown.map((line) => `    ${line}`).join('\n')}`]),
  ].join('\n\n')
}

/**
 * An option has its default in the definition, or at the end of its text. The page depends on no machine and no
 * version.
 */
const defaultInText = /^(.*) \(default: (.*)\)$/

function textOf({ description, argChoices }: Option): string {
  const text = plain(defaultInText.exec(description)?.[1] ?? description)
  return argChoices === undefined ? text : `${text}. Allowed: ${argChoices.map(code).join(', ')}`
}

function defaultOf({ description, defaultValue, defaultValueDescription, negate }: Option): string {
  const inText = defaultInText.exec(description)?.[2]
  if (inText !== undefined) return plain(inText)
  if (defaultValueDescription !== undefined) return plain(defaultValueDescription)
  if (negate || defaultValue === undefined) return ''
  return defaultValue === tmpdir()
    ? '`$TMPDIR` or `/tmp`'
    : code(String(defaultValue).replace(konverge.version, '<version>'))
}
