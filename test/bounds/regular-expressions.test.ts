// Regular expressions of the program take time linear in their text, unless a bound limits the text. Others restart at
// each character of a run: 100 KB of line breaks in a Secret blocked the operator's thread for 8 s.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'recheck'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = new URL('../..', import.meta.url).pathname

/** The embedded API server serves the user who starts it. */
const elsewhere = /^src\/apiserver\//

const name = 'begins with at most 52 characters of a name'
const known: Readonly<Record<string, readonly [count: number, bound: string]>> = {
  'src/base/kubernetes-yaml.ts': [1, 'file of the person who starts a command'],
  'src/controllers/backup/desired-work.ts': [1, name],
  'src/controllers/database/own-backup.ts': [1, name],
  'src/controllers/migration/desired-worker.ts': [1, name],
  'src/cli/allow-lists.ts': [1, 'option of the person who starts the operator'],
  'src/generate/erasable-syntax.ts': [2, 'text of the generator'],
  'src/generate/type-only-imports.ts': [1, 'text of the generator'],
  'src/object/quantity.ts': [1, '128 characters'],
}

interface Literal {
  readonly file: string
  readonly text: string
}

function literalsIn(file: string): readonly Literal[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest)
  const found: Literal[] = []
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) found.push({ file, text: node.getText(source) })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Checks a literal with `recheck`. */
async function isLinear({ text }: Literal): Promise<boolean> {
  const end = text.lastIndexOf('/')
  const { status } = await check(text.slice(1, end), text.slice(end + 1), { timeout: 30_000, randomSeed: 1 })
  return status === 'safe'
}

it('has only linear regular expressions, and bounds for others', { timeout: 300_000 }, async () => {
  const literals = ['src', 'constructs']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter((file) => file.endsWith('.ts') && !elsewhere.test(file))
    .flatMap(literalsIn)
  expect(literals.length).toBeGreaterThan(200)
  const found = new Map<string, number>()
  for (const literal of literals) {
    if (!(await isLinear(literal))) found.set(literal.file, (found.get(literal.file) ?? 0) + 1)
  }
  const bounds = Object.entries(known).map(([file, [count]]) => [file, count] as const)
  expect(Object.fromEntries(found), 'make it linear, or give its bound').toEqual(Object.fromEntries(bounds))
})
