// CEL lists: values with a size and elements by index. A concatenation refers to both halves and copies neither.
// Source: github.com/google/cel-go/common/types/list.go.
import type { Meter } from './meter.ts'
import { shown } from './shown.ts'
import { CelError, Composite, equal, equalTo, noSuchOverload, typeNameOf, Uint, type Value } from './value.ts'

export abstract class ListValue extends Composite {
  readonly typeName = 'list'
  abstract readonly size: number

  /** False for lists and maps of an object: they are never zero values, even if empty. */
  get canBeZero(): boolean {
    return true
  }

  /** Returns the element at a position within bounds. */
  protected abstract element(position: number): Value

  /** Returns the element at an index of any type; an error if absent. */
  get(index: Value): Value {
    const position = positionOf(index)
    if (position instanceof CelError) return index instanceof CelError ? index : position
    if (position < 0 || position >= this.size)
      return new CelError(`index '${position}' out of range in list size '${this.size}'`)
    return this.element(position)
  }

  at(position: number): Value {
    return this.element(position)
  }

  equals(other: Value, meter: Meter): Value {
    if (!(other instanceof ListValue) || other.size !== this.size) return false
    meter.work(this.size)
    for (let position = 0; position < this.size; position++)
      if (equal(this.at(position), other.at(position), meter) === false) return false
    return true
  }

  contains(value: Value, meter: Meter): Value {
    meter.work(this.size)
    for (let position = 0; position < this.size; position++)
      if (equalTo(value, this.at(position), meter) === true) return true
    return false
  }

  plus(other: Value, _meter: Meter): Value {
    if (!(other instanceof ListValue)) return noSuchOverload(other)
    if (this.size === 0) return other
    return other.size === 0 ? this : new JoinedList(this, other)
  }
}

/** Returns the elements of a list, in order. */
export function elementsOf(list: ListValue): Value[] {
  return Array.from({ length: list.size }, (_, position) => list.at(position))
}

export class PlainList extends ListValue {
  readonly #elements: readonly Value[]

  constructor(elements: readonly Value[]) {
    super()
    this.#elements = elements
  }

  get size(): number {
    return this.#elements.length
  }

  protected element(position: number): Value {
    return this.#elements[position] ?? null
  }
}

/** Accumulator of a comprehension: it grows in place, so a comprehension takes linear time. */
export class GrowingList extends ListValue {
  readonly #elements: Value[] = []

  get size(): number {
    return this.#elements.length
  }

  protected element(position: number): Value {
    return this.#elements[position] ?? null
  }

  override plus(other: Value, meter: Meter): Value {
    if (!(other instanceof ListValue)) return noSuchOverload(other)
    const count = other.size
    meter.work(count)
    for (let position = 0; position < count; position++) this.#elements.push(other.at(position))
    return this
  }

  finished(): PlainList {
    return new PlainList(this.#elements)
  }
}

class JoinedList extends ListValue {
  readonly size: number
  readonly #first: ListValue
  readonly #second: ListValue

  constructor(first: ListValue, second: ListValue) {
    super()
    this.size = first.size + second.size
    this.#first = first
    this.#second = second
  }

  protected element(position: number): Value {
    const beyond = position - this.#first.size
    return beyond < 0 ? this.#first.at(position) : this.#second.at(beyond)
  }

  /** Each half reports its own error for an index out of range. */
  override get(index: Value): Value {
    const position = positionOf(index)
    if (position instanceof CelError) return index instanceof CelError ? index : position
    const beyond = position - this.#first.size
    return beyond < 0 ? this.#first.get(BigInt(position)) : this.#second.get(BigInt(beyond))
  }

  override equals(other: Value, meter: Meter): Value {
    if (!(other instanceof ListValue) || other.size !== this.size) return false
    meter.work(this.size)
    let found: Value = true
    for (let position = 0; position < this.size; position++) {
      const same = equal(this.at(position), other.at(position), meter)
      if (same === false) return false
      if (found === true && same instanceof CelError) found = same
    }
    return found
  }

  override contains(value: Value, meter: Meter): Value {
    const inFirst = this.#first.contains(value, meter)
    if (inFirst === true) return true
    const inSecond = this.#second.contains(value, meter)
    return inSecond !== true && inFirst instanceof CelError ? inFirst : inSecond
  }
}

/** Returns the position of an index; a whole double or uint is valid. */
export function positionOf(index: Value): number | CelError {
  if (typeof index === 'bigint') return Number(index)
  if (typeof index === 'number')
    return Number.isInteger(index) && Math.abs(index) < 2 ** 63
      ? index
      : new CelError(`unsupported index value ${shown(index)} in list`)
  if (index instanceof Uint)
    return index.value < 2n ** 63n
      ? Number(index.value)
      : new CelError(`unsupported index value ${index.value} in list`)
  return new CelError(`unsupported index type '${typeNameOf(index)}' in list`)
}
