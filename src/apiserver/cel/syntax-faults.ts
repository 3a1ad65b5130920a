// Syntax errors of an expression, with the messages and positions of the ANTLR parser. The reader walks the grammar
// with that parser's
// error recovery: delete a token, insert one, or skip to one that may follow.
// Source: github.com/google/cel-go/parser/gen/CEL.g4, github.com/antlr4-go/antlr/v4/error_strategy.go.
import { end, Hopeless, type Next, RecoveringReader } from './recovering-reader.ts'
import type { Fault } from './syntax.ts'
import { readTokens } from './tokens.ts'

/** Returns the faults in order of detection; none for a valid expression. */
export function syntaxFaults(source: string): readonly Fault[] {
  const { tokens, faults } = readTokens(source)
  const reader = new GrammarReader(tokens)
  reader.read()
  return [...faults, ...reader.faults]
}

const of = (text: string, ...more: readonly Next[]): Next =>
  new Set([...text.split(' ').map((type) => (type === 'end' ? end : type)), ...more.flatMap((next) => [...next])])

const member = of("'[' '{' '(' '.' '-' 'true' 'false' 'null' NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER")
const expression = of("'!'", member)
const optionalExpression = of("'?'", expression)
const identifier = of('IDENTIFIER ESC_IDENTIFIER')
const optionalField = of("'?'", identifier)
const relations = of("'<' '<=' '>=' '>' '==' '!=' 'in'")
const sums = of("'*' '/' '%' '+' '-'")
const next = {
  end: of('end'),
  endOfText: of('<EOF>'),
  condition: of("'?' end"),
  colon: of("':'"),
  or: of("'||' end"),
  and: of("'&&' end"),
  relation: of('end', relations),
  sum: of('end', sums),
  member: of("'.' '[' end"),
  closing: of("')'"),
  bracket: of("']'"),
  argument: of("',' end"),
  argumentsOrClosing: of("')'", expression),
  listEnd: of("',' ']'"),
  mapEnd: of("',' '}'"),
  listOrEnd: of("',' ']'", optionalExpression),
  mapOrEnd: of("',' '}'", optionalExpression),
  fieldsOrEnd: of("',' '}'", optionalField),
}

const maxDepth = 250

class GrammarReader extends RecoveringReader {
  #depth = 0

  read(): void {
    try {
      this.rule(next.end, 'start', () => {
        this.#expression(next.endOfText)
        this.match('<EOF>', next.end)
      })
    } catch (thrown) {
      if (!(thrown instanceof Hopeless)) throw thrown
    }
  }

  #expression(follow: Next): void {
    if (++this.#depth > maxDepth) {
      this.faults.push({ at: 0, message: `expression recursion limit exceeded: ${maxDepth}` })
      throw new Hopeless()
    }
    this.rule(follow, 'expr', () => {
      this.#or(next.condition)
      if (!this.take("'?'")) return
      this.#or(next.colon)
      this.match("':'", expression)
      this.#expression(next.end)
    })
    this.#depth--
  }

  #or(follow: Next): void {
    this.rule(follow, 'or', () => {
      do this.#and(next.or)
      while (this.take("'||'"))
    })
  }

  #and(follow: Next): void {
    this.rule(follow, 'and', () => {
      do this.#relation(next.and)
      while (this.take("'&&'"))
    })
  }

  #relation(follow: Next): void {
    this.rule(follow, 'relation', () => {
      do this.#sum(next.relation)
      while (this.takeOneOf(relations))
    })
  }

  #sum(follow: Next): void {
    this.rule(follow, 'sum', () => {
      do this.#unary(next.sum)
      while (this.takeOneOf(sums))
    })
  }

  #unary(follow: Next): void {
    this.rule(follow, 'unary', () => {
      this.sync(expression)
      if (this.take("'!'"))
        do this.syncLoop(expression)
        while (this.take("'!'"))
      else
        while (this.type() === "'-'" && !this.isNumber(1)) {
          if (!member.has(this.type(1))) throw this.noAlternative(1)
          this.take("'-'")
        }
      this.#member(next.end)
    })
  }

  #member(follow: Next): void {
    this.rule(follow, 'member', () => {
      this.#primary(next.member)
      for (;;) {
        if (this.type() === "'.'") this.#selection()
        else if (this.take("'['")) {
          this.sync(optionalExpression)
          this.take("'?'")
          this.#expression(next.bracket)
          this.match("']'", next.member)
        } else return
      }
    })
  }

  #selection(): void {
    if (this.type(1) !== "'?'" && !identifier.has(this.type(1))) throw this.noAlternative(1)
    const isCall = this.type(1) === 'IDENTIFIER' && this.type(2) === "'('"
    this.take("'.'")
    this.take("'?'")
    if (isCall) {
      this.take('IDENTIFIER')
      this.#arguments(next.member)
    } else this.#identifier(next.member)
  }

  #arguments(after: Next): void {
    this.take("'('")
    this.sync(next.argumentsOrClosing)
    if (expression.has(this.type()))
      this.rule(next.closing, 'arguments', () => {
        do this.#expression(next.argument)
        while (this.take("','"))
      })
    this.match("')'", after)
  }

  #identifier(follow: Next): void {
    this.rule(follow, 'identifier', () => {
      this.sync(identifier)
      if (!this.takeOneOf(identifier)) throw this.noAlternative(0)
    })
  }

  #primary(follow: Next): void {
    this.rule(follow, 'primary', () => {
      this.sync(member)
      const type = this.type()
      if (!member.has(type)) throw this.noAlternative(0)
      if (type === "'('") {
        this.take("'('")
        this.#expression(next.closing)
        this.match("')'", next.end)
      } else if (type === "'['") this.#list()
      else if (type === "'{'") this.#map()
      else if (type === "'.'" || type === 'IDENTIFIER') this.#name()
      else {
        if (type === "'-'" && !this.isNumber(1)) throw this.noAlternative(1)
        this.take("'-'")
        this.take(this.type())
      }
    })
  }

  #name(): void {
    if (this.type() === "'.'" && this.type(1) !== 'IDENTIFIER') throw this.noAlternative(1)
    const isMessage = this.#isMessage()
    this.take("'.'")
    this.take('IDENTIFIER')
    if (isMessage) {
      while (this.take("'.'")) this.take('IDENTIFIER')
      this.take("'{'")
      this.sync(next.fieldsOrEnd)
      if (optionalField.has(this.type())) this.#entries(optionalField, (follow) => this.#field(follow))
      this.#closed("'}'", next.mapEnd)
    } else if (this.type() === "'('") this.#arguments(next.end)
  }

  #isMessage(): boolean {
    let ahead = this.type() === "'.'" ? 2 : 1
    while (this.type(ahead) === "'.'" && this.type(ahead + 1) === 'IDENTIFIER') ahead += 2
    return this.type(ahead) === "'{'"
  }

  #list(): void {
    this.take("'['")
    this.sync(next.listOrEnd)
    if (optionalExpression.has(this.type()))
      this.rule(next.listEnd, 'list', () => {
        do this.#optional(next.argument)
        while (this.takeCommaBefore(optionalExpression))
      })
    this.#closed("']'", next.listEnd)
  }

  #map(): void {
    this.take("'{'")
    this.sync(next.mapOrEnd)
    if (optionalExpression.has(this.type())) this.#entries(optionalExpression, (follow) => this.#optional(follow))
    this.#closed("'}'", next.mapEnd)
  }

  #entries(start: Next, key: (follow: Next) => void): void {
    this.rule(next.mapEnd, 'entries', () => {
      do {
        key(next.colon)
        this.match("':'", expression)
        this.#expression(next.argument)
      } while (this.takeCommaBefore(start))
    })
  }

  #optional(follow: Next): void {
    this.rule(follow, 'optional', () => {
      this.sync(optionalExpression)
      this.take("'?'")
      this.#expression(next.end)
    })
  }

  #field(follow: Next): void {
    this.rule(follow, 'field', () => {
      this.sync(optionalField)
      this.take("'?'")
      this.#identifier(next.end)
    })
  }

  #closed(close: string, ends: Next): void {
    this.sync(ends)
    this.take("','")
    this.match(close, next.end)
  }
}
