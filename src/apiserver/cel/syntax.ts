// Syntax tree of an expression, with expanded macros.
// Source: github.com/google/cel-go/common/ast.
import type { Value } from './value.ts'

interface Node {
  /** Position in the text, as an index of code points; errors point to it. */
  readonly at: number
}

export interface LiteralExpression extends Node {
  readonly kind: 'literal'
  readonly value: Value
}

export interface NameExpression extends Node {
  readonly kind: 'name'
  readonly name: string
}

export interface SelectExpression extends Node {
  readonly kind: 'select'
  readonly operand: Expression
  readonly field: string
  /** True for `has()`: tests the presence of the field. */
  readonly isTest: boolean
}

export interface CallExpression extends Node {
  readonly kind: 'call'
  /** Operators are functions too: `_+_`. */
  readonly name: string
  readonly target: Expression | undefined
  readonly args: readonly Expression[]
}

export interface ListExpression extends Node {
  readonly kind: 'list'
  readonly elements: readonly { readonly value: Expression; readonly isOptional: boolean }[]
}

export interface MapExpression extends Node {
  readonly kind: 'map'
  readonly entries: readonly { readonly key: Expression; readonly value: Expression; readonly isOptional: boolean }[]
}

/** Expansion of every macro over a list or map: a loop that accumulates in one variable. */
export interface FoldExpression extends Node {
  readonly kind: 'fold'
  readonly range: Expression
  readonly variable: string
  /** With two variables, the first is the index or key, the second the value. */
  readonly secondVariable: string | undefined
  readonly collector: string
  readonly initial: Expression
  readonly condition: Expression
  readonly step: Expression
  readonly result: Expression
}

export type Expression =
  | LiteralExpression
  | NameExpression
  | SelectExpression
  | CallExpression
  | ListExpression
  | MapExpression
  | FoldExpression

/** Fault of an expression, with its position. */
export interface Fault {
  readonly at: number
  readonly message: string
}

/** Syntax error; `at` is its position. */
export class SyntaxFault extends Error implements Fault {
  override readonly name = 'SyntaxFault'
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** Returns all expressions of a tree, parents first. */
export function* expressionsOf(expression: Expression): Generator<Expression> {
  yield expression
  for (const child of childrenOf(expression)) yield* expressionsOf(child)
}

function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return []
    case 'select':
      return [expression.operand]
    case 'call':
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args]
    case 'list':
      return expression.elements.map(({ value }) => value)
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value])
    case 'fold':
      return [expression.range, expression.initial, expression.condition, expression.step, expression.result]
  }
}

/**
 * Formats a message with its position: `ERROR: <input>:1:5: …`, the line, and a pointer below it, which is wide below
 * wide characters.
 */
export function locatedText(source: string, at: number, message: string): string {
  const points = Array.from(source)
  const before = points.slice(0, at)
  const start = before.lastIndexOf('\n') + 1
  const line = before.filter((point) => point === '\n').length + 1
  const end = points.indexOf('\n', start)
  const shown = points.slice(start, end < 0 ? undefined : end).map((point) => (point === '\t' ? ' ' : point))
  const column = at - start
  const isWide = (index: number) => (shown[index] ?? '') > '\u007f'
  const dots = shown.slice(0, column).map((_, index) => (isWide(index) ? '\uff0e' : '.'))
  const pointer = `${dots.join('')}${isWide(column) ? '\uff3e' : '^'}`
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${shown.join('')}\n | ${pointer}`
}
