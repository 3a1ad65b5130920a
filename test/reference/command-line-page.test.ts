import { expect, it } from 'vitest'
import { examples } from './command-examples.ts'
import { commandLinePage, commandsOf, konvergeProgram, pathOf } from './command-line-page.ts'

const page = commandLinePage()
const commands = commandsOf(konvergeProgram()).map((command) => ({ path: pathOf(command), command }))
const sectionOf = (path: string) => page.split(/^##+ /m).find((section) => section.startsWith(`${path}\n`)) ?? ''

it.each(commands)('lists every option of $path and no other', ({ path, command }) => {
  const rows = [...sectionOf(path).matchAll(/^\| `([^`]+)`/gm)].map(([, flags]) => flags)
  expect(sectionOf(path)).toContain(command.description())
  expect(rows).toEqual(command.options.map(({ flags }) => flags))
})

it.each(commands.filter(({ path }) => !path.startsWith('konverge worker')))('has an example of $path', ({ path }) => {
  expect(examples[path]?.length).toBeGreaterThan(0)
})

it.each(Object.values(examples).flat())('shows an example that the program accepts: %s', async (line) => {
  const [call = ''] = line.split('|').filter((part) => part.includes('konverge '))
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
