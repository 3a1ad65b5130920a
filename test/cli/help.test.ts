import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { programWith } from '../../src/cli/command-line.ts'
import { konverge } from '../../src/cli/konverge-program.ts'
import { ownParts } from '../../src/cli/own-parts.ts'

const commandsIn = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(commandsIn)]
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`

const program = programWith({
  options: konverge,
  own: ownParts,
  exits: { failure: 1, success: 0 },
  signal: new AbortController().signal,
})
const helps = commandsIn(program).map((command) => ({
  command: pathOf(command),
  help: command.helpInformation().replace(/\s+/g, ' '),
}))

it.each(helps)('help of $command shows defaults as users write them', ({ help }) => {
  expect(help).not.toMatch(/\[\]|\{\}|undefined|\[object|null|NaN|default: "/)
})

it.each(['konverge run', 'konverge install', 'konverge apiserver'])(
  'help of %s names the default of --controllers',
  (path) => {
    const help = helps.find(({ command }) => command === path)?.help
    expect(help).toMatch(/--controllers <names> [^()]*\(default: all\)/)
  },
)
