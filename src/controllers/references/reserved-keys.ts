// Reserves the keys of the operator's own domains in labels and annotations of a spec. Only the operator, and users who
// may write the object itself, set such keys. The CRD has the same rule; this one is for objects that were stored
// before it. Pure.
import type { Rejection } from './reference-policy.ts'

/**
 * Keys of `konverge.dev` and its subdomains. The API server accepts annotations in any case. Linear: the prefix ends at
 * the first slash.
 */
const reserved = /^(?:[^/]*\.)?konverge\.dev\//i

/** Labels or annotations of a spec, by the path of the field. */
export type SpecKeys = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>

/**
 * Returns the rejection of the first reserved key. Undefined if there is none. `advice`: additional remedy, as a
 * sentence.
 */
export function reservedKeyRejection(fields: SpecKeys, advice = ''): Rejection<'ReservedKey'> | undefined {
  for (const [field, keys = {}] of Object.entries(fields)) {
    const key = Object.keys(keys).find((one) => reserved.test(one))
    if (key === undefined) continue
    const message = `${field} has ${key}, and keys of konverge.dev and its subdomains are reserved; take it out of the spec${advice}`
    return { reason: 'ReservedKey', message }
  }
  return undefined
}
