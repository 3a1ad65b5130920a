import { expect, it } from 'vitest'
import { type CommandExamples, examplesOf } from '../../src/cli/command-examples.ts'
import { ownParts } from '../../src/cli/own-parts.ts'
import { commandLinePage, commandsOf, konvergeProgram, pathOf } from './command-line-page.ts'

const page = commandLinePage()
const commands = commandsOf(konvergeProgram()).map((command) => ({ path: pathOf(command), command }))
const sectionOf = (path: string) => page.split(/^##+ /m).find((section) => section.startsWith(`${path}\n`)) ?? ''

it.each(commands)('lists every option of $path and no other', ({ path, command }) => {
  const rows = [...sectionOf(path).matchAll(/^\| `([^`]+)`/gm)].map(([, flags]) => flags)
  expect(sectionOf(path)).toContain(command.description())
  expect(rows).toEqual(command.options.map(({ flags }) => flags))
})

const forUsers = commands.filter(({ path }) => !path.startsWith('konverge worker'))

it.each(forUsers)('has an example of $path, also in its help', ({ path, command }) => {
  const lines = examplesOf(command.name(), 'konverge', ownParts.examples)
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(sectionOf(path)).toContain(`    ${line}\n`)
  const help: string[] = []
  command.configureOutput({ writeOut: (text) => void help.push(text) }).outputHelp()
  expect(help.join('')).toContain(`\nExamples:\n  ${lines.join('\n  ')}\n`)
})

const lines = (own?: CommandExamples) => forUsers.flatMap(({ command }) => examplesOf(command.name(), 'konverge', own))

it.each([...lines(ownParts.examples), ...lines()])('shows an example that the program accepts: %s', async (line) => {
  const [call = ''] = line.split(/[|<]/)
  const words = [...call.trim().matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
  const program = konvergeProgram()
  const ran: string[] = []
  for (const command of commandsOf(program)) command.action(() => void ran.push(pathOf(command)))
  await program.parseAsync(['node', ...words])
  expect(ran).toEqual([`konverge ${words[1]}`])
})

it('shows the same defaults on every machine and in every version', () => {
  expect(page).toContain('| `--scratch <folder>` | | `$TMPDIR` or `/tmp` |')
  expect(page).not.toMatch(/\b\d+\.\d+\.\d+-|localhost\/konverge:\d/)
  expect(page).toContain('`localhost/konverge:<version>`')
})
