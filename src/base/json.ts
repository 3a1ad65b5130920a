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
