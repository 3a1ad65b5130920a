// Port of a parser of PostgreSQL's grammar, and its trees: nodes with a name and fields. Invariant: reading a tree is
// linear in its size, at any depth.
import { readAgainMessage, readTooOftenAt } from './scan-cost.ts'

/** The text needs more memory or stack than the parser has. The parser cannot be used afterwards. */
export class ParserExhaustedError extends Error {
  override readonly name = 'ParserExhaustedError'
}

/** Pure: the same text gives the same answer. Throws ParserExhaustedError. */
export interface SqlParser {
  parse(text: string): Parsed
  /** Parses one DO, CREATE FUNCTION or CREATE PROCEDURE in plpgsql. */
  parseProcedural(text: string): Parsed
}

export type Parsed = { readonly tree: unknown } | { readonly refusal: ReviewRejection }

export interface ReviewRejection {
  /** StepTooComplex: the scanner would take too long, so the text was not parsed. */
  readonly code: 'ParseError' | 'StepTooComplex'
  readonly message: string
  /** Position in characters from 0, as the server counts. Undefined if the server gave none. */
  readonly character: number | undefined
}

export interface Statement {
  readonly node: Node
  /** Start in bytes, after blanks and comments. */
  readonly start: number
  readonly text: string
}

export interface Node {
  readonly name: string
  readonly fields: Fields
}

export type Fields = Readonly<Record<string, unknown>>

export function rejectionOf(error: unknown): ReviewRejection {
  const message = error instanceof Error ? error.message : String(error)
  const details = error instanceof Error && 'sqlDetails' in error ? fieldsOf(error.sqlDetails) : {}
  const { cursorPosition } = details
  return { code: 'ParseError', message, character: typeof cursorPosition === 'number' ? cursorPosition : undefined }
}

/**
 * Returns a parser that rejects texts for which PostgreSQL's scanner takes too long. The caller checks bodies of
 * procedures, because they are quoted.
 */
export function boundedParser(parser: SqlParser): SqlParser {
  return { ...parser, parse: (text) => excessIn(text) ?? parser.parse(text) }
}

/** Undefined: the scanner reads this text in time. */
export function excessIn(text: string): { readonly refusal: ReviewRejection } | undefined {
  const at = readTooOftenAt(text)
  if (at === undefined) return undefined
  const character = [...text.slice(0, at)].length
  return { refusal: { code: 'StepTooComplex', message: readAgainMessage, character } }
}

export function statementsOf(tree: unknown, text: string): readonly Statement[] {
  const bytes = Buffer.from(text)
  return listOf(fieldsOf(tree)['stmts']).flatMap((entry) => {
    const { stmt, stmt_location: from, stmt_len: length } = fieldsOf(entry)
    const node = nodeOf(stmt)
    if (node === undefined) return []
    const begin = numberOf(from) ?? 0
    const own = bytes.subarray(begin, length === undefined ? undefined : begin + (numberOf(length) ?? 0))
    const blanks = blanksBefore(own)
    return [{ node, start: begin + blanks, text: own.subarray(blanks).toString() }]
  })
}

/** Yields all nodes below a value, outermost first. */
export function* nodesBelow(value: unknown): Generator<Node> {
  for (const [name, inner] of entriesBelow(value)) {
    // Node names are type names, in upper camel case; field names are in lower case. Some fields are nodes without a
    // type name.
    if (/^[A-Z]/.test(name)) yield { name, fields: fieldsOf(inner) }
  }
}

/** Returns whether a string of the tree equals `text`. */
export function hasText(tree: unknown, text: string): boolean {
  for (const [, inner] of entriesBelow(tree)) if (inner === text) return true
  return false
}

/**
 * Yields every value below another, with its field's name. Not recursive, because a tree can be as deep as its text is
 * long.
 */
function* entriesBelow(value: unknown): Generator<readonly [name: string, value: unknown]> {
  const open: (readonly [string, unknown])[] = []
  const addBelow = (inner: unknown) => {
    if (typeof inner !== 'object' || inner === null) return
    const entries = Array.isArray(inner) ? inner.map((item) => ['', item] as const) : Object.entries(inner)
    for (let at = entries.length - 1; at >= 0; at -= 1) open.push(entries[at] ?? ['', undefined])
  }
  addBelow(value)
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    yield entry
    addBelow(entry[1])
  }
}

export function nodeOf(value: unknown): Node | undefined {
  const [entry] = Object.entries(fieldsOf(value))
  return entry === undefined ? undefined : { name: entry[0], fields: fieldsOf(entry[1]) }
}

/** Returns an empty record for a value that is not an object. */
export function fieldsOf(value: unknown): Fields {
  // Sound: every own field of an object is some value.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** Returns the text of `{ String: { sval } }`, or of a constant. */
export function stringOf(value: unknown): string | undefined {
  const { String: plain, A_Const: constant } = fieldsOf(value)
  const { sval } = constant === undefined ? fieldsOf(plain) : fieldsOf(fieldsOf(constant)['sval'])
  return typeof sval === 'string' ? sval : undefined
}

/** Returns the last part of a name such as `pg_catalog.set_config`. */
export function lastName(names: unknown): string | undefined {
  return stringOf(listOf(names).at(-1))
}

export interface Option {
  readonly name: string
  readonly value: unknown
  readonly location: number | undefined
}

/** Returns the options after WITH or in parentheses: `defname` and its value. */
export function optionsOf(list: unknown): readonly Option[] {
  return listOf(list).flatMap((item) => {
    const { defname, arg, location } = fieldsOf(fieldsOf(item)['DefElem'])
    return typeof defname === 'string' ? [{ name: defname, value: arg, location: numberOf(location) }] : []
  })
}

/**
 * Returns the bytes of blanks and comments before a statement. For the parser, a statement starts at the end of the
 * previous one.
 */
function blanksBefore(bytes: Buffer): number {
  let at = 0
  for (;;) {
    const [first, second] = [bytes[at], bytes[at + 1]]
    if (first !== undefined && isBlank(first)) at += 1
    else if (first === dash && second === dash) at = endOfLine(bytes, at)
    else if (first === slash && second === star) at = endOfComment(bytes, at)
    else return at
  }
}

const [newline, dash, slash, star] = [0x0a, 0x2d, 0x2f, 0x2a]

/** Source: the scanner's `space`. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}

function endOfLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(newline, from)
  return end === -1 ? bytes.length : end
}

/** Comments nest. */
function endOfComment(bytes: Buffer, from: number): number {
  let depth = 0
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] === slash && bytes[at + 1] === star) depth += 1
    else if (bytes[at] === star && bytes[at + 1] === slash) depth -= 1
    else continue
    at += 1
    if (depth === 0) return at + 1
  }
  return bytes.length
}
