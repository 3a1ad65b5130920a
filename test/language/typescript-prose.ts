// Prose of a TypeScript file: comments, message literals and test titles. Invariant: every character keeps its line and
// column. So a finding in the prose has its position in the file.
import ts from 'typescript'
import { Prose } from './prose.ts'

/** Functions whose first argument is a title. */
const titleFunctions: ReadonlySet<string> = new Set(['describe', 'it', 'test'])
/** A literal with at least this many words is a message, not an identifier. */
const fewestWords = 4
const sql = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|GRANT|REVOKE|WITH|BEGIN|SET|DO|COPY|LOCK|COMMENT)\b/
/** Code in a docstring, up to the next tag. */
const example = /@example\b.*?(?=\n[ \t]*\*[ \t]*@|$)/gs
/** Comments that tools read. */
const directive = /^\s*(?:biome-ignore|@ts-|#region|\/|v8 ignore|<reference)/

export interface TypeScriptProseOptions {
  /** In a test, only titles of tests are prose among the literals. */
  readonly isTest: boolean
}

/** Returns the prose, as long as the text and with the same line breaks. */
export function typeScriptProse(path: string, text: string, { isTest }: TypeScriptProseOptions): string {
  const prose = new Prose(text)
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  for (const range of commentsOf(tree, text)) keepComment(prose, text, range)
  const isProse = isTest ? isTitle : isMessage
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isLiteralTypeNode(node)) return
    if (isProse(node)) keepLiteral(prose, node, tree)
    node.forEachChild(visit)
  }
  visit(tree)
  return prose.text()
}

type Literal = ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression

const isLiteral = (node: ts.Node): node is Literal =>
  ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)

function isMessage(node: ts.Node): node is Literal {
  if (!isLiteral(node)) return false
  const words = node.getText().match(/(?<![\w$-])[A-Za-z][a-z’'-]*(?![\w(])/g) ?? []
  const isSql = ts.isTaggedTemplateExpression(node.parent) || sql.test(node.getText().slice(1))
  return words.length >= fewestWords && !isSql
}

/** The first argument of `it('...')`, `describe('...')`, `it.each(table)('...')`. */
function isTitle(node: ts.Node): node is Literal {
  if (!isLiteral(node) || !ts.isCallExpression(node.parent) || node.parent.arguments[0] !== node) return false
  return titleFunctions.has(calledName(node.parent.expression))
}

function calledName(called: ts.Expression): string {
  if (ts.isIdentifier(called)) return called.text
  return ts.isPropertyAccessExpression(called) || ts.isCallExpression(called) ? calledName(called.expression) : ''
}

/** Each comment once, in order. */
function commentsOf(tree: ts.SourceFile, text: string): readonly ts.CommentRange[] {
  const found = new Map<number, ts.CommentRange>()
  const add = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const range of ranges ?? []) found.set(range.pos, range)
  }
  const visit = (node: ts.Node): void => {
    add(ts.getLeadingCommentRanges(text, node.getFullStart()))
    add(ts.getTrailingCommentRanges(text, node.getEnd()))
    for (const child of node.getChildren(tree)) visit(child)
  }
  visit(tree)
  return [...found.values()]
}

function keepComment(prose: Prose, text: string, { pos, end, kind }: ts.CommentRange): void {
  const isBlock = kind === ts.SyntaxKind.MultiLineCommentTrivia
  const [start, stop] = [pos + 2, isBlock ? end - 2 : end]
  if (directive.test(text.slice(start, stop))) return
  prose.keep(start, stop)
  // `/**` and the asterisk at the start of each line.
  const marks = isBlock ? /^\*|(?<=\n)[ \t]*\*/g : /^\/+/g
  for (const { 0: mark, index } of text.slice(start, stop).matchAll(marks))
    prose.drop(start + index, start + index + mark.length)
  if (isBlock)
    for (const { 0: code, index } of text.slice(start, stop).matchAll(example))
      prose.drop(start + index, start + index + code.length)
}

/**
 * Keeps a literal as its own paragraph: a full stop replaces its closing quote, and a word replaces each expression.
 */
function keepLiteral(prose: Prose, node: Literal, tree: ts.SourceFile): void {
  const [start, end] = [node.getStart(tree) + 1, node.getEnd() - 1]
  prose.keep(start, end)
  prose.end(end)
  if (!ts.isTemplateExpression(node)) return
  for (const { expression, literal } of node.templateSpans) {
    const [from, to] = [expression.getFullStart() - 2, literal.getStart(tree) + 1]
    prose.replace(from, to, 'X')
  }
}
