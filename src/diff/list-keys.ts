// Identity of the items of a list map: by the fields that the server wrote into the manager's managedFields as the key,
// whatever the position. Lists of custom resources thus need no table of keys.
import { canonicalJson, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import type { FieldSet } from './field-set.ts'

export interface KeyedItem {
  readonly item: Json
  /**
   * The item's key in canonical fieldsV1 form. If the item lacks a key field, the key is partial, and equal to no owned
   * one.
   */
  readonly text: string
}

/** Returns the items with their keys. `keyNames` are sorted, as in a FieldSet. */
export function keyedItems(items: readonly Json[], keyNames: readonly string[]): KeyedItem[] {
  const labels = keyNames.map((name) => JSON.stringify(name))
  return items.map((item) => ({ item, text: keyText(item, keyNames, labels) }))
}

/** Returns the fields that identify an item. */
export function keyOf(item: Json, keyNames: readonly string[]): JsonObject {
  const entries: [string, Json][] = []
  for (const name of keyNames) {
    const value = keyValue(item, name)
    if (value !== undefined) entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

/**
 * Returns the declared items with their keys. An item may omit a key field that has a default in the schema. It gets
 * the key of the only owned item that matches its other key fields and that no other declared item has.
 */
export function declaredItems(items: readonly Json[], owned: FieldSet): KeyedItem[] {
  const { keyNames } = owned
  const keyed = keyedItems(items, keyNames)
  const isWhole = ({ item }: KeyedItem): boolean => keyNames.every((name) => keyValue(item, name) !== undefined)
  if (keyed.every(isWhole)) return keyed
  const taken = new Set(keyed.map(({ text }) => text))
  const free = [...owned.children].flatMap(([text, { element }]) =>
    element.kind === 'key' && !taken.has(text) ? [{ item: element.key, text }] : [],
  )
  const byPart = new Map<string, ReadonlyMap<string, string | undefined>>()
  return keyed.map((entry) => {
    if (isWhole(entry)) return entry
    const names = keyNames.filter((name) => keyValue(entry.item, name) !== undefined)
    const index = byPart.get(names.join()) ?? indexByPart(free, names)
    byPart.set(names.join(), index)
    return { item: entry.item, text: index.get(entry.text) ?? entry.text }
  })
}

/** Returns the whole keys by their values in `names`; undefined if several have the same values. */
function indexByPart(free: readonly KeyedItem[], names: readonly string[]): ReadonlyMap<string, string | undefined> {
  const index = new Map<string, string | undefined>()
  const labels = names.map((name) => JSON.stringify(name))
  for (const { item, text } of free) {
    const part = keyText(item, names, labels)
    index.set(part, index.has(part) ? undefined : text)
  }
  return index
}

/** Written by hand because a comparison spends most of its time here. */
function keyText(item: Json, names: readonly string[], labels: readonly string[]): string {
  let text = 'k:{'
  for (let index = 0; index < names.length; index++) {
    const value = keyValue(item, names[index] ?? '')
    if (value === undefined) continue
    if (text.length > 3) text += ','
    text += `${labels[index]}:${typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value)}`
  }
  return `${text}}`
}

function keyValue(item: Json, name: string): Json | undefined {
  const value = isJsonObject(item) ? own(item, name) : undefined
  return value === null ? undefined : value
}
