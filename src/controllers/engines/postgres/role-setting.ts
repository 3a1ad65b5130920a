// Is a setting of a role as desired? Most are stored as they were given; lists of names are stored in the server's own way of
// writing them, so two lists are the same if their items are.
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

/** What comes after `SET`: `"search_path" TO 'app', 'public'`. */
export function settingText(name: string, value: string): Sql {
  const parts = name.split('.').map((part) => identifier(part.toLowerCase()))
  const values = isListOfNames(name) ? itemsOf(value) : [value]
  // An empty list is written as one empty name.
  const texts = values.length === 0 ? [''] : values
  return sql`${dotted(parts)} TO ${commaList(texts.map(literal))}`
}

/** The name alone, as after `RESET`. */
export function settingName(name: string): Sql {
  return dotted(name.split('.').map((part) => identifier(part.toLowerCase())))
}

/** Does the server's text mean the same as ours? */
export function isSameSetting(name: string, left: string, right: string): boolean {
  if (!isListOfNames(name)) return left === right
  const [ours, theirs] = [itemsOf(left), itemsOf(right)]
  return ours.length === theirs.length && ours.every((item, at) => item === theirs[at])
}

/** `name=value` of the catalogs; a value may contain `=`. */
export function settingIn(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=')
  return { name: text.slice(0, at), value: text.slice(at + 1) }
}

function isListOfNames(name: string): boolean {
  return listsOfNames.includes(name.toLowerCase())
}

/** Names between commas; in double quotes as they stand, else in small letters. Empty names stand for no name. */
function itemsOf(text: string): readonly string[] {
  return splitNames(text)
    .map((item) => (item.startsWith('"') ? item.slice(1, -1).replaceAll('""', '"') : item.toLowerCase()))
    .filter((item) => item !== '')
}

/** Split at the commas outside quotes, in one pass: the text is a server's. */
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
