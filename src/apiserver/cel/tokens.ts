// Which words is an expression made of? Each token is the longest that fits. Source: the lexer rules of
// github.com/google/cel-go/parser/gen/CEL.g4.
import { SyntaxFault } from './syntax.ts'

export type TokenKind = 'name' | 'integer' | 'unsigned' | 'double' | 'text' | 'bytes' | 'mark' | 'end'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  /** As an index of code points. */
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

/** The tokens of an expression, an end token last. Throws SyntaxFault for what is no token. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let [unit, point] = [0, 0]
  while (unit < source.length) {
    pattern.lastIndex = unit
    const groups = pattern.exec(source)?.groups
    const [kind, text = ''] = Object.entries(groups ?? {}).find(([, found]) => found !== undefined) ?? []
    if (kind === undefined) {
      const character = String.fromCodePoint(source.codePointAt(unit) ?? 0)
      throw new SyntaxFault(point, `Syntax error: token recognition error at: '${character}'`)
    }
    if (kind !== 'space') tokens.push({ kind: kind as TokenKind, text, at: point }) // The names of the groups.
    unit += text.length
    for (const _ of text) point++
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: point })
  return tokens
}
