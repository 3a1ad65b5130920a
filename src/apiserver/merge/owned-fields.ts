// Fields that a configuration contains, which its manager then owns: each leaf, each item of a keyed list, each map
// entry.
// Source: sigs.k8s.io/structured-merge-diff, typed.TypedValue.ToFieldSet.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { fieldElement } from '../../diff/field-path.ts'
import { FieldSet, type FieldSetChild } from '../../diff/field-set.ts'
import { keyedList, stepAt } from './list-element.ts'
import { fieldTypeOf, formOf, type ListType, type MapType, type MergeType } from './merge-type.ts'

/** Returns the fields of a value. Cost: linear in the value. */
export function ownedFields(type: MergeType, value: Json): FieldSet {
  return owned(type, value, false).ofRoot
}

/** Returns the fields of a value. `isMember`: the value itself is owned, whatever is below it. */
function owned(type: MergeType, value: Json, isMember: boolean): FieldSet {
  switch (formOf(type, value)) {
    case 'scalar':
      return FieldSet.leaf
    case 'list':
      if (type.list === undefined || type.list.isAtomic) return FieldSet.leaf
      return isJsonList(value) ? ownedItems(type.list, value, isMember) : only(isMember)
    case 'map':
      if (type.map === undefined || type.map.isAtomic) return FieldSet.leaf
      return isJsonObject(value) ? ownedEntries(type.map, value, isMember) : only(isMember)
  }
}

function only(isMember: boolean): FieldSet {
  return isMember ? FieldSet.leaf : FieldSet.empty
}

function ownedEntries(map: MapType, value: JsonObject, isMember: boolean): FieldSet {
  const children = new Map<string, FieldSetChild>()
  for (const name of Object.keys(value)) {
    const below = value[name]
    const type = fieldTypeOf(map, name)
    if (below === undefined || type === undefined) continue
    const field = map.fields.get(name)
    const set = owned(type, below, field === undefined || isVacant(below))
    if (!set.isEmpty) children.set(field?.key ?? `f:${name}`, { element: field?.element ?? fieldElement(name), set })
  }
  return children.size === 0 ? only(isMember) : new FieldSet(isMember, children)
}

function ownedItems(list: ListType, items: readonly Json[], isMember: boolean): FieldSet {
  const children = new Map<string, FieldSetChild>()
  const keyed = keyedList(list, items)
  for (const [index, item] of items.entries()) {
    const { element, key } = stepAt(keyed, index)
    // Items with the same key are owned together, without anything below them.
    const set = children.has(key) ? FieldSet.leaf : owned(list.elementType, item, true)
    children.set(key, { element, set })
  }
  return children.size === 0 ? only(isMember) : new FieldSet(isMember, children)
}

function isVacant(value: Json): boolean {
  if (value === null) return true
  return isJsonObject(value) && Object.keys(value).length === 0
}
