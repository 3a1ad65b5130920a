// Steps of an evaluation plan. A step evaluates in a frame, which resolves variables. Attributes are steps that follow
// names, fields and
// indexes; each attribute costs one unit. Source: github.com/google/cel-go/interpreter/{interpretable,attributes}.go.
import { ListValue, positionOf } from './list-value.ts'
import { MapValue } from './map-value.ts'
import type { Meter } from './meter.ts'
import { withoutSchema } from './object-value.ts'
import { shown } from './shown.ts'
import { CelError, noSuchOverload, Optional, type Value } from './value.ts'

/** Variables in scope. */
export interface Frame {
  find(name: string): Value | undefined
}

export abstract class Step {
  abstract evaluate(frame: Frame, meter: Meter): Value
}

export class Constant extends Step {
  readonly value: Value

  constructor(value: Value) {
    super()
    this.value = value
  }

  evaluate(): Value {
    return this.value
  }
}

/** One field or index of an attribute. */
export interface Qualifier {
  readonly isOptional: boolean
  readonly isTest: boolean
  /** Returns the key; an error if its evaluation fails. */
  key(frame: Frame, meter: Meter): Value
}

/** Start of an attribute: a variable, the value of another step, or one of two attributes. */
export type Origin =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'choice'; readonly condition: Step; readonly whenTrue: Attribute; readonly whenFalse: Attribute }

/** A name, a call or a conditional, with the fields and indexes applied to it. */
export class Attribute extends Step {
  readonly origin: Origin
  readonly qualifiers: readonly Qualifier[]
  /** True if the attribute only tests the presence of the last field. */
  readonly isTest: boolean

  constructor(origin: Origin, qualifiers: readonly Qualifier[] = [], isTest = false) {
    super()
    this.origin = origin
    this.qualifiers = qualifiers
    this.isTest = isTest
  }

  /** Returns the attribute with one more qualifier. A conditional passes it to both branches. */
  qualified(qualifier: Qualifier): Attribute {
    const { origin } = this
    if (origin.kind !== 'choice') return new Attribute(origin, [...this.qualifiers, qualifier], qualifier.isTest)
    return new Attribute(
      { ...origin, whenTrue: origin.whenTrue.qualified(qualifier), whenFalse: origin.whenFalse.qualified(qualifier) },
      [],
      qualifier.isTest,
    )
  }

  evaluate(frame: Frame, meter: Meter): Value {
    const value = this.resolve(frame, meter)
    // A conditional costs as much as its branches; a presence test costs only its path.
    if (this.origin.kind !== 'choice' && !this.isTest) meter.charge(1)
    return this.isTest && value instanceof Optional ? value.value !== undefined : value
  }

  /** Returns the value without its cost. */
  resolve(frame: Frame, meter: Meter): Value {
    const { origin } = this
    if (origin.kind !== 'choice') return this.#follow(this.#begin(frame, meter), frame, meter)
    const condition = origin.condition.evaluate(frame, meter)
    if (typeof condition !== 'boolean') return noSuchOverload(condition)
    return (condition ? origin.whenTrue : origin.whenFalse).resolve(frame, meter)
  }

  #begin(frame: Frame, meter: Meter): Value {
    const { origin } = this
    if (origin.kind === 'step') return origin.step.evaluate(frame, meter)
    if (origin.kind === 'choice') return noSuchOverload()
    return frame.find(origin.name) ?? new CelError(`no such attribute(s): ${origin.name}`)
  }

  #follow(start: Value, frame: Frame, meter: Meter): Value {
    if (start instanceof CelError) return start
    let value = start
    let isOptional = start instanceof Optional
    if (start instanceof Optional) {
      if (start.value === undefined) return start
      value = withoutSchema(start.value)
    }
    for (const qualifier of this.qualifiers) {
      isOptional ||= qualifier.isOptional
      const key = qualifier.key(frame, meter)
      const found = key instanceof CelError ? key : qualify(value, key, isOptional || qualifier.isTest)
      const isPresent = found !== undefined
      if (!isOptional || (isPresent && !(found instanceof CelError))) meter.charge(1)
      if (found instanceof CelError) return found
      if (isOptional) {
        if (!isPresent) return Optional.none
        value = found
      } else value = qualifier.isTest ? isPresent : (found ?? null)
    }
    return isOptional ? new Optional(value) : value
  }
}

/** Returns the value of a key; undefined for an absent key of a presence test. */
function qualify(container: Value, key: Value, isPresenceTest: boolean): Value | undefined {
  if (container instanceof CelError) return container
  if (container instanceof MapValue) {
    const found = container.find(key)
    if (found !== undefined) return found
    return isPresenceTest ? undefined : new CelError(`no such key: ${shown(key)}`)
  }
  if (container instanceof ListValue) {
    const position = positionOf(key)
    if (position instanceof CelError) return position
    if (position >= 0 && position < container.size) return container.get(key)
    return isPresenceTest ? undefined : new CelError(`index out of bounds: ${shown(key)}`)
  }
  return isPresenceTest ? undefined : new CelError(`no such key: ${shown(key)}`)
}
