// SQL texts with quoted values. Invariant: names and values enter a statement only through `identifier`, `literal` and
// the other functions of this file. The tag `sql` accepts only their results.
import { EngineError } from '../engine-error.ts'

/** Piece of SQL whose values are quoted. */
export type Sql = string & { readonly [quoted]: true }
declare const quoted: unique symbol

/**
 * @example sql`DROP ROLE IF EXISTS ${identifier(role)}`
 */
export function sql(texts: TemplateStringsArray, ...values: readonly Sql[]): Sql {
  return trusted(texts.map((text, at) => text + (values[at] ?? '')).join(''))
}

/** The server truncates longer names silently, and may then use another object. */
const maxIdentifierBytes = 63

/** Returns a name in double quotes. Throws StatementFailed for a text that cannot be a name. */
export function identifier(name: string): Sql {
  const bytes = Buffer.byteLength(name)
  if (bytes === 0) throw rejected('a name is empty')
  if (bytes > maxIdentifierBytes) {
    throw rejected(
      `the name ${JSON.stringify(name)} is ${bytes} bytes long; PostgreSQL takes at most ${maxIdentifierBytes}`,
    )
  }
  return trusted(`"${sendable(name).replaceAll('"', '""')}"`)
}

/** `"schema"."name"` */
export function qualified(schema: string, name: string): Sql {
  return sql`${identifier(schema)}.${identifier(name)}`
}

/** Returns a text in single quotes, for any value of standard_conforming_strings. */
export function literal(text: string): Sql {
  const escaped = sendable(text).replaceAll("'", "''")
  return trusted(text.includes('\\') ? `E'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`)
}

export function integer(value: number): Sql {
  if (!Number.isInteger(value)) throw rejected(`${value} is no whole number`)
  return trusted(String(value))
}

export function commaList(items: readonly Sql[]): Sql {
  return trusted(items.join(', '))
}

/** Returns the rows of all questions, of which there is at least one. */
export function unionAll(questions: readonly Sql[]): Sql {
  return trusted(questions.join(' UNION ALL '))
}

/** Joins words by blanks. Skips undefined ones. */
export function words(...items: readonly (Sql | undefined)[]): Sql {
  return trusted(items.filter((item) => item !== undefined).join(' '))
}

/** Returns a word of a closed list. Throws StatementFailed for any other word. */
export function keyword(word: string, allowed: readonly string[]): Sql {
  if (!allowed.includes(word)) throw rejected(`${JSON.stringify(word)} is none of ${allowed.join(', ')}`)
  return trusted(word)
}

/**
 * Returns a function by its name and argument types, as the server wrote them. Rejects any other text: outside double
 * quotes, only characters of type names are allowed.
 */
export function signature(schema: string, text: string): Sql {
  if (!signaturePattern.test(text)) throw rejected(`${JSON.stringify(text)} is no signature of a function`)
  return trusted(`${identifier(schema)}.${sendable(text)}`)
}

/** No quote follows the end. Otherwise there would be many ways to read many quotes. */
const quotedName = '"(?:[^"]|"")+"(?!")'
const word = '[\\p{L}_][\\p{L}\\p{N}_$]*'
const signaturePattern = new RegExp(
  `^(?:${word}|${quotedName})\\((?:[\\p{L}\\p{N}_$ .,\\[\\]]|${quotedName})*\\)$`,
  'u',
)

/** Rejects what cannot be sent: the server would truncate the text, or receive another one. */
function sendable(text: string): string {
  if (text.includes('\0')) throw rejected('a name or value contains the character NUL')
  if (!text.isWellFormed()) throw rejected('a name or value is no valid Unicode text')
  return text
}

function rejected(message: string): EngineError {
  return new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}

/** The only place where a text becomes SQL. Sound for texts that the functions of this file build. */
function trusted(text: string): Sql {
  return text as Sql
}
