// CEL optionals. Source: github.com/google/cel-go/cel/library.go (OptionalTypes, version 2).
import type { Library } from '../function-table.ts'
import { elementsOf, ListValue, PlainList } from '../list-value.ts'
import { MapValue } from '../map-value.ts'
import { minSeconds } from '../timestamp.ts'
import { Bytes, CelError, Duration, Optional, Timestamp, Uint, type Value } from '../value.ts'

/** True for empty texts, lists and maps, zero, false and null. Schema objects are never zero values. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Bytes) return value.data.length === 0
  if (value instanceof Duration) return value.nanoseconds === 0n
  if (value instanceof Timestamp) return value.seconds === minSeconds && value.nanoseconds === 0
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0 && value.canBeZero
  return false
}

function unwrapped(list: ListValue): Value {
  const values: Value[] = []
  for (const element of elementsOf(list)) {
    if (!(element instanceof Optional)) return new CelError('value is not optional')
    if (element.value !== undefined) values.push(element.value)
  }
  return new PlainList(values)
}

function end(list: ListValue, position: number): Value {
  return list.size === 0 ? Optional.none : new Optional(list.at(position))
}

export const optional: Library = {
  'optional.of': { overloads: { optional_of: ['(V): optional(V)', (value: Value) => new Optional(value)] } },
  'optional.ofNonZeroValue': {
    overloads: {
      optional_ofNonZeroValue: [
        '(V): optional(V)',
        (value: Value) => (isZero(value) ? Optional.none : new Optional(value)),
      ],
    },
  },
  'optional.none': { overloads: { optional_none: ['(): optional(V)', () => Optional.none] } },
  value: { overloads: { optional_value: ['optional(V).(): V', (optional: Optional) => optional.get()] } },
  hasValue: {
    overloads: { optional_hasValue: ['optional(V).(): bool', (optional: Optional) => optional.value !== undefined] },
  },
  // The planner evaluates these two lazily: the second operand only if needed.
  or: { overloads: { optional_or_optional: ['optional(V).(optional(V)): optional(V)'] } },
  orValue: { overloads: { optional_orValue_value: ['optional(V).(V): V'] } },
  '_?._': { overloads: { select_optional_field: ['(dyn, string): optional(V)'] } },
  '_[?_]': {
    overloads: {
      list_optindex_optional_int: ['(list(V), int): optional(V)'],
      optional_list_optindex_optional_int: ['(optional(list(V)), int): optional(V)'],
      map_optindex_optional_value: ['(map(K, V), K): optional(V)'],
      optional_map_optindex_optional_value: ['(optional(map(K, V)), K): optional(V)'],
    },
  },
  '_[_]': {
    overloads: {
      optional_list_index_int: ['(optional(list(V)), int): optional(V)'],
      optional_map_index_value: ['(optional(map(K, V)), K): optional(V)'],
    },
  },
  last: { overloads: { list_last: ['list(V).(): optional(V)', (list: ListValue) => end(list, list.size - 1)] } },
  first: { overloads: { list_first: ['list(V).(): optional(V)', (list: ListValue) => end(list, 0)] } },
  'optional.unwrap': { overloads: { optional_unwrap: ['(list(optional(V))): list(V)', unwrapped] } },
  unwrapOpt: { overloads: { optional_unwrapOpt: ['list(optional(V)).(): list(V)', unwrapped] } },
}
