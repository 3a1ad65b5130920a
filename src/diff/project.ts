// Projection of a live object to the owned fields. It is the part to hash: it has the server's spelling of the applied
// fields, and nothing that others write.
import { canonicalJson, isJsonList, isJsonObject, type Json, own } from '../base/json.ts'
import type { FieldSet } from './field-set.ts'
import { keyedItems } from './list-keys.ts'

/**
 * Returns the part of `value` that `owned` covers, or undefined if there is none. Items of list maps keep their live
 * order, which matters; sets are sorted, because their order does not. Linear in the size of the owned part, except for
 * sorting sets.
 */
export function project(value: Json | undefined, owned: FieldSet): Json | undefined {
  if (value === undefined || owned.grain === 'whole') return value
  if (isJsonObject(value) && owned.grain === 'fields') {
    const entries: [string, Json][] = []
    for (const { element, set } of owned.children.values()) {
      const part = element.kind === 'field' ? project(own(value, element.name), set) : undefined
      if (element.kind === 'field' && part !== undefined) entries.push([element.name, part])
    }
    return Object.fromEntries(entries)
  }
  if (isJsonList(value) && owned.grain === 'items') {
    return keyedItems(value, owned.keyNames).flatMap(({ item, text }) => {
      const child = owned.children.get(text)
      const part = child === undefined ? undefined : project(item, child.set)
      return part === undefined ? [] : [part]
    })
  }
  if (isJsonList(value) && owned.grain === 'values') {
    return value
      .map((item) => ({ item, text: canonicalJson(item) }))
      .filter(({ text }) => owned.children.has(`v:${text}`))
      .sort((left, right) => (left.text < right.text ? -1 : 1))
      .map(({ item }) => item)
  }
  // Owned in another way than its present type allows, as after a change of the schema: the whole value counts.
  return value
}
