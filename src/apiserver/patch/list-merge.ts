// List merge of strategic merge patches. Items with a key merge with the item of the same key or are added.
// Scalars join the set.
// The patch's items have the order of the patch, the others keep theirs.
// Source: k8s.io/apimachinery/pkg/util/strategicpatch/patch.go (mergeSlice and what it calls).
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { GoType } from '../built-in/go-type.ts'
import { plainError } from '../status-error.ts'
import { goPrinted, goTypeName } from './go-print.ts'
import { badArgument, badPatchType, listOfLists, noMergeKey } from './patch-faults.ts'

export interface MergeItems {
  readonly original: readonly Json[]
  readonly patch: readonly Json[]
  /** '' for lists of scalars. */
  readonly mergeKey: string
  /** Type of one item. */
  readonly type: GoType
  /** True if the patch lists items to delete. */
  readonly isDeletion: boolean
}

type MergeObjects = (original: JsonObject, patch: JsonObject, type: GoType) => JsonObject

const mapType = 'map[string]interface {}'

export interface MergedItems {
  readonly items: readonly Json[]
  /**
   * Server order for a later `$setElementOrder`.
   * Go deletes and adds in place, so it sees added items in the room of deleted ones.
   */
  readonly serverOrder: readonly Json[]
}

/** Returns the merged list. At least one of the lists must have items. */
export function mergeItems(lists: MergeItems, mergeObjects: MergeObjects): MergedItems {
  const { original, patch, mergeKey, type, isDeletion } = lists
  const form = wholeType(original, patch)
  if (form !== mapType) {
    if (isDeletion) return { items: original.filter((item) => !patch.includes(item)), serverOrder: original }
    return { items: ordered([...new Set([...original, ...patch])], lists, form), serverOrder: original }
  }
  if (mergeKey === '')
    throw plainError(`cannot merge lists without merge key for ${type.form === 'pointer' ? 'ptr' : 'struct'}`)
  const { isReplaced, ...left } = followDirectives(original, patch, mergeKey)
  const directed = { ...lists, ...left }
  const joined = joinItems(directed, mergeObjects)
  const serverOrder = isReplaced ? original : joined.slice(0, original.length)
  return { items: ordered(joined, directed, form), serverOrder }
}

function ordered(merged: readonly Json[], { original, patch, mergeKey }: MergeItems, form: string): readonly Json[] {
  const [inPatch, onServer] = itemsIn(merged, patch, mergeKey)
  return inOrder({ patch: inPatch, server: onServer, patchOrder: patch, serverOrder: original, mergeKey, form })
}

/** Returns both lists after the items with `$patch` have been executed. */
function followDirectives(
  original: readonly Json[],
  patch: readonly Json[],
  mergeKey: string,
): Pick<MergeItems, 'original' | 'patch'> & { readonly isReplaced: boolean } {
  let left = original
  const plain: Json[] = []
  let isReplaced = false
  for (const item of patch) {
    if (!isJsonObject(item) || !Object.hasOwn(item, '$patch')) {
      plain.push(item)
      continue
    }
    const how = item['$patch']
    if (how === 'replace') isReplaced = true
    else if (how === 'merge') throw plainError('merging lists cannot yet be specified in the patch')
    else if (how !== 'delete') throw badPatchType(how, item)
    else {
      const key = keyOf(item, mergeKey)
      left = left.filter((other) => !hasKey(other, mergeKey, key))
    }
  }
  return isReplaced ? { original: plain, patch: [], isReplaced } : { original: left, patch: plain, isReplaced }
}

function joinItems({ original, patch, mergeKey, type }: MergeItems, mergeObjects: MergeObjects): readonly Json[] {
  const joined = [...original]
  for (const item of patch) {
    if (!isJsonObject(item)) continue // Unreachable: all items are objects, as their common type was checked.
    const key = keyOf(item, mergeKey)
    const at = joined.findIndex((other) => hasKey(other, mergeKey, key))
    const found = joined[at]
    if (isJsonObject(found)) joined[at] = mergeObjects(found, item, type)
    else joined.push(item)
  }
  return joined
}

function keyOf(item: JsonObject, mergeKey: string): Json | undefined {
  if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
  return item[mergeKey]
}

function hasKey(item: Json, mergeKey: string, key: Json | undefined): boolean {
  return isJsonObject(item) && Object.hasOwn(item, mergeKey) && isSameScalar(item[mergeKey], key)
}

/** Returns whether two scalars are equal. Throws for lists and maps, at which upstream panics. */
export function isSameScalar(left: Json | undefined, right: Json | undefined): boolean {
  if (typeof left === 'object' && left !== null && goTypeName(left) === goTypeName(right))
    throw plainError(`comparing uncomparable type ${goTypeName(left)}`)
  return left === right
}

/** Returns the items that are in `list`, and the others. */
export function itemsIn(items: readonly Json[], list: readonly Json[], mergeKey: string): [Json[], Json[]] {
  const present: Json[] = []
  const absent: Json[] = []
  for (const item of items) (isIn(item, list, mergeKey) ? present : absent).push(item)
  return [present, absent]
}

function isIn(item: Json, list: readonly Json[], mergeKey: string): boolean {
  if (mergeKey === '') return list.includes(item)
  if (!isJsonObject(item)) throw badArgument(mapType, item)
  const key = keyOf(item, mergeKey)
  for (const [index, other] of list.entries()) {
    if (!isJsonObject(other)) throw plainError(`value for key ${index} is not a map`)
    if (hasKey(other, mergeKey, key)) return true
  }
  return false
}

export interface Ordering {
  /** Items in the patch's order, and items that only the server has. */
  readonly patch: readonly Json[]
  readonly server: readonly Json[]
  readonly patchOrder: readonly Json[]
  readonly serverOrder: readonly Json[]
  readonly mergeKey: string
  readonly form: string
}

/** Merges both: each keeps its order; server items precede the items that followed them on the server. */
export function inOrder({ patch, server, patchOrder, serverOrder, mergeKey, form }: Ordering): readonly Json[] {
  const identity = (item: Json) => (form === mapType && isJsonObject(item) ? item[mergeKey] : item)
  const right = sorted(patch, patchOrder, { mergeKey, form, identity })
  const left = sorted(server, serverOrder, { mergeKey, form, identity })
  const ranks = ranksOf(serverOrder, identity)
  const all: Json[] = []
  let at = 0
  for (const item of right) {
    const rank = ranks.get(identity(item))
    for (; at < left.length && rank !== undefined; at++) {
      const other = left[at]
      const otherRank = other === undefined ? undefined : ranks.get(identity(other))
      if (other === undefined || otherRank === undefined || otherRank >= rank) break
      all.push(other)
    }
    all.push(item)
  }
  return [...all, ...left.slice(at)]
}

type Identity = (item: Json) => Json | undefined

function ranksOf(order: readonly Json[], identity: Identity): ReadonlyMap<Json | undefined, number> {
  const ranks = new Map<Json | undefined, number>()
  for (const [rank, item] of order.entries()) if (!ranks.has(identity(item))) ranks.set(identity(item), rank)
  return ranks
}

interface Sorting {
  readonly mergeKey: string
  readonly form: string
  readonly identity: Identity
}

function sorted(
  items: readonly Json[],
  order: readonly Json[],
  { mergeKey, form, identity }: Sorting,
): readonly Json[] {
  if (form === mapType) for (const item of [...items, ...order]) checkKeyed(item, mergeKey)
  const isDeleted = (item: Json) => form === mapType && isJsonObject(item) && item['$patch'] === 'delete'
  const kept = items.filter((item) => !isDeleted(item))
  const ranks = ranksOf(order, identity)
  const rankOf = (item: Json) => ranks.get(identity(item))
  const isRanked = kept.every((item) => rankOf(item) !== undefined)
  const inOrder = isRanked
    ? kept.toSorted((left, right) => (rankOf(left) ?? 0) - (rankOf(right) ?? 0))
    : sortedByInsertion(kept, (left, right) => isBefore(rankOf(left), rankOf(right)))
  return [...inOrder, ...items.filter(isDeleted)]
}

/**
 * Go's comparison. An item without a rank is less than all others, and they are less than it.
 * Only Go's own sort steps give its order.
 */
function isBefore(left: number | undefined, right: number | undefined): boolean {
  return left === undefined || right === undefined || left < right
}

function sortedByInsertion(items: readonly Json[], isLess: (left: Json, right: Json) => boolean): readonly Json[] {
  const list = [...items]
  for (let from = 1; from < list.length; from++) {
    for (let at = from; at > 0; at--) {
      const [before, item] = [list[at - 1], list[at]]
      if (before === undefined || item === undefined || !isLess(item, before)) break
      list[at - 1] = item
      list[at] = before
    }
  }
  return list
}

function checkKeyed(item: Json, mergeKey: string): void {
  if (!isJsonObject(item)) throw badArgument(mapType, item)
  keyOf(item, mergeKey)
}

/** Returns the common type of all items of the lists. Throws StatusError. */
export function wholeType(...lists: readonly (readonly Json[])[]): string {
  const items = lists.flat()
  const [first] = items
  if (first === undefined) throw plainError('no elements in any of the given slices')
  if (first === null) throw plainError('a merged list begins with null') // Upstream panics here.
  if (isJsonList(first)) throw listOfLists()
  const form = goTypeName(first)
  if (items.some((item) => goTypeName(item) !== form))
    throw plainError(`list element types are not identical: ${goPrinted(lists)}`)
  return form
}
