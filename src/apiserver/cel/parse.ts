// Recursive-descent parser of CEL. Macros expand as soon as their call is parsed.
// Source: github.com/google/cel-go/parser/gen/CEL.g4 and parser/parser.go, with optional syntax enabled.
import { literalValue } from './literals.ts'
import { expandMacro } from './macros.ts'
import { type CallExpression, type Expression, SyntaxFault } from './syntax.ts'
import { type Token, tokensOf } from './tokens.ts'

/** Returns the syntax tree. Throws SyntaxFault. */
export function parseExpression(source: string): Expression {
  if (source.length > maxLength && Array.from(source).length > maxLength)
    throw new SyntaxFault(
      0,
      `expression code point size exceeds limit: size: ${Array.from(source).length}, limit ${maxLength}`,
    )
  return new Parser(tokensOf(source)).read()
}

const maxLength = 100_000
const maxDepth = 250

const relations: ReadonlyMap<string, string> = new Map(
  ['<', '<=', '>=', '>', '==', '!='].map((mark) => [mark, `_${mark}_`]),
).set('in', '@in')
const sums: ReadonlyMap<string, string> = new Map(['+', '-'].map((mark) => [mark, `_${mark}_`]))
const products: ReadonlyMap<string, string> = new Map(['*', '/', '%'].map((mark) => [mark, `_${mark}_`]))

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])
const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)

class Parser {
  readonly #tokens: readonly Token[]
  #next = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  read(): Expression {
    const expression = this.#expression()
    if (this.#peek().kind !== 'end') throw this.#unexpected()
    return expression
  }

  #expression(): Expression {
    return this.#nested(() => {
      const condition = this.#logic('||', () => this.#logic('&&', () => this.#relation()))
      const mark = this.#take('?')
      if (mark === undefined) return condition
      const whenTrue = this.#logic('||', () => this.#logic('&&', () => this.#relation()))
      this.#expect(':')
      return call(mark.at, '_?_:_', [condition, whenTrue, this.#expression()])
    })
  }

  /** Chains of `&&` and `||` become balanced trees, which limits the depth. */
  #logic(mark: '&&' | '||', operand: () => Expression): Expression {
    const terms = [operand()]
    const marks: Token[] = []
    for (let found = this.#take(mark); found !== undefined; found = this.#take(mark)) {
      marks.push(found)
      terms.push(operand())
    }
    return balanced(`_${mark}_`, terms, marks, 0, marks.length - 1)
  }

  #relation(): Expression {
    return this.#chain(relations, () => this.#chain(sums, () => this.#chain(products, () => this.#unary())))
  }

  #chain(operators: ReadonlyMap<string, string>, operand: () => Expression): Expression {
    let left = operand()
    for (let length = 1; ; length++) {
      const token = this.#peek()
      const name = token.kind === 'mark' || token.text === 'in' ? operators.get(token.text) : undefined
      if (name === undefined) return left
      if (length > maxDepth) throw new SyntaxFault(0, `expression recursion limit exceeded: ${maxDepth}`)
      this.#next++
      left = call(token.at, name, [left, operand()])
    }
  }

  #unary(): Expression {
    const first = this.#peek()
    if (first.text === '!' && first.kind === 'mark') return this.#repeated(first, '!_')
    if (first.text !== '-' || first.kind !== 'mark') return this.#member()
    // A minus directly before a number belongs to the number.
    const after = this.#tokens[this.#next + 1]
    if (after?.kind === 'integer' || after?.kind === 'double') return this.#member()
    return this.#repeated(first, '-_')
  }

  #repeated(first: Token, name: string): Expression {
    let count = 0
    while (this.#peek().kind === 'mark' && this.#peek().text === first.text) {
      count++
      this.#next++
    }
    const operand = this.#member()
    return count % 2 === 0 ? operand : call(first.at, name, [operand])
  }

  #member(): Expression {
    let operand = this.#primary()
    for (let length = 1; ; length++) {
      if (length > maxDepth) throw new SyntaxFault(0, `expression recursion limit exceeded: ${maxDepth}`)
      const dot = this.#take('.')
      if (dot !== undefined) operand = this.#selection(operand, dot)
      else {
        const bracket = this.#take('[')
        if (bracket === undefined) return operand
        const isOptional = this.#take('?') !== undefined
        const index = this.#expression()
        this.#expect(']')
        operand = call(bracket.at, isOptional ? '_[?_]' : '_[_]', [operand, index])
      }
    }
  }

  #selection(operand: Expression, dot: Token): Expression {
    const isOptional = this.#take('?') !== undefined
    const field = this.#name()
    if (isOptional) return call(dot.at, '_?._', [operand, { kind: 'literal', at: field.at, value: field.text }])
    const open = this.#take('(')
    if (open === undefined) return { kind: 'select', at: dot.at, operand, field: field.text, isTest: false }
    return this.#called(open, field.text, operand)
  }

  #called(open: Token, name: string, target: Expression | undefined): Expression {
    const args = this.#separated(')', () => this.#expression())
    const plain: CallExpression = { kind: 'call', at: open.at, name, target, args }
    return expandMacro(plain) ?? plain
  }

  #primary(): Expression {
    const token = this.#peek()
    this.#next++
    switch (token.kind) {
      case 'name':
        return this.#named(token, '')
      case 'end':
        this.#next--
        throw this.#unexpected()
      case 'mark':
        return this.#marked(token)
      default:
        return { kind: 'literal', at: token.at, value: literalValue(token, '') }
    }
  }

  #marked(token: Token): Expression {
    switch (token.text) {
      case '(': {
        const inner = this.#expression()
        this.#expect(')')
        return inner
      }
      case '[':
        return this.#list(token)
      case '{':
        return this.#map(token)
      case '.': {
        const name = this.#name()
        return this.#named(name, '.')
      }
      case '-': {
        const number = this.#peek()
        this.#next++
        if (number.kind === 'integer' || number.kind === 'double')
          return { kind: 'literal', at: token.at, value: literalValue({ ...number, at: token.at }, '-') }
        this.#next--
        throw this.#unexpected()
      }
      default:
        this.#next--
        throw this.#unexpected()
    }
  }

  #named(token: Token, dot: '' | '.'): Expression {
    const constant = dot === '' ? constants.get(token.text) : undefined
    if (constant !== undefined) return { kind: 'literal', at: token.at, value: constant }
    if (token.text === 'in') {
      this.#next--
      throw this.#unexpected()
    }
    if (reserved.has(token.text)) throw new SyntaxFault(token.at, `reserved identifier: ${token.text}`)
    const open = this.#take('(')
    if (open !== undefined) return this.#called(open, dot + token.text, undefined)
    this.#refuseMessage()
    return { kind: 'name', at: token.at, name: dot + token.text }
  }

  /** Rejects `Name{…}`, which creates a protobuf message; API objects are none. */
  #refuseMessage(): void {
    let next = this.#next
    while (this.#tokens[next]?.text === '.' && this.#tokens[next + 1]?.kind === 'name') next += 2
    const brace = this.#tokens[next]
    if (brace?.text === '{' && brace.kind === 'mark')
      throw new SyntaxFault(brace.at, 'making messages of protocol buffers is not supported here')
  }

  #list(open: Token): Expression {
    const elements = this.#separated(
      ']',
      () => {
        const isOptional = this.#take('?') !== undefined
        return { value: this.#expression(), isOptional }
      },
      true,
    )
    return { kind: 'list', at: open.at, elements }
  }

  #map(open: Token): Expression {
    const entries = this.#separated(
      '}',
      () => {
        const isOptional = this.#take('?') !== undefined
        const key = this.#expression()
        this.#expect(':')
        return { key, value: this.#expression(), isOptional }
      },
      true,
    )
    return { kind: 'map', at: open.at, entries }
  }

  #separated<Item>(close: string, item: () => Item, mayTrail = false): Item[] {
    const items: Item[] = []
    if (mayTrail && this.#take(',') !== undefined) {
      this.#expect(close)
      return items
    }
    while (this.#take(close) === undefined) {
      if (items.length > 0) this.#expect(',')
      if (mayTrail && items.length > 0 && this.#take(close) !== undefined) return items
      items.push(item())
    }
    return items
  }

  #nested(read: () => Expression): Expression {
    if (++this.#depth > maxDepth) throw new SyntaxFault(0, `expression recursion limit exceeded: ${maxDepth}`)
    const expression = read()
    this.#depth--
    return expression
  }

  #name(): Token {
    const token = this.#peek()
    if (token.kind !== 'name' || constants.has(token.text) || token.text === 'in') throw this.#unexpected()
    this.#next++
    return token
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '<EOF>', space: '', at: 0 }
  }

  #take(mark: string): Token | undefined {
    const token = this.#peek()
    if (token.kind !== 'mark' || token.text !== mark) return undefined
    this.#next++
    return token
  }

  #expect(mark: string): void {
    if (this.#take(mark) === undefined) throw this.#unexpected(`expecting '${mark}'`)
  }

  #unexpected(expecting = 'that begins no expression here'): SyntaxFault {
    const token = this.#peek()
    return new SyntaxFault(token.at, `Syntax error: mismatched input '${token.text}' ${expecting}`)
  }
}

function call(at: number, name: string, args: readonly Expression[]): CallExpression {
  return { kind: 'call', at, name, target: undefined, args }
}

function balanced(
  name: string,
  terms: readonly Expression[],
  marks: readonly Token[],
  low: number,
  high: number,
): Expression {
  const middle = Math.floor((low + high + 1) / 2)
  const [mark, left, right] = [marks[middle], terms[middle], terms[middle + 1]]
  if (mark === undefined || left === undefined || right === undefined) return left ?? terms[0] ?? nothing
  return call(mark.at, name, [
    middle === low ? left : balanced(name, terms, marks, low, middle - 1),
    middle === high ? right : balanced(name, terms, marks, middle + 1, high),
  ])
}

const nothing: Expression = { kind: 'literal', at: 0, value: null }
