// What is an object after a configuration was applied to it? All of both; where both say something, what the configuration
// says. What does not change is the very same value as before. Source: sigs.k8s.io/structured-merge-diff, typed.Merge.
import { deepEqual, isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { type Step, stepsOf } from './list-element.ts'
import { fieldTypeOf, formOf, type ListType, type MapType, type MergeType } from './merge-type.ts'

/** Linear in the configuration, and in the lists and maps that it speaks of. Both have been validated. */
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
  // Empty and null are not the same, and nothing but the configuration can say which.
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

/** Built from entries, because to assign to `__proto__` would not make a key. */
function withEntries(object: JsonObject, changes: readonly (readonly [string, Json])[]): JsonObject {
  return { ...object, ...Object.fromEntries(changes) }
}

function mergeLists(list: ListType, live: Json, applied: Json): Json {
  const before = isJsonList(live) ? live : []
  const after = isJsonList(applied) ? applied : []
  if (after.length === 0) return before.length === 0 ? replaced(live, applied) : before
  const merged = new ListMerge(list, before, after).merge()
  const isUnchanged = merged.length === before.length && merged.every((item, index) => item === before[index])
  return isUnchanged ? before : merged
}

interface Side {
  readonly steps: readonly Step[]
  /** By step. An item that is there more than once is null here: its like in the configuration takes its place. */
  readonly items: ReadonlyMap<string, Json>
}

/**
 * Items that both lists have come in the order of the configuration; what only the live one has keeps its place before the
 * next that both have.
 */
class ListMerge {
  readonly #type: MergeType
  readonly #live: Side
  readonly #liveItems: readonly Json[]
  readonly #applied: Side
  /** Those that both have and are still to come, in the configuration's order. */
  readonly #shared: string[]
  readonly #taken = new Set<string>()
  readonly #merged: Json[] = []

  constructor(list: ListType, live: readonly Json[], applied: readonly Json[]) {
    this.#type = list.elementType
    this.#liveItems = live
    this.#live = sideOf(list, live)
    this.#applied = sideOf(list, applied)
    this.#shared = this.#applied.steps.map(({ key }) => key).filter((key) => this.#live.items.has(key))
  }

  merge(): readonly Json[] {
    let ofLive = 0
    let ofApplied = 0
    for (;;) {
      const live = this.#live.steps[ofLive]?.key
      const applied = this.#applied.steps[ofApplied]?.key
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

  #takeBoth(key: string): void {
    this.#taken.add(key)
    const live = this.#live.items.get(key)
    const applied = this.#applied.items.get(key) ?? null
    this.#merged.push(live === undefined ? applied : mergeTyped(this.#type, live, applied))
  }
}

function sideOf(list: ListType, items: readonly Json[]): Side {
  const steps = stepsOf(list, items)
  const byKey = new Map<string, Json>()
  for (const [index, { key }] of steps.entries()) byKey.set(key, byKey.has(key) ? null : (items[index] ?? null))
  return { steps, items: byKey }
}
