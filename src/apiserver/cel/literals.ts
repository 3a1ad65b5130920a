// Values of literal tokens. Source: github.com/google/cel-go/parser/{parser,unescape}.go.
import { SyntaxFault } from './syntax.ts'
import type { Token } from './tokens.ts'
import { Bytes, Uint, type Value } from './value.ts'

/** Returns the value of a literal token; `sign` is the minus before a number, or empty. Throws SyntaxFault. */
export function literalValue(token: Token, sign: '' | '-'): Value {
  switch (token.kind) {
    case 'integer': {
      const magnitude = BigInt(token.text)
      const value = sign === '-' ? -magnitude : magnitude
      if (BigInt.asIntN(64, value) !== value) throw new SyntaxFault(token.at, 'invalid int literal')
      return value
    }
    case 'unsigned': {
      const value = BigInt(token.text.slice(0, -1))
      if (BigInt.asUintN(64, value) !== value) throw new SyntaxFault(token.at, 'invalid uint literal')
      return new Uint(value)
    }
    case 'double': {
      const value = Number(`${sign}${token.text}`)
      if (!Number.isFinite(value)) throw new SyntaxFault(token.at, 'invalid double literal')
      return value
    }
    case 'bytes':
      return new Bytes(bytesOf(token))
    default:
      return textOf(token)
  }
}

function textOf(token: Token): string {
  const { body, isRaw } = unquoted(token.text)
  return isRaw ? body : body.replace(escapes, (written: string) => unescapedText(token, written))
}

function bytesOf(token: Token): Uint8Array {
  const { body, isRaw } = unquoted(token.text.slice(1))
  const encoder = new TextEncoder()
  if (isRaw) return encoder.encode(body)
  const bytes: number[] = []
  let end = 0
  for (const found of body.matchAll(escapes)) {
    bytes.push(...encoder.encode(body.slice(end, found.index)), unescapedByte(token, found[0]))
    end = found.index + found[0].length
  }
  return Uint8Array.from([...bytes, ...encoder.encode(body.slice(end))])
}

/** Normalizes every line break to `\n`. */
function unquoted(text: string): { readonly body: string; readonly isRaw: boolean } {
  const isRaw = /^[rR]/.test(text)
  const quoted = (isRaw ? text.slice(1) : text).replace(/\r\n?/g, '\n')
  const width = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1
  return { body: quoted.slice(width, -width), isRaw }
}

const escapes = /\\(?:[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)/gs

const characters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

function unescapedText(token: Token, written: string): string {
  const code = codeOf(written)
  if (code === undefined) return plainEscape(written)
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    throw new SyntaxFault(token.at, 'invalid unicode code point')
  return String.fromCodePoint(code)
}

function unescapedByte(token: Token, written: string): number {
  if (/^\\[uU]/.test(written)) throw new SyntaxFault(token.at, 'unable to unescape string')
  return codeOf(written) ?? plainEscape(written).charCodeAt(0)
}

function plainEscape(written: string): string {
  const letter = written.slice(1)
  return characters[letter] ?? letter
}

function codeOf(written: string): number | undefined {
  if (/^\\[0-3]/.test(written)) return Number.parseInt(written.slice(1), 8)
  return /^\\[xXuU]/.test(written) ? Number.parseInt(written.slice(2), 16) : undefined
}
