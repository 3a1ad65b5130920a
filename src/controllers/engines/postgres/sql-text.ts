// How does a name get into a statement? Through `identifier` and `literal` and no other way: a text that is to be carried out is
// built by the tag `sql`, which takes only what has been through one of them.
import { EngineError } from '../engine-error.ts'

/** A piece of SQL whose values have been quoted. */
export type Sql = string & { readonly [quoted]: true }
declare const quoted: unique symbol

/**
 * @example sql`DROP ROLE IF EXISTS ${identifier(role)}`
 */
export function sql(texts: TemplateStringsArray, ...values: readonly Sql[]): Sql {
  return trusted(texts.map((text, at) => text + (values[at] ?? '')).join(''))
}

/** Longer names are cut off by the server without a word, and are then somebody else's. */
const maxIdentifierBytes = 63

/** A name in double quotes. Throws StatementFailed for what no name can be. */
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

/** A text in single quotes, whatever the server's standard_conforming_strings. */
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

/** The rows of all of them, of which there is one. */
export function unionAll(questions: readonly Sql[]): Sql {
  return trusted(questions.join(' UNION ALL '))
}

/** Words one after another; those that are undefined are left out. */
export function words(...items: readonly (Sql | undefined)[]): Sql {
  return trusted(items.filter((item) => item !== undefined).join(' '))
}

/** One of the words of a closed list. */
export function keyword(word: string, allowed: readonly string[]): Sql {
  if (!allowed.includes(word)) throw rejected(`${JSON.stringify(word)} is none of ${allowed.join(', ')}`)
  return trusted(word)
}

/**
 * A function by the name and the types of its arguments, as the server wrote it. What could be anything else is refused:
 * outside double quotes there are only the characters of type names.
 */
export function signature(schema: string, text: string): Sql {
  if (!signaturePattern.test(text)) throw rejected(`${JSON.stringify(text)} is no signature of a function`)
  return trusted(`${identifier(schema)}.${sendable(text)}`)
}

/** No quote follows its end: else there would be many ways to read many quotes. */
const quotedName = '"(?:[^"]|"")+"(?!")'
const word = '[\\p{L}_][\\p{L}\\p{N}_$]*'
const signaturePattern = new RegExp(
  `^(?:${word}|${quotedName})\\((?:[\\p{L}\\p{N}_$ .,\\[\\]]|${quotedName})*\\)$`,
  'u',
)

/** Neither of these can be sent: the server would cut the text off, or get another one. */
function sendable(text: string): string {
  if (text.includes('\0')) throw rejected('a name or value contains the character NUL')
  if (!text.isWellFormed()) throw rejected('a name or value is no valid Unicode text')
  return text
}

function rejected(message: string): EngineError {
  return new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}

/** The one place where a text becomes SQL; sound for what the functions of this file have put together. */
function trusted(text: string): Sql {
  return text as Sql
}
