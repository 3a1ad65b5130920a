// Strategic merge patch: a merge patch that merges lists by the key of the kind's Go type.
// Directives (`$patch`, `$retainKeys`, …) control the rest.
// Invariant: neither object nor patch is changed.
// Source: k8s.io/apimachinery/pkg/util/strategicpatch (StrategicMergeMapPatch), util/mergepatch for the texts.
// Go reports a random one of several errors; here it is the first in the patch.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { GoField, GoStruct, GoType } from '../built-in/go-type.ts'
import { badRequest, plainError } from '../status-error.ts'
import { goPrinted, goTypeName } from './go-print.ts'
import {
  inOrder,
  isSameScalar,
  itemsIn,
  type MergedItems,
  type MergeItems,
  mergeItems,
  wholeType,
} from './list-merge.ts'
import { badArgument, badPatchType, noMergeKey } from './patch-faults.ts'

const directive = '$patch'
const retainKeys = '$retainKeys'
const deletePrefix = '$deleteFromPrimitiveList'
const orderPrefix = '$setElementOrder'

/**
 * Returns the patched object. Throws StatusError: 400 for malformed directives, 500 for other errors, as upstream does.
 */
export function applyStrategicMergePatch(original: JsonObject, patch: JsonObject, type: GoStruct): JsonObject {
  return mergeObjects(original, patch, type)
}

function mergeObjects(original: JsonObject, patch: JsonObject, type: GoType): JsonObject {
  if (Object.hasOwn(patch, directive)) return directed(patch)
  const merged = new Map(present(original))
  const pending = new Map(present(patch))
  retain(merged, pending)
  for (const [key, order] of [...pending]) {
    if (!key.startsWith(orderPrefix)) continue
    pending.delete(key)
    mergeOrdered({ merged, pending, key, order, type })
  }
  for (const [key, value] of pending) mergeField(merged, key, value, type)
  const result = Object.fromEntries(merged)
  return isUnchanged(original, merged) ? original : result
}

/** Executes `$patch` in a map: `replace` takes the rest of the patch, `delete` empties it. */
function directed(patch: JsonObject): JsonObject {
  const { [directive]: how, ...rest } = patch
  if (how === 'replace') return rest
  if (how === 'delete') return {}
  throw badPatchType(how, patch)
}

/** Executes `$retainKeys`, the list of the keys to keep. It must contain the keys of the patch. */
function retain(merged: Map<string, Json>, pending: Map<string, Json>): void {
  const list = pending.get(retainKeys)
  if (!pending.delete(retainKeys) || list === undefined) return
  const badFormat = () => badRequest('invalid patch format of retainKeys')
  if (!isJsonList(list)) throw badFormat()
  const kept = new Set<Json>(list)
  for (const [key, value] of pending) {
    const isApart = value === null || key.startsWith(deletePrefix) || key.startsWith(orderPrefix)
    if (!isApart && !kept.has(key)) throw badFormat()
  }
  for (const key of merged.keys()) if (!kept.has(key)) merged.delete(key)
}

interface OrderedMerge {
  readonly merged: Map<string, Json>
  readonly pending: Map<string, Json>
  readonly key: string
  readonly order: Json
  readonly type: GoType
}

/** Merges `$setElementOrder/list` together with the patch's list of that name. */
function mergeOrdered({ merged, pending, key, order, type }: OrderedMerge): void {
  if (!isJsonList(order)) throw badArgument('[]interface {}', order)
  const name = keyBehind(key, orderPrefix)
  const original = listOrNothing(merged, name)
  const patched = listOrNothing(pending, name)
  const { items, mergeKey, strategy } = listField(type, name)
  checkOrder(patched, order, mergeKey)
  if (original === undefined && patched === undefined) return
  const { items: whole, serverOrder } =
    original === undefined || patched === undefined
      ? { items: original ?? plainList(patched ?? []), serverOrder: original ?? [] }
      : mergeLists({ original, patch: patched, mergeKey, type: items, isDeletion: false }, strategy)
  const [inPatch, onServer] = itemsIn(whole, order, mergeKey)
  const form = wholeType(original ?? [], patched ?? [])
  merged.set(name, inOrder({ patch: inPatch, server: onServer, patchOrder: order, serverOrder, mergeKey, form }))
  pending.delete(name)
}

function mergeField(merged: Map<string, Json>, patchKey: string, value: Json, type: GoType): void {
  const isDeletion = patchKey.startsWith(deletePrefix)
  const key = isDeletion ? keyBehind(patchKey, deletePrefix) : patchKey
  if (value === null) {
    merged.delete(key)
    return
  }
  const original = merged.get(key)
  if (original === undefined || goTypeName(original) !== goTypeName(value)) {
    if (!isDeletion) setOrDelete(merged, key, withoutDirectives(withoutNulls(value)))
    return
  }
  if (isJsonObject(original) && isJsonObject(value)) {
    const { type: inner, strategy } = structField(type, key)
    merged.set(key, strategy === 'replace' ? value : mergeObjects(original, value, inner))
  } else if (isJsonList(original) && isJsonList(value)) {
    const { items, mergeKey, strategy } = listField(type, key)
    merged.set(key, mergeLists({ original, patch: value, mergeKey, type: items, isDeletion }, strategy).items)
  } else merged.set(key, value)
}

function mergeLists(lists: MergeItems, strategy: string): MergedItems {
  const { original, patch, isDeletion } = lists
  if (strategy !== 'merge' && !isDeletion) return { items: patch, serverOrder: original }
  if (original.length === 0 && patch.length === 0) return { items: original, serverOrder: original }
  return mergeItems(lists, mergeObjects)
}

function setOrDelete(merged: Map<string, Json>, key: string, value: Json | undefined): void {
  if (value === undefined) merged.delete(key)
  else merged.set(key, value)
}

/** Throws if `order` omits items of the patch's list or has them in another order. */
function checkOrder(patched: readonly Json[] | undefined, order: readonly Json[], mergeKey: string): void {
  // To Go, a patch without the list has an empty one.
  if (patched === undefined || order.length === 0 || patched.length === 0) return
  const kept = mergeKey === '' ? patched : patched.filter((item) => !isDeleted(item))
  let at = 0
  let place = 0
  while (at < kept.length && place < order.length) {
    const item = kept[at]
    if (isJsonObject(item) && Object.hasOwn(item, directive)) at++
    else {
      if (isSameItem(item, order[place], mergeKey)) at++
      place++
    }
  }
  if (at < kept.length && place >= order.length)
    throw plainError(
      `The order in patch list:\n${goPrinted(patched)}\n doesn't match ${orderPrefix} list:\n${goPrinted(order)}\n`,
    )
}

function isDeleted(item: Json): boolean {
  if (!isJsonObject(item)) throw badArgument('map[string]interface {}', item)
  return item[directive] === 'delete'
}

function isSameItem(left: Json | undefined, right: Json | undefined, mergeKey: string): boolean {
  if (mergeKey === '') return isSameScalar(left, right)
  return isSameScalar(keyOf(left, mergeKey), keyOf(right, mergeKey))
}

function keyOf(item: Json | undefined, mergeKey: string): Json | undefined {
  if (!isJsonObject(item)) throw badArgument('map[string]interface {}', item)
  if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
  return item[mergeKey]
}

function keyBehind(key: string, prefix: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1)
  throw badRequest(`invalid patch format of ${prefix === deletePrefix ? 'primitive' : 'setElementOrder'} list`)
}

function listOrNothing(map: ReadonlyMap<string, Json>, name: string): readonly Json[] | undefined {
  const value = map.get(name)
  if (value === undefined || isJsonList(value)) return value
  throw badArgument('[]interface {}', value)
}

/** Returns the list without directives. */
function plainList(list: readonly Json[]): readonly Json[] {
  const plain = withoutDirectives(list)
  return isJsonList(plain) ? plain : []
}

/** Removes directives; returns undefined for a map that is a directive itself. */
function withoutDirectives(value: Json): Json | undefined {
  if (isJsonList(value)) return value.map(withoutDirectives).filter((item) => item !== undefined)
  if (!isJsonObject(value)) return value
  if (Object.hasOwn(value, directive)) return undefined
  return Object.fromEntries(
    present(value).flatMap(([key, field]) => {
      const plain = withoutDirectives(field)
      return plain === undefined ? [] : [[key, plain]]
    }),
  )
}

/** Removes null fields, which have nothing to delete here. List items stay. */
function withoutNulls(value: Json): Json {
  if (isJsonList(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    present(value).flatMap(([key, field]) => (field === null ? [] : [[key, withoutNulls(field)]])),
  )
}

function present(object: JsonObject): [string, Json][] {
  return Object.entries(object).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))
}

function isUnchanged(original: JsonObject, merged: ReadonlyMap<string, Json>): boolean {
  if (merged.size !== Object.keys(original).length) return false
  for (const [key, value] of merged) if (original[key] !== value) return false
  return true
}

/** Returns the type and the patch strategy of a struct field. */
function structField(type: GoType, name: string): { readonly type: GoType; readonly strategy: string } {
  const field = fieldOf(type, name)
  return { type: field.type, strategy: strategyOf(field) }
}

function listField(type: GoType, name: string) {
  const field = fieldOf(type, name)
  const held = field.type.form === 'pointer' ? field.type.to : field.type
  if (held === field.type && held.form !== 'list' && held.form !== 'bytes')
    throw plainError(`expected slice or array type, but got: ${kindOf(type)}`)
  return {
    items: held.form === 'list' ? held.items : held,
    mergeKey: field.patchMergeKey,
    strategy: strategyOf(field),
  }
}

function fieldOf(type: GoType, name: string): GoField {
  const struct = type.form === 'pointer' ? type.to : type
  const fields = struct.form === 'struct' ? struct.fields : nothing
  if (struct.form !== 'struct' && !ownStructs.has(struct.form))
    throw plainError(`merging an object in json but data type is not struct, instead is: ${kindOf(struct)}`)
  const field = fields.get(name)
  if (field !== undefined) return field
  const short = struct.goName.slice(struct.goName.lastIndexOf('.') + 1)
  throw plainError(`unable to find api field in struct ${short} for the json field ${JSON.stringify(name)}`)
}

const nothing: ReadonlyMap<string, GoField> = new Map()
/** Structs in Go without visible fields. */
const ownStructs: ReadonlySet<string> = new Set(['raw', 'time', 'microTime', 'quantity', 'intOrString'])

function kindOf({ form }: GoType): string {
  if (form === 'struct' || ownStructs.has(form)) return 'struct'
  return form === 'pointer' ? 'ptr' : form === 'list' ? 'slice' : form
}

/** Returns the patch strategy besides `retainKeys`, which the patch itself requests; at most one is left. */
function strategyOf({ patchStrategy }: GoField): string {
  return patchStrategy.split(',').find((strategy) => strategy !== 'retainKeys') ?? ''
}
