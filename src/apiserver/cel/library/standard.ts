// CEL standard library: operators, conversions and functions of the language.
// Source: github.com/google/cel-go/common/stdlib/standard.go.

import { RegularExpressionError, regularExpression } from '../../regular-expression.ts'
import { add, divide, modulo, multiply, negate, subtract } from '../arithmetic.ts'
import { toBool, toBytes, toDouble, toDuration, toInt, toText, toTimestamp, toUint } from '../conversion.ts'
import type { FunctionRows, Library, Row } from '../function-table.ts'
import { ListValue } from '../list-value.ts'
import { MapValue } from '../map-value.ts'
import type { Meter } from '../meter.ts'
import { Bytes, CelError, compare, lengthOf, noSuchOverload, TypeValue, typeNameOf, type Value } from '../value.ts'

/** Declares a function that the planner evaluates itself. */
const planned = (id: string, signature: string): FunctionRows => ({ overloads: { [id]: [signature] } })

const same = (value: Value): Value => value

const orderedPairs: readonly (readonly [suffix: string, left: string, right: string])[] = [
  ['bool', 'bool', 'bool'],
  ['int64', 'int', 'int'],
  ['int64_double', 'int', 'double'],
  ['int64_uint64', 'int', 'uint'],
  ['uint64', 'uint', 'uint'],
  ['uint64_double', 'uint', 'double'],
  ['uint64_int64', 'uint', 'int'],
  ['double', 'double', 'double'],
  ['double_int64', 'double', 'int'],
  ['double_uint64', 'double', 'uint'],
  ['string', 'string', 'string'],
  ['bytes', 'bytes', 'bytes'],
  ['timestamp', 'timestamp', 'timestamp'],
  ['duration', 'duration', 'duration'],
]

function ordering(prefix: string, holds: (order: -1 | 0 | 1) => boolean): FunctionRows {
  const evaluate = (left: Value, right: Value): Value => {
    const order = compare(left, right) ?? noSuchOverload(left)
    return order instanceof CelError ? order : holds(order)
  }
  return {
    overloads: Object.fromEntries(
      orderedPairs.map(([suffix, left, right]): [string, Row] => [
        `${prefix}_${suffix}`,
        [`(${left}, ${right}): bool`],
      ]),
    ),
    shared: { evaluate, ability: 'compare' },
  }
}

function matches(text: Value, pattern: Value): Value {
  if (typeof text !== 'string' || typeof pattern !== 'string') return noSuchOverload(pattern)
  try {
    return regularExpression(pattern).test(text)
  } catch (thrown) {
    if (thrown instanceof RegularExpressionError) return new CelError(thrown.message)
    throw thrown
  }
}

/** Substring tests check their argument types themselves. */
function textTest(id: string, holds: (text: string, part: string) => boolean): FunctionRows {
  const evaluate = (text: Value, part: Value): Value => {
    if (typeof text !== 'string') return noSuchOverload(text)
    return typeof part === 'string' ? holds(text, part) : noSuchOverload(part)
  }
  return { overloads: { [id]: ['string.(string): bool', evaluate] }, isUnguarded: true }
}

export function sizeOf(value: Value): number {
  if (typeof value === 'string') return lengthOf(value)
  if (value instanceof Bytes) return value.data.length
  return value instanceof ListValue || value instanceof MapValue ? value.size : 1
}

function isIn(value: Value, container: Value, meter: Meter): Value {
  if (container instanceof ListValue) return container.contains(value, meter)
  if (!(container instanceof MapValue)) return noSuchOverload(container)
  const found = container.find(value)
  return found instanceof CelError ? found : found !== undefined
}

function notStrictlyFalse(value: Value): Value {
  return typeof value === 'boolean' ? value : true
}

export const standard: Library = {
  '_?_:_': planned('conditional', '(bool, A, A): A'),
  '_&&_': planned('logical_and', '(bool, bool): bool'),
  '_||_': planned('logical_or', '(bool, bool): bool'),
  '!_': {
    overloads: { logical_not: ['(bool): bool'] },
    shared: { evaluate: (value: Value) => (typeof value === 'boolean' ? !value : noSuchOverload(value)) },
  },
  '@not_strictly_false': {
    overloads: { not_strictly_false: ['(bool): bool', notStrictlyFalse] },
    isUnguarded: true,
  },
  '_==_': planned('equals', '(A, A): bool'),
  '_!=_': planned('not_equals', '(A, A): bool'),
  '_+_': {
    overloads: {
      add_bytes: ['(bytes, bytes): bytes'],
      add_double: ['(double, double): double'],
      add_duration_duration: ['(duration, duration): duration'],
      add_duration_timestamp: ['(duration, timestamp): timestamp'],
      add_timestamp_duration: ['(timestamp, duration): timestamp'],
      add_int64: ['(int, int): int'],
      add_list: ['(list(A), list(A)): list(A)'],
      add_string: ['(string, string): string'],
      add_uint64: ['(uint, uint): uint'],
    },
    shared: { evaluate: add, ability: 'add' },
  },
  '_/_': {
    overloads: {
      divide_double: ['(double, double): double'],
      divide_int64: ['(int, int): int'],
      divide_uint64: ['(uint, uint): uint'],
    },
    shared: { evaluate: divide, ability: 'divide' },
  },
  '_%_': {
    overloads: { modulo_int64: ['(int, int): int'], modulo_uint64: ['(uint, uint): uint'] },
    shared: { evaluate: modulo, ability: 'modulo' },
  },
  '_*_': {
    overloads: {
      multiply_double: ['(double, double): double'],
      multiply_int64: ['(int, int): int'],
      multiply_uint64: ['(uint, uint): uint'],
    },
    shared: { evaluate: multiply, ability: 'multiply' },
  },
  '-_': {
    overloads: { negate_double: ['(double): double'], negate_int64: ['(int): int'] },
    shared: { evaluate: negate, ability: 'negate' },
  },
  '_-_': {
    overloads: {
      subtract_double: ['(double, double): double'],
      subtract_duration_duration: ['(duration, duration): duration'],
      subtract_int64: ['(int, int): int'],
      subtract_timestamp_duration: ['(timestamp, duration): timestamp'],
      subtract_timestamp_timestamp: ['(timestamp, timestamp): duration'],
      subtract_uint64: ['(uint, uint): uint'],
    },
    shared: { evaluate: subtract, ability: 'subtract' },
  },
  '_<_': ordering('less', (order) => order < 0),
  '_<=_': ordering('less_equals', (order) => order <= 0),
  '_>_': ordering('greater', (order) => order > 0),
  '_>=_': ordering('greater_equals', (order) => order >= 0),
  '_[_]': { overloads: { index_list: ['(list(A), int): A'], index_map: ['(map(A, B), A): B'] } },
  '@in': {
    overloads: { in_list: ['(A, list(A)): bool'], in_map: ['(A, map(A, B)): bool'] },
    shared: { evaluate: isIn },
  },
  size: {
    overloads: {
      size_bytes: ['(bytes): int'],
      bytes_size: ['bytes.(): int'],
      size_list: ['(list(A)): int'],
      list_size: ['list(A).(): int'],
      size_map: ['(map(A, B)): int'],
      map_size: ['map(A, B).(): int'],
      size_string: ['(string): int'],
      string_size: ['string.(): int'],
    },
    shared: { evaluate: (value: Value) => BigInt(sizeOf(value)), ability: 'size' },
  },
  type: {
    overloads: { type: ['(A): type(A)'] },
    shared: { evaluate: (value: Value) => new TypeValue(typeNameOf(value)) },
  },
  bool: { overloads: { bool_to_bool: ['(bool): bool', same], string_to_bool: ['(string): bool', toBool] } },
  bytes: { overloads: { bytes_to_bytes: ['(bytes): bytes', same], string_to_bytes: ['(string): bytes', toBytes] } },
  double: {
    overloads: {
      double_to_double: ['(double): double', same],
      int64_to_double: ['(int): double', toDouble],
      string_to_double: ['(string): double', toDouble],
      uint64_to_double: ['(uint): double', toDouble],
    },
  },
  duration: {
    overloads: {
      duration_to_duration: ['(duration): duration', same],
      int64_to_duration: ['(int): duration', toDuration],
      string_to_duration: ['(string): duration', toDuration],
    },
  },
  dyn: { overloads: { to_dyn: ['(A): dyn'] }, shared: { evaluate: same } },
  int: {
    overloads: {
      int64_to_int64: ['(int): int', same],
      double_to_int64: ['(double): int', toInt],
      duration_to_int64: ['(duration): int', toInt],
      string_to_int64: ['(string): int', toInt],
      timestamp_to_int64: ['(timestamp): int', toInt],
      uint64_to_int64: ['(uint): int', toInt],
    },
  },
  string: {
    overloads: {
      string_to_string: ['(string): string', same],
      bool_to_string: ['(bool): string', toText],
      bytes_to_string: ['(bytes): string', toText],
      double_to_string: ['(double): string', toText],
      duration_to_string: ['(duration): string', toText],
      int64_to_string: ['(int): string', toText],
      timestamp_to_string: ['(timestamp): string', toText],
      uint64_to_string: ['(uint): string', toText],
    },
  },
  timestamp: {
    overloads: {
      timestamp_to_timestamp: ['(timestamp): timestamp', same],
      int64_to_timestamp: ['(int): timestamp', toTimestamp],
      string_to_timestamp: ['(string): timestamp', toTimestamp],
    },
  },
  uint: {
    overloads: {
      uint64_to_uint64: ['(uint): uint', same],
      double_to_uint64: ['(double): uint', toUint],
      int64_to_uint64: ['(int): uint', toUint],
      string_to_uint64: ['(string): uint', toUint],
    },
  },
  contains: textTest('contains_string', (text, part) => text.includes(part)),
  endsWith: textTest('ends_with_string', (text, part) => text.endsWith(part)),
  startsWith: textTest('starts_with_string', (text, part) => text.startsWith(part)),
  matches: {
    overloads: { matches: ['(string, string): bool'], matches_string: ['string.(string): bool'] },
    shared: { evaluate: matches, ability: 'match' },
  },
}
