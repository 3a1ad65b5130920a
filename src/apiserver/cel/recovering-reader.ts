// Error recovery of an ANTLR parser: it deletes a token, inserts one, or skips to a token that may follow an open rule.
// It reports no
// further fault until a token matches.
// Source: github.com/antlr4-go/antlr/v4/error_strategy.go.
import type { Fault } from './syntax.ts'
import type { Token } from './tokens.ts'

/** Tokens that may come next within a rule; the empty text stands for the rule's end. */
export type Next = ReadonlySet<string>

/** The rule's end, in a Next. */
export const end = ''

const maxFaults = 100

/** Ends the rule that throws it. */
class Unmatched {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** Ends the whole parse. */
export class Hopeless {}

/** Reads tokens for a grammar, which a subclass defines. */
export class RecoveringReader {
  /** In order of detection. */
  readonly faults: Fault[] = []
  readonly #tokens: readonly Token[]
  /** Tokens that may follow each open rule at its call. */
  readonly #follows: Next[] = []
  #next = 0
  /** True while faults are suppressed, until a token matches. */
  #isRecovering = false
  #lastError = { index: -1, places: new Set<string>() }

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  protected rule(follow: Next, name: string, read: () => void): void {
    this.#follows.push(follow)
    try {
      read()
    } catch (thrown) {
      if (!(thrown instanceof Unmatched)) throw thrown
      this.#report(thrown.message)
      this.#recover(name)
    }
    this.#follows.pop()
  }

  /** Skips to a token at which an open rule may continue. */
  #recover(place: string): void {
    const last = this.#lastError
    if (last.index === this.#next && last.places.has(place)) this.#skip()
    if (last.index !== this.#next) this.#lastError = { index: this.#next, places: new Set() }
    this.#lastError.places.add(place)
    this.#skipUntil(new Set(this.#follows.flatMap((follow) => [...follow])))
  }

  #skipUntil(wanted: Next): void {
    while (this.type() !== '<EOF>' && !wanted.has(this.type())) this.#skip()
  }

  #skip(): void {
    if (this.type() !== '<EOF>') this.#next++
  }

  /** Before an alternative: deletes a token that does not match if the next one does. */
  protected sync(expected: Next): void {
    if (this.#isRecovering || expected.has(this.type())) return
    if (!this.#leavesOut(expected)) throw this.#mismatch(expected)
  }

  protected syncLoop(expected: Next): void {
    if (this.#isRecovering || expected.has(this.type())) return
    this.#report(`extraneous input ${this.#shown()} expecting ${shownTypes(expected)}`)
    this.#skipUntil(new Set([...expected, ...this.#follows.flatMap((follow) => [...follow])]))
  }

  protected match(type: string, after: Next): void {
    if (this.take(type)) return
    if (this.#leavesOut(new Set([type]))) {
      this.take(type)
      return
    }
    if (!this.#inContext(after).has(this.type())) throw this.#mismatch(new Set([type]))
    this.#report(`missing ${type} at ${this.#shown()}`)
  }

  #leavesOut(expected: Next): boolean {
    if (!expected.has(this.type(1))) return false
    this.#report(`extraneous input ${this.#shown()} expecting ${shownTypes(expected)}`)
    this.#skip()
    this.#isRecovering = false
    return true
  }

  /** Adds the tokens that may follow the rules that could end here. */
  #inContext(local: Next): Next {
    const found = new Set(local)
    for (const follow of this.#follows.toReversed()) {
      if (!found.delete(end)) return found
      for (const type of follow) found.add(type)
    }
    return found.delete(end) ? found.add('<EOF>') : found
  }

  #mismatch(expected: Next): Unmatched {
    return new Unmatched(`mismatched input ${this.#shown()} expecting ${shownTypes(expected)}`)
  }

  /** `ahead` is the distance to the deciding token. */
  protected noAlternative(ahead: number): Unmatched {
    const [first, ...more] = this.#tokens.slice(this.#next, this.#next + ahead + 1)
    const last = this.#token(ahead)
    const rest = more.map(({ kind, space, text }) => `${space}${kind === 'end' ? '' : text}`)
    const text = `${first?.text ?? '<EOF>'}${rest.join('')}`
    const unmatched = new Unmatched(`no viable alternative at input ${quoted(text)}`)
    this.#report(reworded(unmatched.message), last)
    return unmatched
  }

  #report(message: string, at: Token = this.#token()): void {
    if (this.#isRecovering) return
    this.#isRecovering = true
    this.faults.push({ at: at.at, message: `Syntax error: ${message}` })
    if (this.faults.length >= maxFaults) throw new Hopeless()
  }

  protected take(type: string): boolean {
    if (this.type() !== type) return false
    if (type !== '<EOF>') this.#next++
    this.#isRecovering = false
    this.#lastError = { index: -1, places: new Set() }
    return true
  }

  protected takeOneOf(some: Next): boolean {
    return some.has(this.type()) && this.take(this.type())
  }

  /** Accepts a trailing comma of a list. */
  protected takeCommaBefore(start: Next): boolean {
    return this.type() === "','" && start.has(this.type(1)) && this.take("','")
  }

  protected isNumber(ahead: number): boolean {
    return this.type(ahead) === 'NUM_INT' || this.type(ahead) === 'NUM_FLOAT'
  }

  #token(ahead = 0): Token {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)] ?? endOfText
  }

  protected type(ahead = 0): string {
    return typeOf(this.#token(ahead))
  }

  #shown(): string {
    return quoted(this.#token().text)
  }
}

/** Token types in the order and form of ANTLR's messages. */
const types =
  "<EOF> '==' '!=' 'in' '<' '<=' '>=' '>' '&&' '||' '[' ']' '{' '}' '(' ')' '.' ',' '-' '!' '?' ':' '+' '*' '/' '%' 'true' 'false' 'null' NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER ESC_IDENTIFIER".split(
    ' ',
  )

const endOfText: Token = { kind: 'end', text: '<EOF>', space: '', at: 0 }

const kindTypes: Readonly<Record<Exclude<Token['kind'], 'name' | 'mark'>, string>> = {
  integer: 'NUM_INT',
  unsigned: 'NUM_UINT',
  double: 'NUM_FLOAT',
  text: 'STRING',
  bytes: 'BYTES',
  end: '<EOF>',
}
const words: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null'])

function typeOf({ kind, text }: Token): string {
  if (kind === 'mark' || (kind === 'name' && words.has(text))) return `'${text}'`
  return kind === 'name' ? 'IDENTIFIER' : kindTypes[kind]
}

function shownTypes(expected: Next): string {
  const shown = types.filter((type) => expected.has(type))
  return shown.length === 1 ? (shown[0] ?? '') : `{${shown.join(', ')}}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
}

/** Rewords the message about a reserved word instead of a name. Source: parser.go, SyntaxError. */
function reworded(message: string): string {
  return message.replace(
    /no viable alternative at input '.(true|false|null)'/,
    "mismatched input '$1' expecting IDENTIFIER",
  )
}
