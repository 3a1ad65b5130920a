// CEL operators `+`, `-`, `*`, `/` and `%`. Integer overflow is an error; timestamps mix with durations; lists and
// texts concatenate.
// Source: github.com/google/cel-go/common/types/{int,uint,double,string,bytes,duration,timestamp,overflow}.go.
import { ListValue } from './list-value.ts'
import type { Meter } from './meter.ts'
import { maxSeconds, minSeconds } from './timestamp.ts'
import { Bytes, CelError, Duration, noSuchOverload, Timestamp, Uint, type Value } from './value.ts'

export function add(left: Value, right: Value, meter: Meter): Value {
  if (typeof left === 'string') return typeof right === 'string' ? left + right : noSuchOverload(right)
  if (left instanceof ListValue) return left.plus(right, meter)
  if (left instanceof Bytes)
    return right instanceof Bytes ? new Bytes(Uint8Array.from([...left.data, ...right.data])) : noSuchOverload(right)
  if (left instanceof Duration) {
    if (right instanceof Timestamp) return moved(right, left.nanoseconds)
    return right instanceof Duration ? durationOf(left.nanoseconds + right.nanoseconds) : noSuchOverload(right)
  }
  if (left instanceof Timestamp)
    return right instanceof Duration ? moved(left, right.nanoseconds) : noSuchOverload(right)
  return numbers(left, right, {
    double: (a, b) => a + b,
    int: (a, b) => intOf(a + b),
    uint: (a, b) => uintOf(a + b),
  })
}

export function subtract(left: Value, right: Value): Value {
  if (left instanceof Duration)
    return right instanceof Duration ? durationOf(left.nanoseconds - right.nanoseconds) : noSuchOverload(right)
  if (left instanceof Timestamp) {
    if (right instanceof Duration) return moved(left, -right.nanoseconds)
    return right instanceof Timestamp ? between(left, right) : noSuchOverload(right)
  }
  return numbers(left, right, {
    double: (a, b) => a - b,
    int: (a, b) => intOf(a - b),
    uint: (a, b) => uintOf(a - b),
  })
}

export function multiply(left: Value, right: Value): Value {
  return numbers(left, right, {
    double: (a, b) => a * b,
    int: (a, b) => intOf(a * b),
    uint: (a, b) => uintOf(a * b),
  })
}

export function divide(left: Value, right: Value): Value {
  const byZero = () => new CelError('division by zero')
  return numbers(left, right, {
    double: (a, b) => a / b,
    int: (a, b) => (b === 0n ? byZero() : intOf(a / b)),
    uint: (a, b) => (b === 0n ? byZero() : uintOf(a / b)),
  })
}

export function modulo(left: Value, right: Value): Value {
  const byZero = () => new CelError('modulus by zero')
  return numbers(left, right, {
    double: (_, b) => noSuchOverload(b),
    int: (a, b) => (b === 0n ? byZero() : a === -maxInt && b === -1n ? overflow() : a % b),
    uint: (a, b) => (b === 0n ? byZero() : uintOf(a % b)),
  })
}

export function negate(value: Value): Value {
  if (typeof value === 'bigint') return intOf(-value)
  if (typeof value === 'number') return -value
  return value instanceof Duration ? durationOf(-value.nanoseconds) : noSuchOverload(value)
}

interface ByType {
  double(left: number, right: number): Value
  int(left: bigint, right: bigint): Value
  uint(left: bigint, right: bigint): Value
}

function numbers(left: Value, right: Value, by: ByType): Value {
  if (typeof left === 'bigint' && typeof right === 'bigint') return by.int(left, right)
  if (typeof left === 'number' && typeof right === 'number') return by.double(left, right)
  if (left instanceof Uint && right instanceof Uint) return by.uint(left.value, right.value)
  return noSuchOverload(right)
}

const maxInt = 2n ** 63n
const second = 1_000_000_000n

function overflow(): CelError {
  return new CelError('integer overflow')
}

/** Returns the int64, or an overflow error. */
export function intOf(value: bigint): Value {
  return value >= -maxInt && value < maxInt ? value : overflow()
}

/** Returns the uint64, or an overflow error. */
export function uintOf(value: bigint): Value {
  return value >= 0n && value < 2n ** 64n ? new Uint(value) : new CelError('unsigned integer overflow')
}

function durationOf(nanoseconds: bigint): Value {
  return nanoseconds >= -maxInt && nanoseconds < maxInt ? new Duration(nanoseconds) : overflow()
}

function moved({ seconds, nanoseconds, offsetSeconds }: Timestamp, by: bigint): Value {
  if (by === maxInt) return overflow()
  const total = BigInt(seconds) * second + BigInt(nanoseconds) + by
  const remainder = ((total % second) + second) % second
  const whole = Number((total - remainder) / second)
  return whole < minSeconds || whole > maxSeconds
    ? new CelError('timestamp overflow')
    : new Timestamp(whole, Number(remainder), offsetSeconds)
}

function between(left: Timestamp, right: Timestamp): Value {
  const whole = BigInt(left.seconds - right.seconds) * second
  return durationOf(whole + BigInt(left.nanoseconds - right.nanoseconds))
}
