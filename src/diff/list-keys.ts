// Which item of a list map is which? By the fields that the server wrote into our managedFields as its key, whatever the
// position. So lists of custom resources need no table of keys.
import { canonicalJson, isJsonObject, type Json, type JsonObject, own } from '../base/json.ts'
import type { FieldSet } from './field-set.ts'

export interface KeyedItem {
  readonly item: Json
  /** The item's key as fieldsV1 writes it, canonical; partial, and so equal to no owned one, if the item lacks a key field. */
  readonly text: string
}

/** The items with their keys. `keyNames` are sorted, as a FieldSet has them. */
export function keyedItems(items: readonly Json[], keyNames: readonly string[]): KeyedItem[] {
  const labels = keyNames.map((name) => JSON.stringify(name))
  return items.map((item) => ({ item, text: keyText(item, keyNames, labels) }))
}

/** The fields that identify an item. */
export function keyOf(item: Json, keyNames: readonly string[]): JsonObject {
  const entries: [string, Json][] = []
  for (const name of keyNames) {
    const value = keyValue(item, name)
    if (value !== undefined) entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

/**
 * The declared items with their keys. One that leaves out a key field, as it may when the schema has a default for it,
 * gets the key of the only owned item that agrees with it in the others and that no other declared item has.
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

/** The whole keys by what they say in `names`; undefined where several say the same. */
function indexByPart(free: readonly KeyedItem[], names: readonly string[]): ReadonlyMap<string, string | undefined> {
  const index = new Map<string, string | undefined>()
  const labels = names.map((name) => JSON.stringify(name))
  for (const { item, text } of free) {
    const part = keyText(item, names, labels)
    index.set(part, index.has(part) ? undefined : text)
  }
  return index
}

/** Written out by hand because a comparison spends most of its time here. */
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
