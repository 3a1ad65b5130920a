// Evaluation of operators that are no plain calls: logic absorbs errors, comparison never fails on types, and `or` is
// lazy.
// Source: github.com/google/cel-go/interpreter/{interpretable,decorators}.go.
import { callCost } from './call-cost.ts'
import { toDouble, toInt, toUint } from './conversion.ts'
import { elementsOf, ListValue } from './list-value.ts'
import { PlainMap, unhashableFault } from './map-value.ts'
import type { Meter } from './meter.ts'
import { Constant, type Frame, Step } from './step.ts'
import {
  Bytes,
  CelError,
  compareNumbers,
  equal,
  isNumeric,
  noSuchOverload,
  Optional,
  typeNameOf,
  type Value,
} from './value.ts'

/** `&&` and `||`: a deciding operand on either side overrides an error on the other. */
export class Logic extends Step {
  readonly #left: Step
  readonly #right: Step
  readonly #deciding: boolean

  constructor(left: Step, right: Step, deciding: boolean) {
    super()
    this.#left = left
    this.#right = right
    this.#deciding = deciding
  }

  evaluate(frame: Frame, meter: Meter): Value {
    const left = this.#left.evaluate(frame, meter)
    if (left === this.#deciding) return left
    const right = this.#right.evaluate(frame, meter)
    if (right === this.#deciding) return right
    if (typeof left !== 'boolean') return noSuchOverload(left)
    return typeof right === 'boolean' ? right : noSuchOverload(right)
  }
}

export class Comparison extends Step {
  readonly #left: Step
  readonly #right: Step
  readonly #overload: 'equals' | 'not_equals'

  constructor(left: Step, right: Step, overload: 'equals' | 'not_equals') {
    super()
    this.#left = left
    this.#right = right
    this.#overload = overload
  }

  evaluate(frame: Frame, meter: Meter): Value {
    const left = this.#left.evaluate(frame, meter)
    const right = this.#right.evaluate(frame, meter)
    const result = this.#compare(left, right, meter)
    meter.charge(callCost(this.#overload === 'equals' ? '_==_' : '_!=_', this.#overload, [left, right], result))
    return result
  }

  #compare(left: Value, right: Value, meter: Meter): Value {
    if (left instanceof CelError) return left
    if (right instanceof CelError) return right
    const same = equal(left, right, meter)
    return this.#overload === 'equals' ? same : same !== true
  }
}

/** `a.or(b)`, `a.orValue(b)`: b is evaluated only if a is none. */
export class OrElse extends Step {
  readonly #first: Step
  readonly #second: Step
  readonly #name: 'or' | 'orValue'

  constructor(first: Step, second: Step, name: 'or' | 'orValue') {
    super()
    this.#first = first
    this.#second = second
    this.#name = name
  }

  evaluate(frame: Frame, meter: Meter): Value {
    const first = this.#first.evaluate(frame, meter)
    if (!(first instanceof Optional)) return first
    if (first.value === undefined) return this.#second.evaluate(frame, meter)
    return this.#name === 'or' ? first : first.value
  }
}

/** `x in ['a', 'b']`: one lookup. Undefined if an element is no scalar. */
export function membershipOf(step: Step, list: Value): Step | undefined {
  if (!(list instanceof ListValue)) return undefined
  if (list.size === 0) return new Constant(false)
  const elements = elementsOf(list)
  const isPlain = elements.every((element) => /^(bool|double|int|string|uint)$/.test(typeNameOf(element)))
  return isPlain ? new Membership(step, new PlainMap(elements.flatMap(alike).map((key) => [key, true]))) : undefined
}

/** Returns a number with its equivalents in the other numeric types. */
function alike(element: Value): readonly Value[] {
  const others = isNumeric(element) ? [toInt(element), toUint(element), toDouble(element)] : []
  return [
    element,
    ...others.filter((other) => isNumeric(other) && (typeof element !== 'number' || equalNumbers(other, element))),
  ]
}

function equalNumbers(left: Value, right: Value): boolean {
  return isNumeric(left) && isNumeric(right) && compareNumbers(left, right) === 0
}

class Membership extends Step {
  readonly #step: Step
  readonly #known: PlainMap

  constructor(step: Step, known: PlainMap) {
    super()
    this.#step = step
    this.#known = known
  }

  evaluate(frame: Frame, meter: Meter): Value {
    const value = this.#step.evaluate(frame, meter)
    if (value instanceof CelError) return value
    if (value instanceof Bytes) return unhashableFault(value) ?? false
    return this.#known.find(value) !== undefined
  }
}
