// The rule for labels and annotations that a spec puts on an object: those of the operator's own domains are the operator's, or of whoever may
// write the object. A definition has the same rule; this one is for objects that were stored before it. Pure.
import type { Rejection } from './reference-policy.ts'

/** The keys of `konverge.dev` and its subdomains. The API server takes annotations in any case. Linear: the prefix ends at the first slash. */
const reserved = /^(?:[^/]*\.)?konverge\.dev\//i

/** Labels or annotations as a spec has them, by the path of the field. */
export type SpecKeys = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>

/** The rejection of the first reserved key; undefined if there is none. `advice`: what to do besides, as a sentence. */
export function reservedKeyRejection(fields: SpecKeys, advice = ''): Rejection<'ReservedKey'> | undefined {
  for (const [field, keys = {}] of Object.entries(fields)) {
    const key = Object.keys(keys).find((one) => reserved.test(one))
    if (key === undefined) continue
    const message = `${field} has ${key}, and keys of konverge.dev and its subdomains are reserved; take it out of the spec${advice}`
    return { reason: 'ReservedKey', message }
  }
  return undefined
}
