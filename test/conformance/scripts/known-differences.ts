// Which answers are known to differ, and are left out of the comparison? The whole list, each rule as narrow as can be and with
// the entry of src/apiserver/deviations.yaml that says why. What stands here is not held against the real server.
import { isJsonObject, type Json } from '../../../src/base/json.ts'
import { at } from '../stage.ts'
import type { Step } from './script.ts'

/** Steps that are not asked, because their answers differ. */
export interface UnaskedRule {
  /** Of deviations.yaml. */
  readonly deviation: string
  isUnasked(step: Step): boolean
}

/** A part of a text that differs, and what stands for it. */
export interface TextRule {
  readonly deviation: string
  readonly pattern: RegExp
  readonly replacement: string
}

export const unasked: readonly UnaskedRule[] = [
  {
    // What is no YAML, is no object in YAML, or says a key twice.
    deviation: 'yaml-texts',
    isUnasked: ({ ask: { headers, body } }) =>
      headers?.['content-type']?.endsWith('yaml') === true && typeof body === 'string' && body !== 'null',
  },
  {
    // A change of what chooses the node of a gated pod is not served.
    deviation: 'pod-parts',
    isUnasked: ({ ask: { path, body } }) =>
      /\/pods(\/|$)/.test(path) && at(body ?? null, 'spec.nodeSelector') !== undefined,
  },
  {
    // An empty map in place of none, of a secret that may be immutable.
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
    // A struct that is printed whole: what is empty in it.
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
