// Shape of a saga: its steps without their functions, with all limits filled in. Invariant: a shape is checked once, at
// its construction.
import { assert } from '../base/assert.ts'
import { type BackoffPolicy, defaultBackoff } from '../base/backoff.ts'
import type { Notes, SagaRecord, SagaStep } from './saga.ts'

export interface StepShape {
  readonly name: string
  readonly attempts: number
  readonly timeoutMs: number | ((input: Notes) => number)
  readonly backAttempts: number
  readonly backTimeoutMs: number | ((input: Notes) => number)
  readonly backoff: BackoffPolicy
  /** True if the step starts its effect itself. */
  readonly runs: boolean
  readonly canCompensate: boolean
}

export interface SagaShape {
  readonly name: string
  /** Step whose effect is the point of no return; undefined: every step can be compensated. */
  readonly pivot: string | undefined
  /** Remedy for a retry, as the end of a sentence: `set spec.retry to another word`. */
  readonly retryAdvice: string
  readonly steps: readonly StepShape[]
}

export interface ShapeInput {
  readonly name: string
  readonly pivot?: string | undefined
  readonly retryAdvice: string
  readonly steps: readonly SagaStep<never>[]
}

const defaultAttempts = 5
const defaultTimeoutMs = 3_600_000

export function shapeOf({ name, pivot, retryAdvice, steps }: ShapeInput): SagaShape {
  const shapes = steps.map((step) => ({
    name: step.name,
    attempts: step.attempts ?? defaultAttempts,
    timeoutMs: step.timeoutMs ?? defaultTimeoutMs,
    backAttempts: step.backAttempts ?? step.attempts ?? defaultAttempts,
    backTimeoutMs: step.backTimeoutMs ?? step.timeoutMs ?? defaultTimeoutMs,
    backoff: step.backoff ?? defaultBackoff,
    runs: step.run !== undefined,
    canCompensate: step.compensate !== undefined,
  }))
  const names = shapes.map((step) => step.name)
  assert(names.length > 0, `the saga ${name} has steps`)
  assert(new Set(names).size === names.length, `the steps of the saga ${name} have names of their own`)
  for (const step of shapes) {
    assert(/^[A-Z][A-Za-z0-9]*$/.test(step.name), `the step ${step.name} of ${name} is named by one word, as CamelCase`)
    assert(
      Number.isInteger(step.attempts) && step.attempts >= 1,
      `the step ${step.name} of ${name} has a number of attempts, and at least one`,
    )
    assert(step.backAttempts >= 1, `the step ${step.name} of ${name} is tried to be taken back`)
    for (const limitMs of [step.timeoutMs, step.backTimeoutMs])
      assert(typeof limitMs === 'function' || limitMs > 0, `the step ${step.name} of ${name} has time`)
  }
  assert(pivot === undefined || names.includes(pivot), `the pivot ${pivot} of the saga ${name} is one of its steps`)
  const irreversible = pivot === undefined ? [] : shapes.slice(names.indexOf(pivot))
  const [reversed] = irreversible.filter((step) => step.canCompensate)
  assert(
    reversed === undefined,
    `${reversed?.name} of ${name} is never taken back: the pivot is the point of no return`,
  )
  return { name, pivot, retryAdvice, steps: shapes }
}

/** Returns one sentence if the steps of a running saga differ from those of this operator; undefined if they match. */
export function shapeComplaint({ name, steps }: SagaShape, record: SagaRecord): string | undefined {
  const known = steps.map((step) => step.name)
  const recorded = record.steps.map((step) => step.name)
  if (known.length === recorded.length && known.every((step, index) => step === recorded[index])) return undefined
  const unknown = recorded.filter((step) => !known.includes(step))
  const what = unknown.length > 0 ? `it knows no step ${unknown.join(', ')}` : `its steps are ${known.join(', ')}`
  return `${name} was begun with the steps ${recorded.join(', ')} by another version of the operator, and of this one ${what}`
}
