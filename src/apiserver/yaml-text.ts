// How are bodies in YAML read and written? Within bounds: no alias bomb, and keys that stand twice are told of. The library is
// loaded at the first of them, since most servers only ever see JSON, and its 70 files take as long as a third of the start.
// Source of the texts: sigs.k8s.io/yaml.
import { createRequire } from 'node:module'
import { isJsonObject, type Json } from '../base/json.ts'
import { type WireJson, WireJsonError } from '../base/wire-json.ts'

/** More aliases than any manifest has; a bomb of nested aliases has millions. */
const maxAliases = 100

let loaded: typeof import('yaml') | undefined

/** Throws WireJsonError. */
export function parseYaml(text: string): WireJson {
  const { isMap, isScalar, LineCounter, parseDocument, visit } = library()
  const lines = new LineCounter()
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    intAsBigInt: true,
    merge: true,
    lineCounter: lines,
  })
  // Of several documents the first counts.
  const fault = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS')
  if (fault !== undefined) throw new WireJsonError(`yaml: ${fault.message.split('\n')[0] ?? ''}`)
  const duplicates: string[] = []
  visit(document, {
    Map: (_, map) => {
      if (!isMap(map)) return
      const seen = new Set<string>()
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : ''
        if (seen.has(name)) duplicates.push(name)
        seen.add(name)
      }
    },
  })
  try {
    return { value: withPlainNumbers(document.toJS({ maxAliasCount: maxAliases }) as Json), duplicates } // JSON's own types.
  } catch (thrown) {
    if (thrown instanceof ReferenceError) throw new WireJsonError('yaml: document contains excessive aliasing')
    throw thrown
  }
}

export function yamlText(value: Json): string {
  return library().stringify(value, { version: '1.1', lineWidth: 0, sortMapEntries: true })
}

function library(): typeof import('yaml') {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof import('yaml') // What its package says it is.
  return loaded
}

/** YAML integers were read exactly; most are plain numbers. Dates and other tags have no place in JSON. */
function withPlainNumbers(value: Json): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (Array.isArray(value)) return value.map((item: Json) => withPlainNumbers(item))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withPlainNumbers(field ?? null)]))
}
