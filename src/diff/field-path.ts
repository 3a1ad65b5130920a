// Path of a field in an object, with the steps of server-side apply. A step is a field, a list item by its key, a set
// member by its value, an item by its position. Source: structured-merge-diff, fieldpath.PathElement.
import { canonicalJson, deepEqual, isJsonList, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import { parseExactly } from '../base/wire-json.ts'

export type PathElement =
  | { readonly kind: 'field'; readonly name: string }
  /** An item of a list map: the fields that identify it, e.g. `{name: "kv"}`. */
  | { readonly kind: 'key'; readonly key: JsonObject }
  /** A member of a set. */
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'index'; readonly index: number }

/** From the root of the object downwards; empty for the object itself. */
export type FieldPath = readonly PathElement[]

export function fieldElement(name: string): PathElement {
  return { kind: 'field', name }
}

export function indexElement(index: number): PathElement {
  return { kind: 'index', index }
}

/** Returns the path of nested fields, e.g. `fieldPath('spec', 'replicas')`. */
export function fieldPath(...names: readonly string[]): FieldPath {
  return names.map(fieldElement)
}

/**
 * Parses a key of fieldsV1: `f:name`, `k:{json}`, `v:json` or `i:number`. Undefined for anything else: a later server
 * may write unknown kinds of steps, and fields below them then do not count as owned.
 */
export function parsePathElement(text: string): PathElement | undefined {
  const content = text.slice(2)
  switch (text.slice(0, 2)) {
    case 'f:':
      return fieldElement(content)
    case 'k:': {
      const key = parseJson(content)
      return isJsonObject(key) ? { kind: 'key', key } : undefined
    }
    case 'v:': {
      const value = parseJson(content)
      return value === undefined ? undefined : { kind: 'value', value }
    }
    case 'i:':
      return /^\d+$/.test(content) ? indexElement(Number(content)) : undefined
    default:
      return undefined
  }
}

/** Returns the key of fieldsV1 for an element, in canonical form: equal elements give equal text. */
export function formatPathElement(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return `f:${element.name}`
    case 'key':
      return `k:${canonicalJson(element.key)}`
    case 'value':
      return `v:${canonicalJson(element.value)}`
    case 'index':
      return `i:${element.index}`
  }
}

/**
 * Compares elements in the order of fieldsV1 and of the server's lists: fields, keys, values, indexes; numbers by size.
 */
export function comparePathElements(left: PathElement, right: PathElement): number {
  if (left.kind === 'field' && right.kind === 'field') return compareText(left.name, right.name)
  if (left.kind === 'key' && right.kind === 'key') return compareKeys(left.key, right.key)
  if (left.kind === 'value' && right.kind === 'value') return compareValues(left.value, right.value)
  if (left.kind === 'index' && right.kind === 'index') return left.index - right.index
  return elementRank[left.kind] - elementRank[right.kind]
}

const elementRank = { field: 0, key: 1, value: 2, index: 3 } as const

/** Compares by the first field that differs, in the order of their names; the shorter key comes first. */
function compareKeys(left: JsonObject, right: JsonObject): number {
  const leftNames = Object.keys(left).sort()
  const rightNames = Object.keys(right).sort()
  for (const [index, name] of leftNames.entries()) {
    const other = rightNames[index]
    if (other === undefined) return 1
    const order = compareText(name, other) || compareValues(left[name], right[other])
    if (order !== 0) return order
  }
  return leftNames.length - rightNames.length
}

function compareValues(left: Json | undefined, right: Json | undefined): number {
  const rank = valueRank(left) - valueRank(right)
  if (rank !== 0) return rank
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right)
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0
  if (typeof left === 'boolean') return Number(left) - Number(right)
  return compareText(canonicalJson(left), canonicalJson(right))
}

/** Numbers before strings before booleans before lists before maps before other values. */
function valueRank(value: Json | undefined): number {
  if (isNumber(value)) return 0
  if (typeof value === 'string') return 1
  if (typeof value === 'boolean') return 2
  if (isJsonList(value)) return 3
  return isJsonObject(value) ? 4 : 5
}

function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/**
 * Returns a path for people, in the spelling of the API server's conflict messages.
 *
 * @example renderPath(path) // spec.containers[name="kv"].image, metadata.annotations["a.b/c"],
 * metadata.finalizers[="x"]
 */
export function renderPath(path: FieldPath): string {
  return path.map(renderElement).join('').replace(/^\./, '')
}

/** Returns the value at a path, or undefined if there is none. Linear in the lists on the path. */
export function valueAtPath(value: Json | undefined, path: FieldPath): Json | undefined {
  let found = value
  for (const element of path) found = found === undefined ? undefined : valueAtElement(found, element)
  return found
}

function valueAtElement(value: Json, element: PathElement): Json | undefined {
  if (element.kind === 'field') return isJsonObject(value) ? own(value, element.name) : undefined
  if (!isJsonList(value)) return undefined
  switch (element.kind) {
    case 'index':
      return value[element.index]
    case 'value':
      return value.find((item) => deepEqual(item, element.value))
    case 'key':
      return value.find((item) => isJsonObject(item) && hasKey(item, element.key))
  }
}

function hasKey(item: JsonObject, key: JsonObject): boolean {
  return Object.keys(key).every((name) => deepEqual(own(item, name), key[name]))
}

function renderElement(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return /^[A-Za-z_$][\w$-]*$/.test(element.name) ? `.${element.name}` : `[${JSON.stringify(element.name)}]`
    case 'key':
      return `[${Object.keys(element.key)
        .sort()
        .map((name) => `${name}=${canonicalJson(element.key[name])}`)
        .join(',')}]`
    case 'value':
      return `[=${canonicalJson(element.value)}]`
    case 'index':
      return `[${element.index}]`
  }
}

function parseJson(text: string): Json | undefined {
  try {
    // A parse border: JSON has no other values.
    return parseExactly(text) as Json
  } catch {
    return undefined
  }
}
