// Random schemas of custom kinds, with every form of field sharing, and random values that mostly conform.
// Names and values come from small pools, so that managers meet at the same fields.
import type { Json, JsonObject } from '../../../src/base/json.ts'

/** Random numbers in [0, 1), determined by a seed. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  chance(probability: number): boolean {
    return this.roll() < probability
  }

  /** Returns an integer from `from` to `to`, inclusive. */
  between(from: number, to: number): number {
    return from + Math.floor(this.roll() * (to - from + 1))
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.between(0, items.length - 1)] ?? items[0]
  }

  some<Item>(items: readonly Item[], probability: number): Item[] {
    return items.filter(() => this.chance(probability))
  }
}

const scalars: readonly [JsonObject, ...JsonObject[]] = [
  { type: 'string' },
  { type: 'string' },
  { type: 'integer' },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'string', format: 'date-time' },
  { 'x-kubernetes-int-or-string': true },
]
const fieldNames = ['a', 'b', 'c', 'd'] as const

/** Returns a schema for a field with at most `depth` nested levels. */
export function randomSchema(dice: Dice, depth: number): JsonObject {
  if (depth === 0 || dice.chance(0.2)) return dice.pick(scalars)
  const below = (): JsonObject => randomSchema(dice, depth - 1)
  return dice.pick<() => JsonObject>([
    () => struct(dice, below),
    () => struct(dice, below),
    () => ({ ...struct(dice, below), 'x-kubernetes-map-type': dice.pick(['atomic', 'granular']) }),
    () => ({ type: 'object', additionalProperties: below() }),
    () => ({ type: 'object', additionalProperties: below(), 'x-kubernetes-map-type': 'atomic' }),
    () => ({ type: 'array', items: below(), ...(dice.chance(0.5) ? { 'x-kubernetes-list-type': 'atomic' } : {}) }),
    () => ({ type: 'array', items: dice.pick(scalars), 'x-kubernetes-list-type': 'set' }),
    () => listMap(dice, below),
    () => listMap(dice, below),
    () => ({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
    () => ({ ...struct(dice, below), 'x-kubernetes-preserve-unknown-fields': true }),
    () => ({ 'x-kubernetes-preserve-unknown-fields': true }),
    () => ({ ...struct(dice, below), 'x-kubernetes-embedded-resource': true }),
  ])()
}

function struct(dice: Dice, below: () => JsonObject): JsonObject {
  const names = dice.some(fieldNames, 0.6)
  const used = names.length === 0 ? ['a'] : names
  return { type: 'object', properties: Object.fromEntries(used.map((name) => [name, below()])) }
}

function listMap(dice: Dice, below: () => JsonObject): JsonObject {
  const keys = dice.pick<readonly string[]>([['name'], ['port', 'protocol'], ['name', 'on']])
  const properties = {
    name: { type: 'string' },
    port: { type: 'integer' },
    protocol: { type: 'string', default: 'TCP' },
    on: { type: 'boolean', default: false },
    value: below(),
  }
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
    items: { type: 'object', properties, ...(dice.chance(0.1) ? { 'x-kubernetes-map-type': 'atomic' } : {}) },
  }
}

/** Returns the schema with some list and map types changed. */
export function changedGranularity(dice: Dice, schema: Json): Json {
  if (Array.isArray(schema)) return schema
  if (typeof schema !== 'object' || schema === null) return schema
  const changed = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, changedGranularity(dice, value ?? null)]),
  )
  if (!dice.chance(0.3)) return changed
  if (changed['type'] === 'object' && changed['additionalProperties'] !== undefined) {
    changed['x-kubernetes-map-type'] = dice.pick(['atomic', 'granular'])
  }
  if (
    changed['type'] === 'object' &&
    changed['properties'] !== undefined &&
    !('name' in Object(changed['properties']))
  ) {
    changed['x-kubernetes-map-type'] = dice.pick(['atomic', 'granular'])
  }
  if (changed['x-kubernetes-list-type'] !== undefined) changed['x-kubernetes-list-type'] = 'atomic'
  return changed
}

export interface Wildness {
  /** Probability that a value is mistyped, null, or a forbidden duplicate. */
  readonly fault: number
  /** Probability that a field is present. */
  readonly density: number
}

export function randomValue(dice: Dice, schema: JsonObject, wildness: Wildness): Json {
  if (dice.chance(wildness.fault)) return dice.pick<Json>([null, null, {}, [], 'text', 7, true, { a: 'x' }, ['x']])
  if (schema['x-kubernetes-int-or-string'] === true) return dice.pick<Json>([1, 2, '50%'])
  const within = (inner: Json | undefined): Json => randomValue(dice, inner as JsonObject, wildness)
  switch (schema['type']) {
    case 'string':
      return schema['format'] === 'date-time' ? '2024-05-05T00:00:00Z' : dice.pick(['x', 'y', 'z', '<b> & "c"'])
    case 'integer':
      return dice.pick([0, 1, 2, 80, 443, 1_234_567])
    case 'number':
      return dice.pick([0, 1, 1.5, 0.00001, 1e21])
    case 'boolean':
      return dice.chance(0.5)
    case 'array':
      return randomList(dice, schema, wildness)
    case 'object': {
      const value = randomFields(dice, schema, wildness, within)
      if (schema['x-kubernetes-embedded-resource'] !== true) return value
      return {
        apiVersion: 'v1',
        kind: 'Inner',
        ...(dice.chance(0.5) ? { metadata: randomMetadata(dice) } : {}),
        ...value,
      }
    }
    default:
      return dice.pick<() => Json>([() => anything(dice, 2), () => anything(dice, 2), () => 'x'])()
  }
}

function randomFields(
  dice: Dice,
  schema: JsonObject,
  { density }: Wildness,
  within: (schema: Json) => Json,
): JsonObject {
  const fields: [string, Json][] = []
  for (const [name, property] of Object.entries(Object(schema['properties']) as Record<string, Json>)) {
    if (dice.chance(density)) fields.push([name, within(property)])
  }
  const additional = schema['additionalProperties']
  if (additional !== undefined)
    for (const name of dice.some(['k1', 'k2', '__proto__'], density)) fields.push([name, within(additional)])
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) {
    for (const name of dice.some(['u1', 'u2'], density)) fields.push([name, anything(dice, 2)])
  }
  return Object.fromEntries(fields)
}

function randomList(dice: Dice, schema: JsonObject, wildness: Wildness): Json {
  const items = Object(schema['items']) as JsonObject
  const list = Array.from({ length: dice.between(0, 4) }, () => randomItem(dice, schema, items, wildness))
  if (schema['x-kubernetes-list-type'] === undefined || schema['x-kubernetes-list-type'] === 'atomic') return list
  if (dice.chance(wildness.fault * 3)) return list
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []) as readonly string[]
  const seen = new Set<string>()
  return list.filter((item) => {
    const known = { protocol: 'TCP', on: false, ...Object(item) } as Record<string, Json>
    const text = JSON.stringify(keys.length === 0 ? item : keys.map((key) => known[key] ?? null))
    return !seen.has(text) && seen.add(text)
  })
}

function randomItem(dice: Dice, schema: JsonObject, items: JsonObject, wildness: Wildness): Json {
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []) as readonly string[]
  if (schema['x-kubernetes-list-type'] !== 'map') return randomValue(dice, items, wildness)
  const value = randomValue(dice, items, wildness)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || dice.chance(wildness.fault)) return value
  const key = { name: dice.pick(['x', 'y', 'z']), port: dice.pick([80, 443, 1_234_567]) }
  const required = Object.fromEntries(Object.entries(key).filter(([name]) => keys.includes(name)))
  return { ...value, ...required }
}

export function randomMetadata(dice: Dice): JsonObject {
  const texts = (): JsonObject =>
    Object.fromEntries(dice.some(['k1', 'k2', 'x.y/z'], 0.5).map((key) => [key, dice.pick(['1', '2'])]))
  return {
    ...(dice.chance(0.4) ? { labels: texts() } : {}),
    ...(dice.chance(0.4) ? { annotations: texts() } : {}),
    ...(dice.chance(0.3) ? { finalizers: dice.some(['f/1', 'f/2', 'f/3'], 0.5) } : {}),
    ...(dice.chance(0.2)
      ? {
          ownerReferences: dice
            .some(['u1', 'u2'], 0.6)
            .map((uid) => ({ apiVersion: 'v1', kind: 'Owner', name: dice.pick(['o1', 'o2']), uid })),
        }
      : {}),
  }
}

function anything(dice: Dice, depth: number): Json {
  if (depth === 0) return dice.pick<Json>(['x', 'y', 1, true, null])
  return dice.pick<() => Json>([
    () => anything(dice, 0),
    () => dice.some(['x', 'y'], 0.5),
    () => Object.fromEntries(dice.some(['a', 'b', 'u1'], 0.5).map((name) => [name, anything(dice, depth - 1)])),
  ])()
}
