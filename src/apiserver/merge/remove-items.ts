// Removal of fields and items from a value. A map or list that loses its last child becomes null, as in upstream.
// Source: sigs.k8s.io/structured-merge-diff, typed.TypedValue.RemoveItems.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import type { FieldSet } from '../../diff/field-set.ts'
import { keyedList, stepAt } from './list-element.ts'
import { fieldTypeOf, formOf, type ListType, type MapType, type MergeType } from './merge-type.ts'

/** Returns the value without `items`; shares unchanged parts. */
export function removeItems(type: MergeType, value: Json, items: FieldSet): Json {
  if (items.children.size === 0 && type.map?.isAtomic !== true) return value
  return removeBelow(type, value, items)
}

function removeBelow(type: MergeType, value: Json, items: FieldSet): Json {
  switch (formOf(type, value)) {
    case 'scalar':
      return value
    case 'map':
      return type.map === undefined || type.map.isAtomic || !isJsonObject(value)
        ? null
        : removeEntries(type.map, value, items)
    case 'list':
      return type.list === undefined || type.list.isAtomic || !isJsonList(value)
        ? null
        : removeFromList(type.list, value, items)
  }
}

function removeEntries(map: MapType, value: JsonObject, items: FieldSet): Json {
  const left: [string, Json][] = []
  for (const name of Object.keys(value)) {
    const below = value[name]
    const removed = items.children.get(map.fields.get(name)?.key ?? `f:${name}`)?.set
    if (below === undefined || removed?.isMember === true) continue
    const type = fieldTypeOf(map, name)
    left.push([name, removed === undefined || type === undefined ? below : removeBelow(type, below, removed)])
  }
  return left.length === 0 ? null : Object.fromEntries(left)
}

function removeFromList(list: ListType, value: readonly Json[], items: FieldSet): Json {
  const left: Json[] = []
  const keyed = keyedList(list, value)
  for (const [index, item] of value.entries()) {
    const removed = items.children.get(stepAt(keyed, index).key)?.set
    if (removed?.isMember === true) continue
    left.push(removed === undefined ? item : removeBelow(list.elementType, item, removed))
  }
  return left.length === 0 ? null : left
}
