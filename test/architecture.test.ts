// House rules of the code that imports alone do not show. Each failure names the file, the rule and the replacement.
// Dependency-cruiser checks import direction and cycles, with the same table.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = new URL('..', import.meta.url).pathname

/** Files named by these nouns act; every other file of src/ is pure. */
const agentNouns =
  /(^|[-/])(watcher|worker|applier|provisioner|runner|elector|recorder|reconciler|client|driver|server|loader|handler|informer|informers|informer-view|operator|step)\.ts$/

/** A controller's own declaration holds its `observe` and `cleanup`. */
const controllerDeclarations = /^src\/controllers\/([^/]+)\/\1\.ts$/

/** Globals that only their seam may use, and the replacement for all other code. */
const seams = [
  { pattern: /\bDate\.now\b|\bnew Date\(\)/, allowed: /^src\/base\/clock\.ts$/, instead: 'the Clock that comes in' },
  { pattern: /\bset(Timeout|Interval)\b/, allowed: /^src\/base\/clock\.ts$/, instead: 'Clock.setTimer' },
  {
    pattern: /\bMath\.random\b|\brandomUUID\b|\brandomBytes\b/,
    allowed: /^src\/base\/random\.ts$/,
    instead: 'the Random that comes in',
  },
  { pattern: /\bprocess\.env\b/, allowed: /^src\/cli\//, instead: 'an option, read from the environment in cli/' },
  {
    pattern: /\bconsole\./,
    allowed: /^$/,
    instead: 'Log of base/instrument, or the output stream handed to a command',
  },
  { pattern: /\b(app\.synth|synthYaml|Testing\.(app|chart|synth))\(/, allowed: /^$/, instead: 'synthesize of synth/' },
]

const sources = filesBelow('src').map((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }
})

describe('the source code', () => {
  it('lets only agents await', () => {
    const offenders = sources
      .filter(({ path }) => !agentNouns.test(path) && !controllerDeclarations.test(path))
      .filter(({ path }) => !path.startsWith('src/cli/') && !path.startsWith('src/testing/'))
      .filter(({ tree }) =>
        contains(tree, (node) => ts.isAwaitExpression(node) || isAsyncFunction(node) || isForAwait(node)),
      )
      .map(({ path }) => path)
    expect(offenders, 'name the file by an agent noun, or make it pure').toEqual([])
  })

  it.each(seams)('keeps $pattern behind its seam', ({ pattern, allowed, instead }) => {
    const offenders = sources
      .filter(({ path, text }) => !allowed.test(path) && pattern.test(codeOf(text)))
      .map(({ path }) => path)
    expect(offenders, `use ${instead}`).toEqual([])
  })

  it('describes each file in its first lines', () => {
    const offenders = sources.filter(({ text }) => !/^(#!.*\n)?\/\/ .{20}/.test(text)).map(({ path }) => path)
    expect(offenders, 'start the file with one to five comment lines').toEqual([])
  })

  it('has no file over 400 lines and no function over 70', () => {
    const offenders = sources.flatMap(({ path, text, tree }) => [
      ...(text.split('\n').length > 401 ? [`${path}: ${text.split('\n').length} lines`] : []),
      ...longFunctions(tree).map((name) => `${path}: ${name}`),
    ])
    expect(offenders, 'split by concept').toEqual([])
  })

  it('has no drawers', () => {
    const drawers = sources
      .map(({ path }) => path)
      .filter((path) => /(^|\/)(utils?|helpers?|common|types|constants)(\.ts|\/)/.test(path))
    expect(drawers, 'name the file after its concept').toEqual([])
  })

  it('has no default export, no barrel and no any outside generated code', () => {
    const offenders = sources.filter(({ tree }) => contains(tree, isBanned)).map(({ path }) => path)
    expect(offenders, 'export by name from where it is; type what comes in as unknown').toEqual([])
  })
})

function isBanned(node: ts.Node): boolean {
  const isExportStar = ts.isExportDeclaration(node) && node.exportClause === undefined
  return (
    isExportStar ||
    ts.isExportAssignment(node) ||
    node.kind === ts.SyntaxKind.AnyKeyword ||
    ts.isNonNullExpression(node)
  )
}

function isAsyncFunction(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)
  )
}

function isForAwait(node: ts.Node): boolean {
  return ts.isForOfStatement(node) && node.awaitModifier !== undefined
}

function contains(node: ts.Node, found: (node: ts.Node) => boolean): boolean {
  return found(node) || (ts.forEachChild(node, (child) => contains(child, found) || undefined) ?? false)
}

function longFunctions(tree: ts.SourceFile): string[] {
  const long: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const lines = lineOf(tree, node.getEnd()) - lineOf(tree, node.getStart()) + 1
      if (lines > 70) long.push(`function at line ${lineOf(tree, node.getStart()) + 1} has ${lines} lines`)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return long
}

function lineOf(tree: ts.SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line
}

/** Returns the text without comments, because a comment may name what code may not use. */
function codeOf(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '')
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort()
}
