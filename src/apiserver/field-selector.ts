// Field selectors: equality on the few fields that a kind names. The server rejects any other field.
// Source: k8s.io/apimachinery/pkg/fields/selector.go.
import type { JsonObject } from '../base/json.ts'
import { goQuoted } from './field-error.ts'
import { metadataText } from './metadata.ts'
import { badRequest } from './status-error.ts'
import type { ServedResource } from './strategy.ts'

export interface FieldTerm {
  readonly field: string
  readonly isNegated: boolean
  readonly value: string
}

/**
 * Returns the terms sorted by text, without terms whose field and value are empty.
 * Throws StatusError (400) for an invalid selector.
 */
export function parseFieldSelector(text: string): readonly FieldTerm[] {
  const terms = termsOf(text).map((term) => {
    const [, field, operator, value] = /^([\s\S]*?)(!=|==|=)([\s\S]*)$/.exec(term) ?? []
    if (field === undefined || value === undefined)
      throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`)
    return { field, isNegated: operator === '!=', value: unescaped(value) }
  })
  return terms.filter(({ field, value }) => field !== '' || value !== '')
}

/** Throws StatusError (400) if a term names a field that the kind cannot select by. */
export function checkFields(terms: readonly FieldTerm[], resource: ServedResource): void {
  const known = resource.strategy.selectableFields({})
  for (const { field } of terms) {
    if (field === 'metadata.name' || (field === 'metadata.namespace' && resource.isNamespaced)) continue
    if (!Object.hasOwn(known, field)) throw badRequest(unknownField(field, resource))
  }
}

/** The text depends on whether the kind has selectable fields of its own. */
function unknownField(field: string, { isCustom, strategy }: ServedResource): string {
  const hasOwn = isCustom || Object.keys(strategy.selectableFields({})).length > 0
  if (hasOwn) return `field label not supported: ${field}`
  return `${goQuoted(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
}

export function matchesFields(terms: readonly FieldTerm[], object: JsonObject, resource: ServedResource): boolean {
  if (terms.length === 0) return true
  const own = terms.every(({ field }) => field.startsWith('metadata.'))
    ? {}
    : resource.strategy.selectableFields(object)
  return terms.every(({ field, isNegated, value }) => {
    const actual = field.startsWith('metadata.') ? metadataText(object, field.slice('metadata.'.length)) : own[field]
    return ((actual ?? '') === value) !== isNegated
  })
}

/** Splits at commas; a backslash escapes the next character. */
function termsOf(text: string): readonly string[] {
  return (text.match(/(?:\\[\s\S]?|[^,\\])+/g) ?? []).sort()
}

/**
 * Resolves escapes. Only backslash, comma and = may be escaped, and comma and = must be.
 * Throws StatusError (400).
 */
function unescaped(value: string): string {
  return value.replace(/\\([\s\S]?)|[,=]/gu, (sequence, escaped: string | undefined) => {
    if (escaped === undefined)
      throw badRequest(`invalid field selector: unescaped character in value: ${sequence.codePointAt(0)}`)
    if (!/^[\\,=]$/.test(escaped)) throw badRequest(`invalid field selector: invalid escape sequence: ${sequence}`)
    return escaped
  })
}
