// Merge of a configuration into an object: the union of both; the configuration wins.
// Unchanged values keep their reference.
// Source: sigs.k8s.io/structured-merge-diff, typed.Merge.
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { type KeyedList, keyedList, stepAt } from './list-element.ts'
import { fieldTypeOf, formOf, type ListType, type MapType, type MergeType } from './merge-type.ts'

/**
 * Returns the merged value. Both inputs must be validated.
 * Cost: linear in the configuration and in the lists and maps that it contains.
 */
export function mergeTyped(type: MergeType, live: Json, applied: Json): Json {
  if (live === applied) return live
  switch (formOf(type, applied)) {
    case 'map':
      if (type.map === undefined || type.map.isAtomic) break
      return mergeMaps(type.map, live, applied)
    case 'list':
      if (type.list === undefined || type.list.isAtomic) break
      return mergeLists(type.list, live, applied)
    case 'scalar':
      break
  }
  return replaced(live, applied)
}

function replaced(live: Json, applied: Json): Json {
  return deepEqual(live, applied) ? live : applied
}

function mergeMaps(map: MapType, live: Json, applied: Json): Json {
  const before = isJsonObject(live) ? live : {}
  const after = isJsonObject(applied) ? applied : {}
  const names = Object.keys(after)
  // Empty and null differ, and only the configuration can decide between them.
  if (names.length === 0) return Object.keys(before).length === 0 ? replaced(live, applied) : before
  let changes: [string, Json][] | undefined
  for (const name of names) {
    const value = after[name]
    if (value === undefined) continue
    const old = Object.hasOwn(before, name) ? before[name] : undefined
    const type = fieldTypeOf(map, name)
    const merged = old === undefined || type === undefined ? value : mergeTyped(type, old, value)
    if (merged === old) continue
    changes ??= []
    changes.push([name, merged])
  }
  return changes === undefined ? before : withEntries(before, changes)
}

/** Builds from entries, because an assignment to `__proto__` would not create a key. */
function withEntries(object: JsonObject, changes: readonly (readonly [string, Json])[]): JsonObject {
  return { ...object, ...Object.fromEntries(changes) }
}

function mergeLists(list: ListType, live: Json, applied: Json): Json {
  const before = isJsonList(live) ? live : []
  const after = isJsonList(applied) ? applied : []
  if (after.length === 0) return before.length === 0 ? replaced(live, applied) : before
  const ofLive = keyedList(list, before)
  const ofApplied = keyedList(list, after)
  const merged = isInStep(ofLive, ofApplied)
    ? after.map((item, index) => mergeTyped(list.elementType, before[index] ?? null, item))
    : new ListMerge(list.elementType, before, ofLive, ofApplied).merge()
  const isUnchanged = merged.length === before.length && merged.every((item, index) => item === before[index])
  return isUnchanged ? before : merged
}

/** Returns whether both lists have the same items in the same order, as most repeated applies do. */
function isInStep(live: KeyedList, applied: KeyedList): boolean {
  if (live.steps.length !== applied.steps.length || live.hasDuplicates) return false
  return live.steps.every((_, index) => stepAt(live, index).key === stepAt(applied, index).key)
}

/**
 * Merge of two keyed lists. Common items have the order of the configuration.
 * Live-only items keep their place before the next common item.
 */
class ListMerge {
  readonly #type: MergeType
  readonly #liveItems: readonly Json[]
  readonly #live: KeyedList
  readonly #applied: KeyedList
  /** Keys of the common items that are still to come, in the configuration's order. */
  readonly #shared: string[]
  /** Keys of duplicate live items; the configuration's item replaces all of them. */
  readonly #alike: ReadonlySet<string>
  readonly #taken = new Set<string>()
  readonly #merged: Json[] = []

  constructor(type: MergeType, liveItems: readonly Json[], live: KeyedList, applied: KeyedList) {
    this.#type = type
    this.#liveItems = liveItems
    this.#live = live
    this.#applied = applied
    this.#shared = [...applied.items.keys()].filter((key) => live.items.has(key))
    this.#alike = live.hasDuplicates ? alike(live) : noKeys
  }

  merge(): readonly Json[] {
    let ofLive = 0
    let ofApplied = 0
    for (;;) {
      const live = this.#keyAt(this.#live, ofLive)
      const applied = this.#keyAt(this.#applied, ofApplied)
      if (live === undefined && applied === undefined) return this.#merged
      if (live !== undefined && live === applied) {
        this.#takeBoth(live)
        this.#shared.shift()
        ofLive++
        ofApplied++
        continue
      }
      if (live !== undefined) {
        const isShared = this.#applied.items.has(live)
        const awaited = this.#shared[0]
        if (applied !== undefined && isShared && awaited !== undefined && awaited !== live) {
          ofLive++
          continue
        }
        if (!isShared) {
          this.#merged.push(this.#liveItems[ofLive] ?? null)
          ofLive++
          continue
        }
        if (this.#taken.has(live)) ofLive++
      }
      if (applied !== undefined) {
        this.#takeBoth(applied)
        ofApplied++
        if (this.#shared[0] === applied) this.#shared.shift()
      }
    }
  }

  #keyAt(list: KeyedList, index: number): string | undefined {
    return index < list.steps.length ? stepAt(list, index).key : undefined
  }

  #takeBoth(key: string): void {
    this.#taken.add(key)
    const live = this.#alike.has(key) ? null : this.#live.items.get(key)
    const applied = this.#applied.items.get(key) ?? null
    this.#merged.push(live === undefined ? applied : mergeTyped(this.#type, live, applied))
  }
}

const noKeys: ReadonlySet<string> = new Set()

function alike(list: KeyedList): ReadonlySet<string> {
  const seen = new Set<string>()
  const found = new Set<string>()
  for (let index = 0; index < list.steps.length; index++) {
    const { key } = stepAt(list, index)
    if (seen.has(key)) found.add(key)
    seen.add(key)
  }
  return found
}
