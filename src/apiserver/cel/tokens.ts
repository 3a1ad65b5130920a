// CEL lexer: each token is the longest match. Source: the lexer rules of
// github.com/google/cel-go/parser/gen/CEL.g4.
import { type Fault, SyntaxFault } from './syntax.ts'

export type TokenKind = 'name' | 'integer' | 'unsigned' | 'double' | 'text' | 'bytes' | 'mark' | 'end'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  /** White space and comments before the token. */
  readonly space: string
  /** Position as an index of code points. */
  readonly at: number
}

const escaped = String.raw`\\(?:[abfnrtv"'\\?\u0060]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`
const plainTexts = [
  String.raw`"""(?:${escaped}|[^\\])*?"""`,
  String.raw`'''(?:${escaped}|[^\\])*?'''`,
  String.raw`"(?:${escaped}|[^\\"\n\r])*"`,
  String.raw`'(?:${escaped}|[^\\'\n\r])*'`,
]
const rawTexts = [
  String.raw`"""[\s\S]*?"""`,
  String.raw`'''[\s\S]*?'''`,
  String.raw`"[^"\n\r]*"`,
  String.raw`'[^'\n\r]*'`,
]
const text = `(?:${plainTexts.join('|')}|[rR](?:${rawTexts.join('|')}))`
const rules: readonly (readonly [TokenKind | 'space', string])[] = [
  ['space', String.raw`[\t \r\n\f]+|//[^\n]*`],
  ['bytes', `[bB]${text}`],
  ['text', text],
  ['double', String.raw`\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?`],
  ['unsigned', String.raw`0x[0-9a-fA-F]+[uU]|\d+[uU]`],
  ['integer', String.raw`0x[0-9a-fA-F]+|\d+`],
  ['name', '[A-Za-z_][A-Za-z0-9_]*'],
  ['mark', String.raw`==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]{}]`],
]
const pattern = new RegExp(rules.map(([kind, rule]) => `(?<${kind}>${rule})`).join('|'), 'y')

/** Returns the tokens of an expression, an end token last. Throws SyntaxFault for invalid text. */
export function tokensOf(source: string): readonly Token[] {
  const { tokens, faults } = readTokens(source)
  const [fault] = faults
  if (fault !== undefined) throw new SyntaxFault(fault.at, fault.message)
  return tokens
}

/** Returns the valid tokens, and the faults of invalid text. */
export function readTokens(source: string): { readonly tokens: readonly Token[]; readonly faults: readonly Fault[] } {
  const tokens: Token[] = []
  const faults: Fault[] = []
  let [unit, point, space] = [0, 0, '']
  while (unit < source.length) {
    pattern.lastIndex = unit
    const groups = pattern.exec(source)?.groups
    const [kind, text = strayText(source, unit)] =
      Object.entries(groups ?? {}).find(([, found]) => found !== undefined) ?? []
    if (kind === undefined) {
      const shown = text.replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')
      faults.push({ at: point, message: `Syntax error: token recognition error at: '${shown}'` })
    } else if (kind === 'space') space += text
    else {
      tokens.push({ kind: kind as TokenKind, text, space, at: point }) // Names of the groups.
      space = ''
    }
    unit += text.length
    for (const _ of text) point++
  }
  tokens.push({ kind: 'end', text: '<EOF>', space, at: point })
  return { tokens, faults }
}

/** Matches the longest prefix of a token at this position, and the character that makes it invalid. */
const stray = new RegExp(
  String.raw`(?:[=&|]|"(?:${escaped}|[^\\"\n\r])*\\?|'(?:${escaped}|[^\\'\n\r])*\\?)?[\s\S]?`,
  'uy',
)

function strayText(source: string, unit: number): string {
  stray.lastIndex = unit
  return stray.exec(source)?.[0] ?? ''
}
