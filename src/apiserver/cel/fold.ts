// Evaluation of a CEL fold: it accumulates in one variable over the elements of a list or the keys of a map. The
// accumulator is created
// at its first use. Source: github.com/google/cel-go/interpreter/interpretable.go (evalFold).
import { GrowingList, ListValue } from './list-value.ts'
import { GrowingMap, MapValue } from './map-value.ts'
import type { Meter } from './meter.ts'
import { type Frame, Step } from './step.ts'
import { CelError, typeNameOf, type Value } from './value.ts'

export interface FoldPlan {
  readonly range: Step
  readonly variable: string
  readonly secondVariable: string | undefined
  readonly collector: string
  readonly initial: Step
  readonly condition: Step
  readonly step: Step
  readonly result: Step
}

export class Fold extends Step {
  readonly #plan: FoldPlan

  constructor(plan: FoldPlan) {
    super()
    this.#plan = plan
  }

  evaluate(frame: Frame, meter: Meter): Value {
    const range = this.#plan.range.evaluate(frame, meter)
    if (range instanceof CelError) return range
    const loop = new Loop(this.#plan, frame, meter)
    if (range instanceof ListValue) {
      for (let position = 0; position < range.size; position++)
        if (!loop.turn(BigInt(position), range.at(position))) break
      return loop.result()
    }
    if (!(range instanceof MapValue)) return notIterable(range, this.#plan.secondVariable !== undefined)
    for (const key of range.keys())
      if (!loop.turn(key, this.#plan.secondVariable === undefined ? key : range.get(key))) break
    return loop.result()
  }
}

/** The API server's error shows its internal type names. */
const goNames: Readonly<Record<string, string>> = {
  bool: 'types.Bool',
  bytes: 'types.Bytes',
  double: 'types.Double',
  'google.protobuf.Duration': 'types.Duration',
  'google.protobuf.Timestamp': 'types.Timestamp',
  int: 'types.Int',
  null_type: 'types.Null',
  optional_type: '*types.Optional',
  string: 'types.String',
  type: '*types.Type',
  uint: 'types.Uint',
}

function notIterable(range: Value, isPair: boolean): CelError {
  const name = goNames[typeNameOf(range)] ?? typeNameOf(range)
  return new CelError(
    isPair ? `unsupported comprehension range type: ${name}` : `got '${name}', expected iterable type`,
  )
}

class Loop implements Frame {
  readonly #plan: FoldPlan
  readonly #outer: Frame
  readonly #meter: Meter
  #first: Value = null
  #second: Value = null
  #collected: Value | undefined
  #isOver = false

  constructor(plan: FoldPlan, outer: Frame, meter: Meter) {
    this.#plan = plan
    this.#outer = outer
    this.#meter = meter
  }

  find(name: string): Value | undefined {
    if (name === this.#plan.collector) {
      this.#collected ??= growing(this.#plan.initial.evaluate(this.#outer, this.#meter))
      return this.#collected
    }
    if (!this.#isOver) {
      if (name === this.#plan.variable) return this.#first
      if (name === this.#plan.secondVariable) return this.#second
    }
    return this.#outer.find(name)
  }

  /** Runs one iteration; returns false if the loop ends before it. A single variable takes the element. */
  turn(index: Value, value: Value): boolean {
    this.#first = this.#plan.secondVariable === undefined ? value : index
    this.#second = value
    this.#meter.work(1)
    if (this.#plan.condition.evaluate(this, this.#meter) === false) return false
    this.#collected = this.#plan.step.evaluate(this, this.#meter)
    return true
  }

  result(): Value {
    this.#isOver = true
    const result = this.#plan.result.evaluate(this, this.#meter)
    return result instanceof GrowingList || result instanceof GrowingMap ? result.finished() : result
  }
}

/** Replaces an empty initial list or map by one that grows in place. */
function growing(initial: Value): Value {
  if (initial instanceof ListValue && initial.size === 0) return new GrowingList()
  return initial instanceof MapValue && initial.size === 0 ? new GrowingMap() : initial
}
