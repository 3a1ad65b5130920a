// Lookup of the old element that corresponds to a new one: lists of type `map` correlate by their keys.
// Source: k8s.io/apiserver/pkg/cel/common/maplist.go.
import { isJsonObject, type Json, type JsonObject, own } from '../../base/json.ts'
import type { Schema } from '../schema/schema.ts'

/** Returns the first element with the same keys; reads the list only as far as needed. */
export function listLookup(schema: Schema, list: readonly Json[]): (element: Json) => Json | undefined {
  const keys = schema.listMapKeys
  if (schema.listType !== 'map' || keys.length === 0 || list.length === 0) return () => undefined
  const known = new Map<string, Json>()
  let next = 0
  return (element) => {
    const wanted = isJsonObject(element) ? identityOf(element, keys) : undefined
    if (wanted === undefined) return undefined
    while (!known.has(wanted) && next < list.length) {
      const candidate = list[next++]
      const identity = isJsonObject(candidate) ? identityOf(candidate, keys) : undefined
      if (identity !== undefined && candidate !== undefined && !known.has(identity)) known.set(identity, candidate)
    }
    return known.get(wanted)
  }
}

/** Returns undefined if a key is missing or no scalar. */
function identityOf(element: JsonObject, keys: readonly string[]): string | undefined {
  const parts = keys.map((key) => own(element, key))
  if (parts.some((part) => part === undefined || part === null || typeof part === 'object')) return undefined
  return parts.map((part) => `${typeof part} ${String(part)}`).join('\u0000')
}
