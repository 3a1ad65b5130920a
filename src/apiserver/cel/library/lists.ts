// CEL list libraries: sums, extremes, order, slices, sets. Sources: k8s.io/apiserver/pkg/cel/library/lists.go,
// github.com/google/cel-go/ext/lists.go (version 3) and ext/sets.go.
import { add } from '../arithmetic.ts'
import type { FunctionRows, Library, Row } from '../function-table.ts'
import { elementsOf, ListValue, PlainList } from '../list-value.ts'
import { inserted, MapValue } from '../map-value.ts'
import type { Meter } from '../meter.ts'
import { CelError, compare, Duration, equalTo, noSuchOverload, typeNameOf, Uint, type Value } from '../value.ts'

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']

function forTypes(types: readonly string[], row: (type: string) => readonly [id: string, row: Row]): FunctionRows {
  return { overloads: Object.fromEntries(types.map(row)) }
}

function isSorted(list: ListValue, meter: Meter): Value {
  meter.work(list.size)
  for (let position = 1; position < list.size; position++)
    if (compare(list.at(position - 1), list.at(position)) === 1) return false
  return true
}

const zeros: Readonly<Record<string, Value>> = { int: 0n, uint: new Uint(0n), double: 0, duration: new Duration(0n) }

function sumOf(zero: Value) {
  return (list: ListValue, meter: Meter): Value => {
    let total = zero
    for (let position = 0; position < list.size; position++) {
      total = add(total, list.at(position), meter)
      if (total instanceof CelError) return total
    }
    return total
  }
}

function extreme(name: string, replaces: 1 | -1) {
  return (list: ListValue): Value => {
    if (list.size === 0) return new CelError(`${name} called on empty list`)
    let found = list.at(0)
    for (let position = 1; position < list.size; position++)
      if (compare(found, list.at(position)) === replaces) found = list.at(position)
    return compare(found, found) === undefined ? noSuchOverload(found) : found
  }
}

function indexOf(list: ListValue, item: Value, meter: Meter): Value {
  meter.work(list.size)
  for (let position = 0; position < list.size; position++)
    if (equalTo(list.at(position), item, meter) === true) return BigInt(position)
  return -1n
}

function lastIndexOf(list: ListValue, item: Value, meter: Meter): Value {
  meter.work(list.size)
  for (let position = list.size - 1; position >= 0; position--)
    if (equalTo(list.at(position), item, meter) === true) return BigInt(position)
  return -1n
}

function slice(list: ListValue, start: bigint, end: bigint): Value {
  const fault = (why: string) => new CelError(`cannot slice(${start}, ${end}), ${why}`)
  if (start < 0n || end < 0n) return fault('negative indexes not supported')
  if (start > end) return fault('start index must be less than or equal to end index')
  if (BigInt(list.size) < end) return fault(`list is length ${list.size}`)
  const [first, after] = [Number(start), Number(end)]
  return new PlainList(Array.from({ length: after - first }, (_, offset) => list.at(first + offset)))
}

function flatten(list: Value, depth: Value): Value {
  if (!(list instanceof ListValue))
    return list instanceof CelError ? list : new CelError(`no such overload: ${typeNameOf(list)}.flatten()`)
  if (typeof depth !== 'bigint')
    return new CelError(`no such overload: ${typeNameOf(list)}.flatten(${typeNameOf(depth)})`)
  return depth < 0n ? new CelError('level must be non-negative') : new PlainList(flattened(list, depth))
}

function flattened(list: ListValue, depth: bigint): Value[] {
  return elementsOf(list).flatMap((element) =>
    element instanceof ListValue && depth > 0n ? flattened(element, depth - 1n) : [element],
  )
}

/** Sorts by the values at the same positions of another list. */
function sortedBy(list: ListValue, keys: ListValue, meter: Meter): Value {
  if (list.size !== keys.size)
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    )
  if (list.size === 0) return list
  const first = keys.at(0)
  if (compare(first, first) === undefined) return new CelError('list elements must be comparable')
  meter.work(list.size)
  const pairs = elementsOf(list).map((element, position) => ({ element, key: keys.at(position) }))
  if (pairs.length > 1 && pairs.some(({ key }) => typeNameOf(key) !== typeNameOf(first)))
    return new CelError('list elements must have the same type')
  pairs.sort((left, right) => {
    const order = compare(left.key, right.key)
    return typeof order === 'number' ? order : 0
  })
  return new PlainList(pairs.map(({ element }) => element))
}

function distinct(list: ListValue, meter: Meter): Value {
  if (list.size === 0) return list
  const found: Value[] = []
  for (const element of elementsOf(list)) {
    meter.work(found.length)
    if (!found.some((known) => equalTo(element, known, meter) === true)) found.push(element)
  }
  return new PlainList(found)
}

/** The estimate bounds the length of a literal; the meter bounds the length of any other number. */
function range(end: bigint, meter: Meter): Value {
  meter.work(Number(end < 0n ? 0n : end))
  return new PlainList(Array.from({ length: Number(end < 0n ? 0n : end) }, (_, index) => BigInt(index)))
}

function containsAll(list: ListValue, part: ListValue, meter: Meter): Value {
  for (const element of elementsOf(part)) {
    const isThere = list.contains(element, meter)
    if (isThere !== true) return isThere
  }
  return true
}

function areEquivalent(left: ListValue, right: ListValue, meter: Meter): Value {
  const holds = containsAll(left, right, meter)
  return holds === true ? containsAll(right, left, meter) : holds
}

function intersects(left: ListValue, right: ListValue, meter: Meter): Value {
  return elementsOf(left).some((element) => right.contains(element, meter) === true)
}

function insertedAll(map: Value, added: MapValue): Value {
  let result = map
  for (const key of added.keys()) {
    if (!(result instanceof MapValue)) return result
    result = inserted(result, key, added.get(key))
  }
  return result
}

/** Library of Kubernetes. */
export const kubernetesLists: Library = {
  isSorted: forTypes(comparable, (type) => [`list_${type}_is_sorted_bool`, [`list(${type}).(): bool`, isSorted]]),
  sum: forTypes(['int', 'uint', 'double', 'duration'], (type) => [
    `list_${type}_sum_${type}`,
    [`list(${type}).(): ${type}`, sumOf(zeros[type] ?? 0n)],
  ]),
  max: forTypes(comparable, (type) => [`list_${type}_max_${type}`, [`list(${type}).(): ${type}`, extreme('max', -1)]]),
  min: forTypes(comparable, (type) => [`list_${type}_min_${type}`, [`list(${type}).(): ${type}`, extreme('min', 1)]]),
  indexOf: { overloads: { list_a_index_of_int: ['list(A).(A): int', indexOf] } },
  lastIndexOf: { overloads: { list_a_last_index_of_int: ['list(A).(A): int', lastIndexOf] } },
}

export const sets: Library = {
  'sets.contains': { overloads: { list_sets_contains_list: ['(list(T), list(T)): bool', containsAll] } },
  'sets.equivalent': { overloads: { list_sets_equivalent_list: ['(list(T), list(T)): bool', areEquivalent] } },
  'sets.intersects': { overloads: { list_sets_intersects_list: ['(list(T), list(T)): bool', intersects] } },
}

/** Functions that the two-variable macros call. */
export const collecting: Library = {
  'cel.@mapInsert': {
    overloads: {
      '@mapInsert_map_key_value': ['(map(K, V), K, V): map(K, V)', inserted],
      '@mapInsert_map_map': ['(map(K, V), map(K, V)): map(K, V)', insertedAll],
    },
  },
}

export const extendedLists: Library = {
  slice: { overloads: { list_slice: ['list(T).(int, int): list(T)', slice] } },
  flatten: {
    overloads: {
      list_flatten: ['list(list(T)).(): list(T)', (list: Value) => flatten(list, 1n)],
      list_flatten_int: ['list(dyn).(int): list(dyn)', flatten],
    },
    isUnguarded: true,
  },
  sort: {
    ...forTypes(comparable, (type) => [`list_${type}_sort`, [`list(${type}).(): list(${type})`]]),
    shared: { evaluate: (list: ListValue, meter: Meter) => sortedBy(list, list, meter), ability: 'list' },
  },
  '@sortByAssociatedKeys': {
    ...forTypes(comparable, (type) => [`list_${type}_sortByAssociatedKeys`, [`list(T).(list(${type})): list(T)`]]),
    shared: { evaluate: sortedBy, ability: 'list' },
  },
  'lists.range': { overloads: { lists_range: ['(int): list(int)', range] } },
  reverse: {
    overloads: {
      list_reverse: ['list(T).(): list(T)', (list: ListValue) => new PlainList(elementsOf(list).reverse())],
    },
  },
  distinct: { overloads: { list_distinct: ['list(T).(): list(T)', distinct] } },
}
