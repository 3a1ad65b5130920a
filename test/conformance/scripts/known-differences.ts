// Known differences that the comparison excludes. The list is complete; each rule is as narrow as possible and names
// the entry of
// src/apiserver/deviations.yaml with its reason. Excluded responses are not compared with the real server.
import { isJsonObject, type Json } from '../../../src/base/json.ts'
import { at } from '../stage.ts'
import type { Step } from './script.ts'

/** Steps that are skipped, because their responses differ. */
export interface UnaskedRule {
  /** Id in deviations.yaml. */
  readonly deviation: string
  isUnasked(step: Step): boolean
}

/** A part of a text that differs, with its replacement. */
export interface TextRule {
  readonly deviation: string
  readonly pattern: RegExp
  readonly replacement: string
}

export const unasked: readonly UnaskedRule[] = [
  {
    // Invalid YAML, a YAML value that is no object, or a duplicate key.
    deviation: 'yaml-texts',
    isUnasked: ({ ask: { headers, body } }) =>
      headers?.['content-type']?.endsWith('yaml') === true && typeof body === 'string' && body !== 'null',
  },
  {
    // The server does not support a change of a gated pod's node selection.
    deviation: 'pod-parts',
    isUnasked: ({ ask: { path, body } }) =>
      /\/pods(\/|$)/.test(path) && at(body ?? null, 'spec.nodeSelector') !== undefined,
  },
  {
    // An empty map instead of an absent one, in a secret that may be immutable.
    deviation: 'empty-maps',
    isUnasked: ({ ask: { path, body } }) => /\/secrets(\/|$)/.test(path) && isEmpty(at(body ?? null, 'data')),
  },
]

function isEmpty(value: Json | undefined): boolean {
  return value !== undefined && isJsonObject(value) && Object.keys(value).length === 0
}

export const texts: readonly TextRule[] = [
  {
    deviation: 'pictures-of-differences',
    pattern:
      /(Forbidden: (?:pod updates may not change|is immutable after creation)[^\n]*)\n(?:[@ +-][^\n]*\n)*[@ +-]?[^\n]*$/g,
    replacement: '$1',
  },
  {
    // Empty fields of a struct that an error prints completely.
    deviation: 'empty-policies',
    pattern: /("[A-Z]\w*":)(?:\[\]|\{\})/g,
    replacement: '$1null',
  },
]

export function isAsked(step: Step): boolean {
  return !unasked.some((rule) => rule.isUnasked(step))
}

export function withoutKnownDifferences(text: string): string {
  return texts.reduce((left, { pattern, replacement }) => left.replaceAll(pattern, replacement), text)
}
