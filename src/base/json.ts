// JSON values as they travel on the wire: plain, acyclic, compared by content. Invariant: objects may have any key of a
// user, including `__proto__`, so code reads only own properties.
import { createHash } from 'node:crypto'

/** A `bigint` is an integer beyond 2^53, which Kubernetes allows (int64); see wire-json.ts. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** True for an object; false for a scalar, a list, null or undefined. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for a list. `Array.isArray` alone does not narrow read-only lists. */
export function isJsonList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

/** Returns the value of an own property, never of one inherited from Object.prototype. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/**
 * True if the values are equal by content; object keys in any order, a key with value `undefined` counts as absent.
 * Linear in size.
 */
export function deepEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (isJsonList(left)) return isJsonList(right) && areListsEqual(left, right)
  return !isJsonList(right) && areObjectsEqual(left, right)
}

function areListsEqual(left: readonly Json[], right: readonly Json[]): boolean {
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index++) if (!deepEqual(left[index], right[index])) return false
  return true
}

function areObjectsEqual(left: JsonObject, right: JsonObject): boolean {
  let present = 0
  for (const key of Object.keys(left)) {
    const value = left[key]
    if (value === undefined) continue
    present++
    if (!Object.hasOwn(right, key) || !deepEqual(value, right[key])) return false
  }
  const others = Object.keys(right)
  return present === others.length || present === presentKeys(right).length
}

/** Returns JSON text with object keys in code-unit order and no white space: equal values give equal text. */
export function canonicalJson(value: Json | undefined): string {
  if (isJsonList(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'bigint') return value.toString()
  if (!isJsonObject(value)) return JSON.stringify(value ?? null)
  const fields = presentKeys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
  return `{${fields.join(',')}}`
}

/** Returns a short content hash (96 bits, hexadecimal) to compare values. It protects no secrets. */
export function hashJson(value: Json | undefined): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 24)
}

function presentKeys(object: JsonObject): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined)
}
