// Which objects does a field selector choose? Equality on a few fields that the kind names; anything else is refused.
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

/** In the order of their texts; without those that name neither field nor value. Throws StatusError (400) for what is no selector. */
export function parseFieldSelector(text: string): readonly FieldTerm[] {
  const terms = termsOf(text).map((term) => {
    const [, field, operator, value] = /^([\s\S]*?)(!=|==|=)([\s\S]*)$/.exec(term) ?? []
    if (field === undefined || value === undefined)
      throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`)
    return { field, isNegated: operator === '!=', value: unescaped(value) }
  })
  return terms.filter(({ field, value }) => field !== '' || value !== '')
}

/** Throws StatusError (400) if the kind has no such field to select by. */
export function checkFields(terms: readonly FieldTerm[], resource: ServedResource): void {
  const known = resource.strategy.selectableFields({})
  for (const { field } of terms) {
    if (field === 'metadata.name' || (field === 'metadata.namespace' && resource.isNamespaced)) continue
    if (!Object.hasOwn(known, field)) throw badRequest(unknownField(field, resource))
  }
}

/** Kinds with fields of their own say it in one way, all others in another. */
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

/** Terms are separated by commas; a backslash takes the meaning from the next character. */
function termsOf(text: string): readonly string[] {
  return (text.match(/(?:\\[\s\S]?|[^,\\])+/g) ?? []).sort()
}

/** Throws StatusError (400) for an escape of anything but a backslash, a comma and =, and for one of these that is not escaped. */
function unescaped(value: string): string {
  return value.replace(/\\([\s\S]?)|[,=]/gu, (sequence, escaped: string | undefined) => {
    if (escaped === undefined)
      throw badRequest(`invalid field selector: unescaped character in value: ${sequence.codePointAt(0)}`)
    if (!/^[\\,=]$/.test(escaped)) throw badRequest(`invalid field selector: invalid escape sequence: ${sequence}`)
    return escaped
  })
}
