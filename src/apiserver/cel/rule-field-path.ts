// Parser of a rule's `fieldPath`: a path of fields and map keys in the schema, for example `.spec.ports['http']`.
// Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go (ValidFieldPath).
import type { Schema } from '../schema/schema.ts'
import { declaresProperties } from './declared-type.ts'

/** Returns the path as errors show it, `spec.ports[http]`; undefined if the schema has no such field. */
export function ruleFieldPath(path: string, schema: Schema): string | undefined {
  let at: Schema = schema
  let result = ''
  let rest = path
  while (rest !== '') {
    const [whole, dotted, quoted] = /^(?:\.([^.[\]']+|'(?:[^'\\]|\\.)*')|\[('(?:[^'\\]|\\.)*')\])/s.exec(rest) ?? []
    const name = dotted ?? (quoted === undefined ? undefined : unescaped(quoted.slice(1, -1)))
    const next = name === undefined ? undefined : childOf(at, name)
    if (whole === undefined || name === undefined || next === undefined) return undefined
    result += next.isKey ? `[${name}]` : result === '' ? name : `.${name}`
    at = next.schema
    rest = rest.slice(whole.length)
  }
  return result
}

function childOf(schema: Schema, name: string): { readonly schema: Schema; readonly isKey: boolean } | undefined {
  if (declaresProperties(schema)) {
    const property = schema.properties.get(name)
    return property && { schema: property, isKey: false }
  }
  const additional = schema.additionalProperties
  return additional === undefined || additional === true ? undefined : { schema: additional, isKey: true }
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}

function unescaped(text: string): string | undefined {
  let isKnown = true
  const plain = text.replace(/\\(.)/gs, (_, letter: string) => {
    const character = escapes[letter]
    if (character === undefined) isKnown = false
    return character ?? ''
  })
  return isKnown ? plain : undefined
}
