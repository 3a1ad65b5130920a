// Comparison and SQL of role settings. The server stores most values unchanged. It normalizes lists of names, so that
// two lists are equal if their items are.
import { commaList, identifier, literal, type Sql, sql } from './sql-text.ts'

/** Source: PostgreSQL's GUC_LIST_QUOTE. */
const listsOfNames = [
  'local_preload_libraries',
  'search_path',
  'session_preload_libraries',
  'shared_preload_libraries',
  'temp_tablespaces',
  'unix_socket_directories',
]

/** Returns the text after `SET`, e.g. `"search_path" TO 'app', 'public'`. */
export function settingText(name: string, value: string): Sql {
  const parts = name.split('.').map((part) => identifier(part.toLowerCase()))
  const values = isListOfNames(name) ? itemsOf(value) : [value]
  // An empty list is written as one empty name.
  const texts = values.length === 0 ? [''] : values
  return sql`${dotted(parts)} TO ${commaList(texts.map(literal))}`
}

/** Returns only the name, as after `RESET`. */
export function settingName(name: string): Sql {
  return dotted(name.split('.').map((part) => identifier(part.toLowerCase())))
}

/** Returns whether two values of a setting are equivalent. */
export function isSameSetting(name: string, left: string, right: string): boolean {
  if (!isListOfNames(name)) return left === right
  const [ours, theirs] = [itemsOf(left), itemsOf(right)]
  return ours.length === theirs.length && ours.every((item, at) => item === theirs[at])
}

/** Splits `name=value` of the catalogs. A value may contain `=`. */
export function settingIn(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=')
  return { name: text.slice(0, at), value: text.slice(at + 1) }
}

function isListOfNames(name: string): boolean {
  return listsOfNames.includes(name.toLowerCase())
}

/** Returns the names between commas: unquoted if in double quotes, else in lower case. Empty names are dropped. */
function itemsOf(text: string): readonly string[] {
  return splitNames(text)
    .map((item) => (item.startsWith('"') ? item.slice(1, -1).replaceAll('""', '"') : item.toLowerCase()))
    .filter((item) => item !== '')
}

/** Splits at the commas outside quotes, in one pass, because the text is from a server. */
function splitNames(text: string): readonly string[] {
  const items: string[] = []
  let [from, isQuoted] = [0, false]
  for (let at = 0; at <= text.length; at += 1) {
    if (text[at] === '"') isQuoted = !isQuoted
    if (at < text.length && (isQuoted || text[at] !== ',')) continue
    items.push(text.slice(from, at).trim())
    from = at + 1
  }
  return items
}

function dotted(parts: readonly Sql[]): Sql {
  const [first, ...rest] = parts
  return rest.reduce((name, part) => sql`${name}.${part}`, first ?? sql``)
}
