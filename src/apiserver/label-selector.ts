// Label selectors, set-based forms included, with upstream's grammar and error texts.
// Source: k8s.io/apimachinery/pkg/labels/selector.go.
import { errorText, invalid } from './field-error.ts'
import { labelKeyFaults, labelValueFaults } from './name-rules.ts'
import { badRequest } from './status-error.ts'

type Operator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

export interface Requirement {
  readonly key: string
  readonly operator: Operator
  readonly values: readonly string[]
}

export type Labels = Readonly<Record<string, string>>

/** Parses a selector; an empty list matches everything. Throws StatusError (400) with upstream's text. */
export function parseLabelSelector(text: string): readonly Requirement[] {
  try {
    return new Parser(tokensOf(text)).parse()
  } catch (thrown) {
    if (thrown instanceof SyntaxFault)
      throw badRequest(
        `unable to parse requirement: ${thrown.message}`.replace(/^unable to parse requirement: (?=!)/, ''),
      )
    throw thrown
  }
}

export function matchesLabels(requirements: readonly Requirement[], labels: Labels | undefined): boolean {
  return requirements.every((requirement) => fits(requirement, labels ?? {}))
}

function fits({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value)
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
    case 'lt': {
      const [limit] = values
      if (value === undefined || limit === undefined || !isInteger(value) || !isInteger(limit)) return false
      return operator === 'gt' ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit)
    }
  }
}

class SyntaxFault extends Error {}

interface Token {
  readonly kind: 'identifier' | 'operator' | 'end' | 'fault'
  readonly text: string
}

const operators: ReadonlySet<string> = new Set(['!', '=', '==', '!=', '>', '<', '(', ')', ','])
const special = /[=!(),><]/
const binaryOperators = 'in, notin, =, ==, !=, gt, lt'

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const character = text.charAt(at)
    if (/[ \t\r\n]/.test(character)) at++
    else if (special.test(character)) {
      const word = longestOperator(text, at)
      tokens.push({ kind: 'operator', text: word })
      at += word.length
    } else {
      const word = /^[^=!(),>< \t\r\n]+/.exec(text.slice(at))?.[0] ?? character
      tokens.push({ kind: word === 'in' || word === 'notin' ? 'operator' : 'identifier', text: word })
      at += word.length
    }
  }
  return [...tokens, { kind: 'end', text: '' }]
}

function longestOperator(text: string, at: number): string {
  const two = text.slice(at, at + 2)
  return two.length === 2 && operators.has(two) ? two : text.charAt(at)
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  parse(): readonly Requirement[] {
    const requirements: Requirement[] = []
    for (;;) {
      const token = this.#ahead()
      if (token.kind === 'end')
        return requirements.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
      if (!beginsRequirement(token))
        throw badRequest(`found '${token.text}', expected: !, identifier, or 'end of string'`)
      requirements.push(this.#requirement())
      const after = this.#take()
      if (after.kind === 'end') {
        this.#at--
        continue
      }
      if (after.text !== ',') throw badRequest(`found '${after.text}', expected: ',' or 'end of string'`)
      const next = this.#ahead()
      if (!beginsRequirement(next)) throw badRequest(`found '${next.text}', expected: identifier after ','`)
    }
  }

  #requirement(): Requirement {
    const isNegated = this.#ahead().text === '!'
    if (isNegated) this.#take()
    const { kind, text: key } = this.#take()
    if (kind !== 'identifier' && key !== 'in' && key !== 'notin')
      throw new SyntaxFault(`found '${key}', expected: identifier`)
    const keyFaults = labelKeyFaults(key)
    if (keyFaults.length > 0) throw new SyntaxFault(errorText(invalid('<nil>', key, keyFaults.join('; '))))
    const next = this.#ahead()
    if (isNegated) return { key, operator: '!', values: [] }
    if (next.kind === 'end' || next.text === ',') return { key, operator: 'exists', values: [] }
    const operator = this.#operator()
    const values = operator === 'in' || operator === 'notin' ? this.#valueSet() : [this.#value()]
    return checked({ key, operator, values: [...new Set(values)].sort() })
  }

  #operator(): Operator {
    const { text } = this.#take()
    if (text === '>') return 'gt'
    if (text === '<') return 'lt'
    if (text === 'in' || text === 'notin' || text === '=' || text === '==' || text === '!=') return text
    throw new SyntaxFault(`found '${text}', expected: ${binaryOperators}`)
  }

  #valueSet(): string[] {
    const open = this.#take()
    if (open.text !== '(') throw new SyntaxFault(`found '${open.text}' expected: '('`)
    const first = this.#ahead()
    if (first.text === ')') {
      this.#take()
      return ['']
    }
    if (!isValue(first) && first.text !== ',')
      throw new SyntaxFault(`found '${first.text}', expected: ',', ')' or identifier`)
    return this.#values()
  }

  /** Reads up to and including the closing bracket. An empty place between commas is the empty value. */
  #values(): string[] {
    const values: string[] = []
    for (;;) {
      const token = this.#take()
      const next = this.#ahead()
      if (isValue(token)) {
        values.push(token.text)
        if (next.text !== ')' && next.text !== ',') throw new SyntaxFault(`found '${next.text}', expected: ',' or ')'`)
      } else if (token.text === ',') {
        if (values.length === 0 || next.text === ')' || next.text === ',') values.push('')
      } else throw new SyntaxFault(`found '${token.text}', expected: ',', or identifier`)
      if (next.text !== ')') continue
      this.#take()
      return values
    }
  }

  #value(): string {
    const next = this.#ahead()
    if (next.kind === 'end' || next.text === ',') return ''
    const token = this.#take()
    if (!isValue(token)) throw new SyntaxFault(`found '${token.text}', expected: identifier`)
    return token.text
  }

  #ahead(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' }
  }

  #take(): Token {
    const token = this.#ahead()
    this.#at++
    return token
  }
}

function beginsRequirement(token: Token): boolean {
  return isValue(token) || token.text === '!'
}

/** Returns whether the token can be a value: `in` and `notin` are ordinary words there. */
function isValue({ kind, text }: Token): boolean {
  return kind === 'identifier' || text === 'in' || text === 'notin'
}

function checked(requirement: Requirement): Requirement {
  const { key, operator, values } = requirement
  const faults = values.flatMap((value, index) => {
    const notNumber = (operator === 'gt' || operator === 'lt') && !isInteger(value)
    const syntax = labelValueFaults(value)
    return [
      ...(notNumber
        ? [invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")]
        : []),
      ...(syntax.length > 0 ? [invalid(`values[${index}][${key}]`, value, syntax.join('; '))] : []),
    ]
  })
  if (faults.length > 0) throw new SyntaxFault(faults.map(errorText).join(', '))
  return requirement
}

function isInteger(text: string): boolean {
  return /^[+-]?\d+$/.test(text)
}
