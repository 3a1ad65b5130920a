// CEL values: JavaScript's own types where they fit (bigint is int, number is double), classes for the others. An error
// is a value too,
// because `&&`, `||` and the macros may absorb it.
// Source: github.com/google/cel-go/common/types.
import type { Meter } from './meter.ts'

export type Value = null | boolean | bigint | number | string | Composite

export abstract class Composite {
  /** Type name that `type(value)` returns. */
  abstract readonly typeName: string
  /** Equality from this value's side: true, false, or an error if the two cannot be compared. */
  abstract equals(other: Value, meter: Meter): Value
}

export class CelError extends Composite {
  readonly typeName = 'error'
  readonly message: string

  constructor(message: string) {
    super()
    this.message = message
  }

  equals(): Value {
    return this
  }
}

/** Returns the error for a value without the operation; an error stays unchanged. */
export function noSuchOverload(value?: Value): CelError {
  return value instanceof CelError ? value : new CelError('no such overload')
}

export class Uint extends Composite {
  readonly typeName = 'uint'
  readonly value: bigint

  constructor(value: bigint) {
    super()
    this.value = value
  }

  equals(other: Value): Value {
    return isNumeric(other) && compareNumbers(this, other) === 0
  }
}

export class Bytes extends Composite {
  readonly typeName = 'bytes'
  readonly data: Uint8Array

  constructor(data: Uint8Array) {
    super()
    this.data = data
  }

  equals(other: Value, meter: Meter): Value {
    if (!(other instanceof Bytes) || other.data.length !== this.data.length) return false
    meter.work(this.data.length)
    return this.data.every((byte, index) => byte === other.data[index])
  }
}

export class Duration extends Composite {
  readonly typeName = 'google.protobuf.Duration'
  readonly nanoseconds: bigint

  constructor(nanoseconds: bigint) {
    super()
    this.nanoseconds = nanoseconds
  }

  equals(other: Value): Value {
    return other instanceof Duration && other.nanoseconds === this.nanoseconds
  }
}

/** A timestamp with its original offset, in which it is formatted. */
export class Timestamp extends Composite {
  readonly typeName = 'google.protobuf.Timestamp'
  readonly seconds: number
  readonly nanoseconds: number
  readonly offsetSeconds: number

  constructor(seconds: number, nanoseconds: number, offsetSeconds: number) {
    super()
    this.seconds = seconds
    this.nanoseconds = nanoseconds
    this.offsetSeconds = offsetSeconds
  }

  equals(other: Value): Value {
    return other instanceof Timestamp && other.seconds === this.seconds && other.nanoseconds === this.nanoseconds
  }
}

export class TypeValue extends Composite {
  readonly typeName = 'type'
  readonly name: string

  constructor(name: string) {
    super()
    this.name = name
  }

  equals(other: Value): Value {
    return other instanceof TypeValue && other.name === this.name
  }
}

export class Optional extends Composite {
  static readonly none = new Optional(undefined)
  readonly typeName = 'optional_type'
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    super()
    this.value = value
  }

  /** Returns the value, or an error for an absent one. */
  get(): Value {
    return this.value === undefined ? new CelError('optional.none() dereference') : this.value
  }

  equals(other: Value, meter: Meter): Value {
    if (!(other instanceof Optional)) return false
    if (this.value === undefined || other.value === undefined) return this.value === other.value
    return equalTo(this.value, other.value, meter)
  }
}

/** Returns the name of the runtime type. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'double'
    case 'string':
      return 'string'
    default:
      return value === null ? 'null_type' : value.typeName
  }
}

/** `==`: null equals only null, whatever the other value's equality says. */
export function equal(left: Value, right: Value, meter: Meter): Value {
  return left === null || right === null ? left === right : equalTo(left, right, meter)
}

/** Equality from the left value's side. */
export function equalTo(left: Value, right: Value, meter: Meter): Value {
  if (typeof left === 'bigint') return isNumeric(right) && compareNumbers(left, right) === 0
  if (typeof left === 'number')
    return isNumeric(right) && !Number.isNaN(left) && !Number.isNaN(right) && compareNumbers(left, right) === 0
  return left instanceof Composite ? left.equals(right, meter) : left === right
}

export type Numeric = bigint | number | Uint

export function isNumeric(value: Value): value is Numeric {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint
}

/** Compares across the three numeric types; an integer is compared with a double as a double. NaN equals nothing. */
export function compareNumbers(left: Numeric, right: Numeric): -1 | 0 | 1 {
  const [a, b] = [left instanceof Uint ? left.value : left, right instanceof Uint ? right.value : right]
  if (typeof a === typeof b) return order(a, b)
  if (Number.isNaN(a) || Number.isNaN(b)) return 1
  return order(Number(a), Number(b))
}

function order(left: bigint | number, right: bigint | number): -1 | 0 | 1 {
  if (left < right) return -1
  return left === right ? 0 : 1
}

/** Returns the order; an error for two values without an order; undefined if the left type has no order at all. */
export function compare(left: Value, right: Value): -1 | 0 | 1 | CelError | undefined {
  if (isNumeric(left)) {
    if (Number.isNaN(left)) return new CelError('NaN values cannot be ordered')
    if (!isNumeric(right)) return noSuchOverload(right)
    return Number.isNaN(right) ? new CelError('NaN values cannot be ordered') : compareNumbers(left, right)
  }
  if (typeof left === 'boolean')
    return typeof right === 'boolean' ? order(Number(left), Number(right)) : noSuchOverload(right)
  if (typeof left === 'string') return typeof right === 'string' ? compareTexts(left, right) : noSuchOverload(right)
  if (left instanceof Bytes) return right instanceof Bytes ? compareBytes(left.data, right.data) : noSuchOverload(right)
  if (left instanceof Duration)
    return right instanceof Duration ? order(left.nanoseconds, right.nanoseconds) : noSuchOverload(right)
  if (left instanceof Timestamp) {
    if (!(right instanceof Timestamp)) return noSuchOverload(right)
    return order(left.seconds, right.seconds) || order(left.nanoseconds, right.nanoseconds)
  }
  return undefined
}

/** Compares by code points, which is the order of UTF-8 bytes. */
export function compareTexts(left: string, right: string): -1 | 0 | 1 {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)]
    if (a === b) continue
    // A surrogate stands for a code point above all that need no surrogates.
    const [isHighA, isHighB] = [(a & 0xf800) === 0xd800, (b & 0xf800) === 0xd800]
    if (isHighA !== isHighB) return isHighA ? 1 : -1
    return a < b ? -1 : 1
  }
  return order(left.length, right.length)
}

function compareBytes(left: Uint8Array, right: Uint8Array): -1 | 0 | 1 {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const difference = order(left[index] ?? 0, right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return order(left.length, right.length)
}

/** Returns the number of code points, in linear time. */
export function lengthOf(text: string): number {
  let surrogates = 0
  for (let index = 0; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800) continue
    if ((text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) surrogates++
  }
  return text.length - surrogates
}
