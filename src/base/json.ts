// What is JSON here? Values as they travel on the wire: plain, acyclic, compared by content. Objects may carry any key a
// user wrote, `__proto__` included, so they are only ever read through own properties.
import { createHash } from 'node:crypto'

/** A `bigint` is an integer that a number cannot hold (beyond 2^53) and Kubernetes can (int64); see wire-json.ts. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** Is `value` an object, as opposed to a scalar, a list or nothing? */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Is `value` a list? `Array.isArray` alone does not narrow read-only lists. */
export function isJsonList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

/** The value of an own property; never one inherited from Object.prototype. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Equal by content; object keys in any order, a key with value `undefined` counts as absent. Linear in size. */
export function deepEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true
  if (isJsonList(left)) {
    return (
      isJsonList(right) && left.length === right.length && left.every((item, index) => deepEqual(item, right[index]))
    )
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false
  const leftKeys = presentKeys(left)
  return (
    leftKeys.length === presentKeys(right).length &&
    leftKeys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key], right[key]))
  )
}

/** JSON text with object keys in code-unit order and no white space: equal values give equal text. */
export function canonicalJson(value: Json | undefined): string {
  if (isJsonList(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'bigint') return value.toString()
  if (!isJsonObject(value)) return JSON.stringify(value ?? null)
  const fields = presentKeys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
  return `{${fields.join(',')}}`
}

/** A short content hash (96 bits, hexadecimal) for telling values apart, not for keeping secrets. */
export function hashJson(value: Json | undefined): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 24)
}

function presentKeys(object: JsonObject): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined)
}
