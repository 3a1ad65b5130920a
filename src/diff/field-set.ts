// The fields that a manager owns: an immutable trie of paths, read from the fieldsV1 of a managedFields entry.
// Invariant: equal sets give equal fieldsV1. Source: structured-merge-diff, fieldpath.Set.
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import {
  comparePathElements,
  type FieldPath,
  formatPathElement,
  type PathElement,
  parsePathElement,
} from './field-path.ts'

/** One step down the trie. */
export interface FieldSetChild {
  readonly element: PathElement
  readonly set: FieldSet
}

/**
 * Granularity of the ownership of a value:
 *
 * - `whole`: as one leaf: a scalar, an empty map, or an atomic list or struct.
 * - `fields`: field by field; `items`: a list item by item, by key; `values`: a list as a set.
 * - `positions`: a list item by item, by position; servers do not write this for applied fields today.
 */
export type Grain = 'whole' | 'fields' | 'items' | 'values' | 'positions'

const grainOf = { field: 'fields', key: 'items', value: 'values', index: 'positions' } as const

type Children = ReadonlyMap<string, FieldSetChild>

const noChildren: Children = new Map()

export class FieldSet {
  static readonly empty = new FieldSet(false, noChildren)
  /** An owned path without anything below it. */
  static readonly leaf = new FieldSet(true, noChildren)

  /** True if the path to this set is itself owned, and not only fields below it. */
  readonly isMember: boolean
  /** By the canonical fieldsV1 key of each step. */
  readonly children: Children
  #fieldsV1: JsonObject | undefined

  constructor(isMember: boolean, children: Children) {
    this.isMember = isMember
    this.children = children
  }

  /** Returns the set of exactly these paths; parents are not in it unless they are named. */
  static of(paths: Iterable<FieldPath>): FieldSet {
    let set = FieldSet.empty
    for (const path of paths) {
      set = set.union(path.reduceRight((below: FieldSet, element) => below.below(element), FieldSet.leaf))
    }
    return set
  }

  get grain(): Grain {
    const first = this.children.values().next().value?.element
    return first === undefined ? 'whole' : grainOf[first.kind]
  }

  /** Returns the names of the fields that identify a list item, sorted; empty unless the grain is `items`. */
  get keyNames(): readonly string[] {
    const first = this.children.values().next().value?.element
    return first?.kind === 'key' ? Object.keys(first.key).sort() : []
  }

  get isEmpty(): boolean {
    return !this.isMember && this.children.size === 0
  }

  /** Returns the owned fields at and below the step, or undefined if there are none. */
  child(element: PathElement): FieldSet | undefined {
    return this.children.get(formatPathElement(element))?.set
  }

  /** The same as `child` for a field, without an element. */
  field(name: string): FieldSet | undefined {
    return this.children.get(`f:${name}`)?.set
  }

  /** True if exactly this path is owned. */
  has(path: FieldPath): boolean {
    let set: FieldSet | undefined = this
    for (const element of path) set = set?.child(element)
    return set?.isMember ?? false
  }

  /** Returns every owned path, parents before children. */
  paths(): FieldPath[] {
    const found: FieldPath[] = []
    const visit = (set: FieldSet, path: FieldPath): void => {
      if (set.isMember) found.push(path)
      for (const { element, set: below } of set.children.values()) visit(below, [...path, element])
    }
    visit(this, [])
    return found
  }

  /** Returns the paths owned by either. */
  union(other: FieldSet): FieldSet {
    if (this === other || other.isEmpty) return this
    if (this.isEmpty) return other
    const changes = new Changes(this.children)
    for (const [key, child] of other.children) {
      const mine = this.children.get(key)
      if (mine === undefined) changes.set(key, child)
      else changes.replace(key, mine, mine.set.union(child.set))
    }
    return reshaped(this, this.isMember || other.isMember, changes.children)
  }

  /** Returns the paths owned by both. */
  intersection(other: FieldSet): FieldSet {
    if (this === other) return this
    const children = new Map<string, FieldSetChild>()
    const fewer = this.children.size < other.children.size ? this.children : other.children
    for (const key of fewer.keys()) {
      const mine = this.children.get(key)
      const theirs = other.children.get(key)
      const set = theirs && mine?.set.intersection(theirs.set)
      if (mine !== undefined && set !== undefined && !set.isEmpty) children.set(key, { element: mine.element, set })
    }
    return reshaped(this, this.isMember && other.isMember, children)
  }

  /** Returns the paths owned by this and not by the other; only the identical path removes a path. */
  difference(other: FieldSet): FieldSet {
    if (this === other) return FieldSet.empty
    const changes = new Changes(this.children)
    for (const [key, { set }] of other.children) {
      const mine = this.children.get(key)
      if (mine !== undefined) changes.replace(key, mine, mine.set.difference(set))
    }
    return reshaped(this, this.isMember && !other.isMember, changes.children)
  }

  /** Works as `difference`, but a path also removes everything below it. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (other.isMember) return FieldSet.empty
    const changes = new Changes(this.children)
    for (const [key, { set }] of other.children) {
      const mine = this.children.get(key)
      if (mine !== undefined) changes.replace(key, mine, mine.set.recursiveDifference(set))
    }
    return reshaped(this, this.isMember, changes.children)
  }

  /** True if the other set owns every path of this one. */
  isSubsetOf(other: FieldSet): boolean {
    if (this === other) return true
    if ((this.isMember && !other.isMember) || this.children.size > other.children.size) return false
    for (const [key, { set }] of this.children) {
      const match = other.children.get(key)
      if (match === undefined || !set.isSubsetOf(match.set)) return false
    }
    return true
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

  /** Returns the children in the server's order, each with its canonical key. */
  sortedChildren(): readonly (readonly [string, FieldSetChild])[] {
    const children = [...this.children]
    return children.length < 2 ? children : children.sort(([, a], [, b]) => comparePathElements(a.element, b.element))
  }

  /** Returns the set as fieldsV1, in the server's order and spelling. Computed once. */
  toFieldsV1(): JsonObject {
    this.#fieldsV1 ??= this.#write()
    return this.#fieldsV1
  }

  #write(): JsonObject {
    const entries: [string, Json][] = this.isMember && this.children.size > 0 ? [['.', {}]] : []
    for (const [key, { set }] of this.sortedChildren()) {
      entries.push([key.startsWith('f:') ? key : escaped(key), set.toFieldsV1()])
    }
    return Object.fromEntries(entries)
  }

  /** Returns the same paths without the one to this set; the object as a whole has no owner. */
  get ofRoot(): FieldSet {
    return reshaped(this, false, this.children)
  }

  /** Returns this set one step further down. */
  below(element: PathElement): FieldSet {
    return new FieldSet(false, new Map([[formatPathElement(element), { element, set: this }]]))
  }
}

/**
 * Returns the set itself if nothing differs. Not a private method: TypeScript would give the class a second name, which
 * is not defined yet when `empty` is created.
 */
function reshaped(set: FieldSet, isMember: boolean, children: Children): FieldSet {
  if (isMember === set.isMember && children === set.children) return set
  if (children.size === 0) return isMember ? FieldSet.leaf : FieldSet.empty
  return new FieldSet(isMember, children)
}

/** Children that are copied at their first change, so that sets share common parts. */
class Changes {
  readonly #before: Children
  #after: Map<string, FieldSetChild> | undefined

  constructor(before: Children) {
    this.#before = before
  }

  get children(): Children {
    return this.#after ?? this.#before
  }

  set(key: string, child: FieldSetChild): void {
    this.#after ??= new Map(this.#before)
    this.#after.set(key, child)
  }

  /** Replaces a child; an empty one is removed. */
  replace(key: string, before: FieldSetChild, set: FieldSet): void {
    if (set === before.set) return
    if (!set.isEmpty) return this.set(key, { element: before.element, set })
    this.#after ??= new Map(this.#before)
    this.#after.delete(key)
  }
}

/** The server escapes these characters in values, as in JSON within HTML. */
function escaped(key: string): string {
  return key.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const parsed = new WeakMap<JsonObject, FieldSet>()

/**
 * Parses fieldsV1, once for each object identity: the cache interns entries, so all objects with the same fields share
 * one set. Linear in size.
 */
export function fieldSetOf(fieldsV1: JsonObject): FieldSet {
  let set = parsed.get(fieldsV1)
  if (set === undefined) {
    const children = childrenOf(fieldsV1)
    // The root is no field, so an empty fieldsV1 owns nothing, although an empty node below it is a leaf.
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
    const set = grandchildren.size === 0 ? FieldSet.leaf : new FieldSet(isMember, grandchildren)
    children.set(formatPathElement(element), { element, set })
  }
  return children
}
