// Escaping of property names in rules: identifiers contain no `-`, `.` or `/`, and are no reserved word.
// Source: k8s.io/apiserver/pkg/cel/escaping.go.

const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}
const unescapes: ReadonlyMap<string, string> = new Map(
  Object.entries(escapes).map(([plain, escaped]) => [escaped.slice(2, -2), plain]),
)

/** True for a reserved word, which cannot be an identifier. */
export function isReserved(word: string): boolean {
  return reserved.has(word)
}

/** Returns the identifier of a property; undefined if no rule can name it. */
export function escapedName(name: string): string | undefined {
  if (!/^[^0-9]/s.test(name)) return undefined
  if (reserved.has(name)) return `__${name}__`
  if (/[^a-zA-Z0-9\-./_]/.test(name)) return undefined
  return name.replace(/__|[-./]/g, (found) => escapes[found] ?? found)
}

/** Returns the property of an identifier; undefined for an invalid escape. */
export function unescapedName(identifier: string): string | undefined {
  if (!identifier.includes('__')) return identifier
  let isKnown = true
  const name = identifier.replace(/_{2}[^_]+_{2}/g, (found) => {
    const inner = found.slice(2, -2)
    const plain = unescapes.get(inner)
    if (plain !== undefined) return plain
    if (!reserved.has(inner) || found.length !== identifier.length) isKnown = false
    return inner
  })
  return isKnown ? name : undefined
}
