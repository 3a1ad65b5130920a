// YAML of request and response bodies. Invariant: a body has the value that kubectl and the real API server read, within bounds: an alias bomb
// is rejected, and keys that occur twice are reported. The library is loaded with the first body, because most servers only see JSON and its 70 files
// take a third of the start. Source of the texts: sigs.k8s.io/yaml.
import { createRequire } from 'node:module'
import type { Json } from '../base/json.ts'
import { kubernetesTags, kubernetesYaml } from '../base/kubernetes-yaml.ts'
import { type WireJson, WireJsonError } from '../base/wire-json.ts'

/** More aliases than any manifest has; a bomb of nested aliases has millions. */
const maxAliases = 100

let loaded: typeof import('yaml') | undefined

/** Throws WireJsonError. */
export function parseYaml(text: string): WireJson {
  const { isMap, isScalar, LineCounter, parseDocument, visit } = library()
  const lines = new LineCounter()
  const document = parseDocument(text, {
    ...kubernetesYaml,
    intAsBigInt: true,
    uniqueKeys: false,
    lineCounter: lines,
  })
  // Of several documents the first counts.
  const fault = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS')
  if (fault !== undefined) throw new WireJsonError(`yaml: ${fault.message.split('\n')[0] ?? ''}`)
  const duplicates: string[] = []
  let hasNullKey = false
  visit(document, {
    Map: (_, map) => {
      if (!isMap(map)) return
      const seen = new Set<string>()
      for (const { key } of map.items) {
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

export function yamlText(value: Json): string {
  const style = { version: '1.1', compat: kubernetesTags, lineWidth: 0, sortMapEntries: true } as const
  return library().stringify(value, style)
}

function library(): typeof import('yaml') {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof import('yaml') // What its package says it is.
  return loaded
}
