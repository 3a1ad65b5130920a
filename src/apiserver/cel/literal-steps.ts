// Evaluation of list and map literals. An optional element without a value is omitted.
// Source: github.com/google/cel-go/interpreter/interpretable.go.
import { PlainList } from './list-value.ts'
import { PlainMap, unhashableFault } from './map-value.ts'
import type { Meter } from './meter.ts'
import { shown } from './shown.ts'
import { type Frame, Step } from './step.ts'
import { CelError, Optional, type Value } from './value.ts'

export class MakeList extends Step {
  readonly #elements: readonly { readonly step: Step; readonly isOptional: boolean }[]

  constructor(elements: readonly { readonly step: Step; readonly isOptional: boolean }[]) {
    super()
    this.#elements = elements
  }

  evaluate(frame: Frame, meter: Meter): Value {
    const result = this.#make(frame, meter)
    meter.charge(10)
    return result
  }

  #make(frame: Frame, meter: Meter): Value {
    const values: Value[] = []
    for (const { step, isOptional } of this.#elements) {
      const value = step.evaluate(frame, meter)
      if (value instanceof CelError) return value
      if (!isOptional) values.push(value)
      else if (!(value instanceof Optional))
        return new CelError(`cannot initialize optional list element from non-optional value ${shown(value)}`)
      else if (value.value !== undefined) values.push(value.value)
    }
    return new PlainList(values)
  }
}

interface EntryStep {
  readonly key: Step
  readonly value: Step
  readonly isOptional: boolean
}

export class MakeMap extends Step {
  readonly #entries: readonly EntryStep[]

  constructor(entries: readonly EntryStep[]) {
    super()
    this.#entries = entries
  }

  evaluate(frame: Frame, meter: Meter): Value {
    const result = this.#make(frame, meter)
    meter.charge(30)
    return result
  }

  #make(frame: Frame, meter: Meter): Value {
    const made: [Value, Value][] = []
    for (const entry of this.#entries) {
      const key = entry.key.evaluate(frame, meter)
      if (key instanceof CelError) return key
      const value = entry.value.evaluate(frame, meter)
      if (value instanceof CelError) return value
      const fault = unhashableFault(key)
      if (fault !== undefined) return fault
      if (!entry.isOptional) made.push([key, value])
      else if (!(value instanceof Optional))
        return new CelError(`cannot initialize optional entry '${shown(key)}' from non-optional value ${shown(value)}`)
      else if (value.value !== undefined) made.push([key, value.value])
    }
    return new PlainMap(made)
  }
}
