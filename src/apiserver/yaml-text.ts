// YAML of request and response bodies. Invariant: a body has the value that kubectl and the real API server read.
// Within bounds: alias bombs are rejected. Duplicate keys are reported.
// The library is loaded with the first YAML body: most servers only see JSON, and its 70 files take a third of the
// start.
// Source of the texts: sigs.k8s.io/yaml.
import { createRequire } from 'node:module'
import type { CST, Document, LineCounter } from 'yaml'
import type { Json } from '../base/json.ts'
import { kubernetesTags, kubernetesYaml } from '../base/kubernetes-yaml.ts'
import { type WireJson, WireJsonError } from '../base/wire-json.ts'

/** Limit of aliases, more than any manifest has; a bomb of nested aliases has millions. */
const maxAliases = 100
/**
 * Limit of nesting, deeper than any manifest. Go reads 10,000 levels.
 * The library composes by recursion, and some of its costs grow with the depth.
 */
const maxDepth = 100
/** Limit of the text in characters. Clients send large objects as JSON, kubectl all of them. */
export const maxYamlLength = 256 * 1_024
/** Limit of tokens: each costs the library up to 2 µs. A manifest of 100 KB has fewer. */
const maxTokens = 16_384

let loaded: typeof import('yaml') | undefined

/**
 * Parses the first document. Throws WireJsonError, also for more than 16,384 tokens or 100 levels.
 * The cost is linear in the number of tokens.
 */
export function parseYaml(text: string): WireJson {
  const document = firstDocument(text)
  if (document === undefined) return { value: null, duplicates: [] }
  const { isCollection, isMap, isScalar, visit } = library()
  const duplicates: string[] = []
  let hasNullKey = false
  visit(document, {
    Map: (_, map) => {
      if (!isMap(map)) return
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (isCollection(key)) throw new WireJsonError('yaml: invalid map key: a list or a map')
        if (isScalar(key) && key.value === null) hasNullKey = true
        const name = isScalar(key) ? String(key.value) : ''
        if (seen.has(name)) duplicates.push(name)
        seen.add(name)
      }
    },
  })
  if (hasNullKey) throw new WireJsonError('yaml: unsupported map key of type: %!s(<nil>)')
  try {
    return { value: document.toJS({ maxAliasCount: maxAliases }) as Json, duplicates } // The tags give JSON's own types.
  } catch (thrown) {
    if (thrown instanceof ReferenceError) throw new WireJsonError('yaml: document contains excessive aliasing')
    throw new WireJsonError('yaml: map merge requires map or sequence of maps as the value')
  }
}

/** Returns the first document, or undefined. Throws WireJsonError for the first error. */
function firstDocument(text: string): Document | undefined {
  const { Composer, LineCounter } = library()
  const lines = new LineCounter()
  // The library's pretty errors quote the line of each fault: a quadratic cost, of which one fault is used.
  const composer = new Composer({ ...kubernetesYaml, intAsBigInt: true, uniqueKeys: false, prettyErrors: false })
  for (const document of composer.compose(tokensOf(text, lines), true, text.length)) {
    const [fault] = document.errors
    if (fault === undefined) return document
    const { line, col } = lines.linePos(fault.pos[0])
    throw new WireJsonError(`yaml: ${fault.message.split('\n')[0] ?? ''} at line ${line}, column ${col}`)
  }
  return undefined
}

/**
 * Yields the library's tokens. Its parser keeps open collections on its own stack.
 * Throws WireJsonError beyond `maxDepth` and `maxTokens`.
 */
function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token, void> {
  const { Lexer, Parser } = library()
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    count += 1
    if (count > maxTokens) throw new WireJsonError(`yaml: exceeded max tokens of ${maxTokens}; send the object as JSON`)
    yield* parser.next(lexeme)
    if (parser.stack.length > maxDepth) throw new WireJsonError(`yaml: exceeded max depth of ${maxDepth}`)
  }
  yield* parser.end()
}

export function yamlText(value: Json): string {
  const style = { version: '1.1', compat: kubernetesTags, lineWidth: 0, sortMapEntries: true } as const
  return library().stringify(value, style)
}

function library(): typeof import('yaml') {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof import('yaml') // The type of its package.
  return loaded
}
