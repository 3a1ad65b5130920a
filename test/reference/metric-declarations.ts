// Metrics that src/ declares: each call of `counter`, `gauge` or `histogram` of the port Metrics. Invariant: a call
// with unreadable arguments is an error, so no metric is left out.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export interface MetricDeclaration {
  /** Folder of src/ that declares the metric. */
  readonly module: string
  readonly name: string
  readonly type: MetricType
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds of a histogram. */
  readonly buckets: readonly number[]
}

type MetricType = (typeof metricTypes)[number]
type Value = string | number | readonly Value[]

const metricTypes = ['counter', 'gauge', 'histogram'] as const
const source = new URL('../../src/', import.meta.url)

/** Returns all metrics, sorted by name. */
export function metricDeclarations(): readonly MetricDeclaration[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => declarationsIn(path, readFileSync(new URL(path, source), 'utf8')))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
}

/** Returns the metrics of one file; `path` is relative to src/. */
export function declarationsIn(path: string, text: string): readonly MetricDeclaration[] {
  if (!/\bmetrics\.(?:counter|gauge|histogram)\(/i.test(text)) return []
  const file = ts.createSourceFile(fileURLToPath(new URL(path, source)), text, ts.ScriptTarget.Latest, true)
  const found: MetricDeclaration[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression
      const type = metricTypes.find((one) => one === name.text)
      if (type !== undefined && /metrics$/i.test(expression.getText())) {
        found.push({ module: path.split('/')[0] ?? '', type, ...optionsOf(node.arguments[0], file) })
      }
    }
    node.forEachChild(visit)
  }
  visit(file)
  return found
}

function optionsOf(node: ts.Node | undefined, file: ts.SourceFile) {
  if (node === undefined || !ts.isObjectLiteralExpression(node)) throw unreadable(node, file)
  const valueAt = (key: string): Value | undefined => {
    const property = node.properties.find((one) => one.name?.getText() === key)
    if (property === undefined) return undefined
    if (ts.isShorthandPropertyAssignment(property)) return readValue(property.name, file)
    if (ts.isPropertyAssignment(property)) return readValue(property.initializer, file)
    throw unreadable(property, file)
  }
  const [name, help, labels, buckets = []] = ['name', 'help', 'labels', 'buckets'].map(valueAt)
  if (typeof name !== 'string' || typeof help !== 'string') throw unreadable(node, file)
  if (!Array.isArray(labels) || !Array.isArray(buckets)) throw unreadable(node, file)
  return { name, help, labels: labels.map(String), buckets: buckets.map(Number) }
}

/** Returns the value of a literal, or of a constant of this file or of a file that it imports from. */
function readValue(node: ts.Expression, file: ts.SourceFile): Value {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isNumericLiteral(node)) return Number(node.text.replaceAll('_', ''))
  if (ts.isArrayLiteralExpression(node)) return node.elements.map((element) => readValue(element, file))
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) => `${readValue(expression, file)}${literal.text}`)
    return `${node.head.text}${spans.join('')}`
  }
  if (ts.isIdentifier(node)) return constantOf(node, file)
  throw unreadable(node, file)
}

function constantOf(name: ts.Identifier, file: ts.SourceFile): Value {
  const initializer = initializerIn(file, name.text)
  if (initializer !== undefined) return readValue(initializer, file)
  const imported = file.statements
    .filter(ts.isImportDeclaration)
    .find(({ importClause }) => new RegExp(`\\b${name.text}\\b`).test(importClause?.getText() ?? ''))
  if (imported === undefined || !ts.isStringLiteral(imported.moduleSpecifier)) throw unreadable(name, file)
  const path = fileURLToPath(new URL(imported.moduleSpecifier.text, `file://${file.fileName}`))
  const other = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const exported = initializerIn(other, name.text)
  if (exported === undefined) throw unreadable(name, file)
  return readValue(exported, other)
}

function initializerIn(node: ts.Node, name: string): ts.Expression | undefined {
  if (ts.isVariableDeclaration(node) && node.name.getText() === name) return node.initializer
  return ts.forEachChild(node, (child) => initializerIn(child, name))
}

function unreadable(node: ts.Node | undefined, file: ts.SourceFile): Error {
  return new Error(`${file.fileName}: write the options of the metric as literals and constants: ${node?.getText()}`)
}
