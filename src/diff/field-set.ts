// Which fields does a manager own? An immutable trie of paths, read from the fieldsV1 of a managedFields entry. Equal sets
// give equal fieldsV1. Source: structured-merge-diff, fieldpath.Set.
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import { type FieldPath, formatPathElement, type PathElement, parsePathElement } from './field-path.ts'

/** One step down the trie. */
export interface FieldSetChild {
  readonly element: PathElement
  readonly set: FieldSet
}

/**
 * How a value is owned:
 *
 * - `whole`: as one leaf: a scalar, an empty map, or an atomic list or struct.
 * - `fields`: field by field; `items`: a list item by item, by key; `values`: a list as a set.
 * - `positions`: a list item by item, by position; servers do not write this for applied fields today.
 */
export type Grain = 'whole' | 'fields' | 'items' | 'values' | 'positions'

const grainOf = { field: 'fields', key: 'items', value: 'values', index: 'positions' } as const

export class FieldSet {
  static readonly empty = new FieldSet(false, new Map())

  /** Is the path that leads here itself owned, and not only fields below it? */
  readonly isMember: boolean
  /** By the canonical fieldsV1 key of each step. */
  readonly children: ReadonlyMap<string, FieldSetChild>
  readonly grain: Grain
  /** Names of the fields that identify a list item, sorted; empty unless the grain is `items`. */
  readonly keyNames: readonly string[]

  constructor(isMember: boolean, children: ReadonlyMap<string, FieldSetChild>) {
    this.isMember = isMember
    this.children = children
    const first = children.values().next().value?.element
    this.grain = first === undefined ? 'whole' : grainOf[first.kind]
    this.keyNames = first?.kind === 'key' ? Object.keys(first.key).sort() : []
  }

  get isEmpty(): boolean {
    return !this.isMember && this.children.size === 0
  }

  /** What is owned at and below the step, or undefined if nothing is. */
  child(element: PathElement): FieldSet | undefined {
    return this.children.get(formatPathElement(element))?.set
  }

  /** The same as `child` for a field, without making an element. */
  field(name: string): FieldSet | undefined {
    return this.children.get(`f:${name}`)?.set
  }

  /** Is exactly this path owned? */
  has(path: FieldPath): boolean {
    let set: FieldSet | undefined = this
    for (const element of path) set = set?.child(element)
    return set?.isMember ?? false
  }

  /** Every owned path, parents before children. */
  paths(): FieldPath[] {
    const found: FieldPath[] = []
    const visit = (set: FieldSet, path: FieldPath): void => {
      if (set.isMember) found.push(path)
      for (const { element, set: below } of set.children.values()) visit(below, [...path, element])
    }
    visit(this, [])
    return found
  }

  /** The paths owned by either. */
  union(other: FieldSet): FieldSet {
    return combine(this, other, (left, right) => left || right)
  }

  /** The paths owned by both. */
  intersection(other: FieldSet): FieldSet {
    return combine(this, other, (left, right) => left && right)
  }

  /** The paths owned by this and not by the other; a path goes only if the very same path is in the other. */
  difference(other: FieldSet): FieldSet {
    return combine(this, other, (left, right) => left && !right)
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true
    if (this.isMember !== other.isMember || this.children.size !== other.children.size) return false
    for (const [key, { set }] of this.children) {
      const match = other.children.get(key)
      if (match === undefined || !set.equals(match.set)) return false
    }
    return true
  }

  /** As fieldsV1, keys in code-unit order. */
  toFieldsV1(): JsonObject {
    const entries: [string, Json][] = this.isMember && this.children.size > 0 ? [['.', {}]] : []
    for (const key of [...this.children.keys()].sort()) {
      const child = this.children.get(key)
      if (child !== undefined) entries.push([key, child.set.toFieldsV1()])
    }
    return Object.fromEntries(entries)
  }
}

const parsed = new WeakMap<JsonObject, FieldSet>()

/**
 * Parses fieldsV1, once for each object identity: the cache interns entries, so all objects with the same fields share one
 * set. Linear in size.
 */
export function fieldSetOf(fieldsV1: JsonObject): FieldSet {
  let set = parsed.get(fieldsV1)
  if (set === undefined) {
    const children = childrenOf(fieldsV1)
    // The root is no field, so an empty fieldsV1 owns nothing, where an empty node below it is a leaf.
    set = children.size === 0 ? FieldSet.empty : new FieldSet(false, children)
    parsed.set(fieldsV1, set)
  }
  return set
}

function childrenOf(node: JsonObject): Map<string, FieldSetChild> {
  const children = new Map<string, FieldSetChild>()
  for (const [text, below] of Object.entries(node)) {
    const element = text === '.' ? undefined : parsePathElement(text)
    if (element === undefined || !isJsonObject(below)) continue
    const grandchildren = childrenOf(below)
    const isMember = grandchildren.size === 0 || Object.hasOwn(below, '.')
    children.set(formatPathElement(element), { element, set: new FieldSet(isMember, grandchildren) })
  }
  return children
}

function combine(left: FieldSet, right: FieldSet, keep: (left: boolean, right: boolean) => boolean): FieldSet {
  const children = new Map<string, FieldSetChild>()
  for (const key of new Set([...left.children.keys(), ...right.children.keys()])) {
    const ofLeft = left.children.get(key)
    const ofRight = right.children.get(key)
    const element = (ofLeft ?? ofRight)?.element
    if (element === undefined) continue
    const set = combine(ofLeft?.set ?? FieldSet.empty, ofRight?.set ?? FieldSet.empty, keep)
    if (!set.isEmpty) children.set(key, { element, set })
  }
  return new FieldSet(keep(left.isMember, right.isMember), children)
}
