// Copies a value to wire JSON: frozen, with keys in code-unit order, so that equal values have equal bytes. Values that
// JSON would change silently (NaN, Date) are rejected with their path.
import type { Json } from '../base/json.ts'
import { SynthError } from './synth-errors.ts'

/** Owner of a value, for the message. */
export interface WireOwner {
  readonly name: string
  readonly constructPath?: string
}

/**
 * Returns the copy. Linear in size. Omits an undefined field and turns an undefined item into null, like
 * JSON.stringify; cdk8s turns null items into undefined. Throws a SynthError of code `NotJson`.
 */
export function wireJson(value: unknown, owner: WireOwner): Json {
  return copy(value, { owner, path: [] })
}

interface Place {
  readonly owner: WireOwner
  /** Pushed and popped during the walk. */
  readonly path: string[]
}

/** Deeper than any real object; a cycle ends here. */
const maxDepth = 100

function copy(value: unknown, place: Place): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw rejection(`is ${value}, which JSON cannot hold`, place)
  }
  if (typeof value !== 'object')
    throw rejection(typeof value === 'undefined' ? 'is undefined' : `is a ${typeof value}`, place)
  if (place.path.length > maxDepth) throw rejection(`is more than ${maxDepth} levels deep, or contains itself`, place)
  return Array.isArray(value) ? copyList(value, place) : copyObject(value, place)
}

function copyList(list: readonly unknown[], place: Place): Json {
  const items: Json[] = []
  for (const [index, item] of list.entries()) {
    place.path.push(String(index))
    items.push(copy(item ?? null, place))
    place.path.pop()
  }
  return Object.freeze(items)
}

function copyObject(object: object, place: Place): Json {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null) {
    throw rejection(`is an instance of ${object.constructor?.name ?? 'a class'}`, place)
  }
  const fields = new Map<string, unknown>(Object.entries(object))
  const copied: [string, Json][] = []
  for (const key of [...fields.keys()].sort()) {
    const field = fields.get(key)
    if (field === undefined) continue
    place.path.push(key)
    copied.push([key, copy(field, place)])
    place.path.pop()
  }
  return Object.freeze(Object.fromEntries(copied))
}

function rejection(what: string, { owner, path }: Place): SynthError {
  return new SynthError({
    code: 'NotJson',
    message: `${owner.name}: /${path.join('/')} ${what}; give it as a plain JSON value`,
    constructPath: owner.constructPath,
  })
}
