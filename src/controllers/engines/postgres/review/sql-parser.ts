// What does a parser of PostgreSQL's grammar say of a text? A tree, read here as nodes of a name and fields, or where it stopped.

/** Pure: the same text, the same answer. */
export interface SqlParser {
  parse(text: string): Parsed
  /** Of one DO, CREATE FUNCTION or CREATE PROCEDURE whose language is plpgsql. */
  parseProcedural(text: string): Parsed
}

export type Parsed = { readonly tree: unknown } | { readonly refusal: Refusal }

export interface Refusal {
  readonly message: string
  /** In characters from 0, as the server counts; undefined if it did not say. */
  readonly character: number | undefined
}

export interface Statement {
  readonly node: Node
  /** In bytes: where the statement itself begins, after blanks and comments. */
  readonly start: number
  readonly text: string
}

export interface Node {
  readonly name: string
  readonly fields: Fields
}

export type Fields = Readonly<Record<string, unknown>>

export function refusalOf(error: unknown): Refusal {
  const message = error instanceof Error ? error.message : String(error)
  const details = error instanceof Error && 'sqlDetails' in error ? fieldsOf(error.sqlDetails) : {}
  const { cursorPosition } = details
  return { message, character: typeof cursorPosition === 'number' ? cursorPosition : undefined }
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

/** A node and all below it, outermost first. */
export function* nodesBelow(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesBelow(item)
    return
  }
  for (const [name, inner] of Object.entries(fieldsOf(value))) {
    // Nodes have the names of types, in capitals; fields have not. Some fields are nodes without saying so.
    if (/^[A-Z]/.test(name)) yield { name, fields: fieldsOf(inner) }
    yield* nodesBelow(inner)
  }
}

/** Every text in a tree. */
export function* textsBelow(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) yield* textsBelow(inner)
  }
}

export function nodeOf(value: unknown): Node | undefined {
  const [entry] = Object.entries(fieldsOf(value))
  return entry === undefined ? undefined : { name: entry[0], fields: fieldsOf(entry[1]) }
}

/** Empty for what is no object. */
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

/** The text of `{ String: { sval } }`, or of a constant. */
export function stringOf(value: unknown): string | undefined {
  const { String: plain, A_Const: constant } = fieldsOf(value)
  const { sval } = constant === undefined ? fieldsOf(plain) : fieldsOf(fieldsOf(constant)['sval'])
  return typeof sval === 'string' ? sval : undefined
}

/** The last part of a name such as `pg_catalog.set_config`. */
export function lastName(names: unknown): string | undefined {
  return stringOf(listOf(names).at(-1))
}

export interface Option {
  readonly name: string
  readonly value: unknown
  readonly location: number | undefined
}

/** What stands between WITH and its end, or in parentheses: `defname` and its value. */
export function optionsOf(list: unknown): readonly Option[] {
  return listOf(list).flatMap((item) => {
    const { defname, arg, location } = fieldsOf(fieldsOf(item)['DefElem'])
    return typeof defname === 'string' ? [{ name: defname, value: arg, location: numberOf(location) }] : []
  })
}

/** A statement begins, for the parser, where the one before it ended: before its blanks and comments. How many bytes those are. */
function blanksBefore(bytes: Buffer): number {
  // One character for each byte, so that the length of a match is one in bytes.
  const found = /^(?:\s+|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)+/.exec(bytes.toString('latin1'))
  return found?.[0].length ?? 0
}
