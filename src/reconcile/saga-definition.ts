// What does somebody say to have an undertaking in steps? What is wanted, what becomes of it when the resource goes, and the steps, which act.
// The first two are pure; the runtime decides when which step is taken.
import { assert } from '../base/assert.ts'
import type { ExternalReport, ExternalTools } from '../external/external.ts'
import type { SagaReport, SagaStep, SagaWish } from '../saga/saga.ts'
import type { Child } from './outcome.ts'
import type { ParentOf } from './parent.ts'

export interface SagaContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  readonly facts: Facts
  /** The children as this turn applied or found them. */
  readonly children: readonly Child[]
  /** How it stands with the things outside, in this turn. */
  readonly externals: readonly ExternalReport[]
  /** How it stands with the sagas declared before this one, in this turn, and with the others as they were. */
  readonly sagas: readonly SagaReport[]
}

/** What the functions of a step are told of their resource. */
export interface SagaScene<Spec, Status, Facts> {
  /** As it is now: what the saga was begun for is in its `input`. */
  readonly object: ParentOf<Spec, Status>
  /** Undefined only while the resource is being deleted, when `observe` failed. */
  readonly facts: Facts | undefined
  readonly children: readonly Child[]
  readonly externals: readonly ExternalReport[]
}

/** What becomes of a saga that is under way when its resource is deleted. */
export type SagaRemoval =
  /** It is taken back, or finished where it has passed its pivot. */
  | { readonly kind: 'compensate' }
  | { readonly kind: 'finish' }
  /** Nothing more is done; `note` is told in an Event. */
  | { readonly kind: 'leave'; readonly note: string }

export interface SagaRemovalContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  /** Undefined when `observe` failed. */
  readonly facts: Facts | undefined
  readonly saga: SagaReport
}

/** An undertaking in steps. Its `wish` and `removal` are pure. */
export interface Saga<Spec, Status, Facts> {
  /** One word; the key of its record in `status.sagas`, so it must stay the same for ever: `upgrade`. */
  readonly name: string
  /**
   * The step whose effect is the point of no return. It has no `compensate`, nor have those after it; it should take effect as a
   * whole or not at all. Absent: everything can be taken back until all is done.
   */
  readonly pivot?: string
  /** What somebody does for another try, as the end of a sentence. Default `ask for it again`. */
  readonly retryAdvice?: string
  /** Called once an operator. */
  steps(tools: ExternalTools): readonly SagaStep<SagaScene<Spec, Status, Facts>>[]
  wish(context: SagaContext<Spec, Status, Facts>): SagaWish
  /** Asked when the resource is being deleted. Default: it is taken back. */
  removal?(context: SagaRemovalContext<Spec, Status, Facts>): SagaRemoval
}

/**
 * Declares an undertaking in steps. Say the types of the context, or name the resource's own, and the rest follows.
 *
 * @example
 * const move = defineSaga({
 *   name: 'move',
 *   pivot: 'Switch',
 *   steps: (tools) => [new CopyStep(tools), new SwitchStep(tools)],
 *   wish: ({ object: { spec, status } }: SagaContext<SiteSpec, SiteStatus, undefined>) =>
 *     spec.zone === status?.zone ? { kind: 'none' } : { kind: 'wanted', id: `to-${spec.zone}`, input: { to: spec.zone } },
 * })
 */
export function defineSaga<Spec, Status, Facts>(saga: Saga<Spec, Status, Facts>): Saga<Spec, Status, Facts> {
  assert(/^[a-z][A-Za-z0-9]*$/.test(saga.name), `the saga ${saga.name} is named by one word, as camelCase`)
  return Object.freeze(saga)
}
