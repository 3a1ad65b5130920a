// Comparison of two values: the fields that the new one removes, modifies and adds. An atomic value counts as one
// field.
// Source: sigs.k8s.io/structured-merge-diff, typed.TypedValue.Compare.
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { fieldElement, type PathElement } from '../../diff/field-path.ts'
import { FieldSet, type FieldSetChild } from '../../diff/field-set.ts'
import { keyedList, stepAt } from './list-element.ts'
import { type Form, fieldTypeOf, formOf, type ListType, type MapType, type MergeType } from './merge-type.ts'

export interface Comparison {
  readonly removed: FieldSet
  readonly modified: FieldSet
  readonly added: FieldSet
}

const same: Comparison = { removed: FieldSet.empty, modified: FieldSet.empty, added: FieldSet.empty }
const removed: Comparison = { ...same, removed: FieldSet.leaf }
const modified: Comparison = { ...same, modified: FieldSet.leaf }
const added: Comparison = { ...same, added: FieldSet.leaf }

/** Compares two values. Cost: linear in the parts that are not identical references. */
export function compareTyped(type: MergeType, old: Json, now: Json): Comparison {
  const { removed, modified, added } = compare(type, old, now)
  return { removed: removed.ofRoot, modified: modified.ofRoot, added: added.ofRoot }
}

export function isSame({ removed, modified, added }: Comparison): boolean {
  return removed.isEmpty && modified.isEmpty && added.isEmpty
}

/** Returns the comparison without `fields` and everything below them. */
export function withoutFields(comparison: Comparison, fields: FieldSet): Comparison {
  if (fields.isEmpty) return comparison
  return {
    removed: comparison.removed.recursiveDifference(fields),
    modified: comparison.modified.recursiveDifference(fields),
    added: comparison.added.recursiveDifference(fields),
  }
}

function compare(type: MergeType, old: Json | undefined, now: Json | undefined): Comparison {
  if (old === now) return same
  const oldForm = formOf(type, old)
  const nowForm = formOf(type, now)
  if (now === undefined) return compareAs(oldForm, type, old, now)
  if (old === undefined || oldForm === nowForm) return compareAs(nowForm, type, old, now)
  // Each form compares only the value of that form: everything old is removed, everything new is added.
  return both(compareAs(oldForm, type, old, now), compareAs(nowForm, type, old, now))
}

function compareAs(form: Form, type: MergeType, old: Json | undefined, now: Json | undefined): Comparison {
  if (form === 'map' && type.map !== undefined && !type.map.isAtomic) {
    const before = isJsonObject(old) ? old : {}
    const after = isJsonObject(now) ? now : {}
    if (hasKeys(before) || hasKeys(after)) return whole(old, now, compareEntries(type.map, before, after))
  }
  if (form === 'list' && type.list !== undefined && !type.list.isAtomic) {
    const before = isJsonList(old) ? old : []
    const after = isJsonList(now) ? now : []
    if (before.length > 0 || after.length > 0) return whole(old, now, compareItems(type.list, before, after))
  }
  if (old === undefined) return added
  if (now === undefined) return removed
  return deepEqual(old, now) ? same : modified
}

/** Adds the container itself if it is new or removed. */
function whole(old: Json | undefined, now: Json | undefined, inside: Comparison): Comparison {
  if (old === undefined) return both(inside, added)
  return now === undefined ? both(inside, removed) : inside
}

function compareEntries(map: MapType, old: JsonObject, now: JsonObject): Comparison {
  const found = new Gathered()
  const visit = (name: string): void => {
    const type = fieldTypeOf(map, name)
    if (type === undefined) return
    const comparison = compare(type, ownValue(old, name), ownValue(now, name))
    if (comparison === same) return
    const field = map.fields.get(name)
    found.add(field?.key ?? `f:${name}`, field?.element ?? fieldElement(name), comparison)
  }
  for (const name of Object.keys(old)) visit(name)
  for (const name of Object.keys(now)) if (!Object.hasOwn(old, name)) visit(name)
  return found.comparison
}

function compareItems(list: ListType, old: readonly Json[], now: readonly Json[]): Comparison {
  const found = new Gathered()
  const before = grouped(list, old)
  const after = grouped(list, now)
  for (const [key, { element, items }] of before) {
    found.add(key, element, compareAlike(list.elementType, items, after.get(key)?.items ?? []))
  }
  for (const [key, { element, items }] of after) {
    if (!before.has(key)) found.add(key, element, compareAlike(list.elementType, [], items))
  }
  return found.comparison
}

/** Compares the items of one key; several items count as one atomic value. */
function compareAlike(type: MergeType, old: readonly Json[], now: readonly Json[]): Comparison {
  if (old.length <= 1 && now.length <= 1) return compare(type, old[0], now[0])
  if (old.length > 1 && now.length > 1) return deepEqual(old, now) ? same : modified
  if (old.length > 1) return both(now.length === 0 ? same : compare(type, undefined, now[0]), removed)
  return both(old.length === 0 ? same : compare(type, old[0], undefined), added)
}

interface Alike {
  readonly element: PathElement
  readonly items: Json[]
}

function grouped(list: ListType, items: readonly Json[]): Map<string, Alike> {
  const groups = new Map<string, Alike>()
  const keyed = keyedList(list, items)
  for (const [index, item] of items.entries()) {
    const { element, key } = stepAt(keyed, index)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { element, items: [item] })
    else group.items.push(item)
  }
  return groups
}

/** Accumulates the comparisons below each path element. */
class Gathered {
  #removed: Map<string, FieldSetChild> | undefined
  #modified: Map<string, FieldSetChild> | undefined
  #added: Map<string, FieldSetChild> | undefined

  add(key: string, element: PathElement, { removed, modified, added }: Comparison): void {
    if (!removed.isEmpty) this.#removed = (this.#removed ?? new Map()).set(key, { element, set: removed })
    if (!modified.isEmpty) this.#modified = (this.#modified ?? new Map()).set(key, { element, set: modified })
    if (!added.isEmpty) this.#added = (this.#added ?? new Map()).set(key, { element, set: added })
  }

  get comparison(): Comparison {
    if (this.#removed === undefined && this.#modified === undefined && this.#added === undefined) return same
    return { removed: setOf(this.#removed), modified: setOf(this.#modified), added: setOf(this.#added) }
  }
}

function setOf(children: ReadonlyMap<string, FieldSetChild> | undefined): FieldSet {
  return children === undefined ? FieldSet.empty : new FieldSet(false, children)
}

function both(left: Comparison, right: Comparison): Comparison {
  if (left === same) return right
  if (right === same) return left
  return {
    removed: left.removed.union(right.removed),
    modified: left.modified.union(right.modified),
    added: left.added.union(right.added),
  }
}

function ownValue(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function hasKeys(object: JsonObject): boolean {
  for (const name in object) if (Object.hasOwn(object, name)) return true
  return false
}
