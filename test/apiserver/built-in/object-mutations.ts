// Mutations of one value in a tree: dropped, nulled, emptied, duplicated, out of bounds, or replaced by another value.
// Seeded, so that a failure is reproducible.
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../src/base/json.ts'

/** Small deterministic random numbers (mulberry32). */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }
}

export type Path = readonly (string | number)[]

const texts = [
  '',
  'a',
  'x.y',
  'Always',
  'X'.repeat(64),
  'a_b',
  '-a',
  'kube/x',
  '1',
  'Ünï',
  'Never',
  '*.a.b',
  '10.0.0.1',
]
const numbers = [0, 1, -1, 5, 65535, 65536, 100_001, 2_147_483_647, -2_147_483_648]
const intOrTexts: readonly Json[] = [0, 1, -1, '0%', '50%', '101%', 'x', '5', '%', '']

/** Returns every path of a tree. */
export function pathsOf(value: Json, path: Path = []): Path[] {
  const here = path.length === 0 ? [] : [path]
  if (isJsonList(value)) return [...here, ...value.flatMap((item, index) => pathsOf(item, [...path, index]))]
  if (!isJsonObject(value)) return here
  return [...here, ...Object.entries(value).flatMap(([key, field]) => pathsOf(field ?? null, [...path, key]))]
}

/** Returns the tree with another value at one path; `undefined` removes the value. */
export function changed(value: Json, path: Path, to: (old: Json | undefined) => Json | undefined): Json {
  const [step, ...rest] = path
  if (step === undefined) return to(value) ?? null
  if (isJsonList(value)) {
    return value.flatMap((item, index) => {
      if (index !== step) return [item]
      if (rest.length > 0) return [changed(item, rest, to)]
      const next = to(item)
      return next === undefined ? [] : [next]
    })
  }
  if (!isJsonObject(value)) return value
  const field = value[step]
  const next = rest.length > 0 ? changed(field ?? {}, rest, to) : to(field)
  return Object.fromEntries([
    ...Object.entries(value).filter(([key]) => key !== step || next !== undefined),
    ...(next === undefined ? [] : [[step, next] as const]),
  ])
}

/** Returns the object with one mutation, at a path that `isOpen` accepts. */
export function mutated(
  object: JsonObject,
  dice: Dice,
  isOpen: (path: Path) => boolean,
  words: readonly string[],
): Json {
  const paths = pathsOf(object).filter(isOpen)
  if (paths.length === 0) return object
  return changed(object, dice.pick(paths), (old) => {
    const way = dice.below(20)
    if (way < 5) return undefined
    if (way === 5) return null
    if (way === 6) return dice.pick<Json>(['x', 1, true, {}, []])
    return similar(old, dice, words)
  })
}

/** Returns another value of the same type, mostly an invalid one. */
function similar(old: Json | undefined, dice: Dice, words: readonly string[]): Json | undefined {
  if (typeof old === 'number') return dice.pick(numbers)
  if (typeof old === 'boolean') return !old
  if (typeof old === 'string' && /^\d+%$/.test(old)) return dice.pick(intOrTexts)
  if (typeof old === 'string') return dice.below(2) === 0 || words.length === 0 ? dice.pick(texts) : dice.pick(words)
  const isEmptied = dice.below(2) === 0
  if (isJsonList(old)) {
    const [first] = old
    return isEmptied || first === undefined ? [] : [...old, first]
  }
  return isEmptied ? {} : old
}
