// Definition of a saga: its desired state, its removal with the resource, and the steps, which act. The first two are
// pure; the runtime decides when each step runs.
import { assert } from '../base/assert.ts'
import type { ExternalReport, ExternalTools } from '../external/external.ts'
import type { DesiredSaga, SagaReport, SagaStep } from '../saga/saga.ts'
import type { Child } from './outcome.ts'
import type { ParentOf } from './parent.ts'

/** Input of `Saga.desired`. */
export interface SagaContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  readonly facts: Facts
  /** The children as this reconcile applied or read them. */
  readonly children: readonly Child[]
  /** State of the external resources in this reconcile. */
  readonly externals: readonly ExternalReport[]
  /** State of the sagas: in this reconcile for those declared before this one, stored for the others. */
  readonly sagas: readonly SagaReport[]
}

/** The resource of a saga, as input of the functions of its steps. */
export interface SagaResource<Spec, Status, Facts> {
  /** Current resource; the saga's `input` has what it was started for. */
  readonly object: ParentOf<Spec, Status>
  /** Undefined only while the resource is being deleted, when `observe` failed. */
  readonly facts: Facts | undefined
  readonly children: readonly Child[]
  readonly externals: readonly ExternalReport[]
}

/** Handling of a running saga when its resource is deleted. */
export type SagaRemoval =
  /** Compensates the saga, or finishes it after its pivot. */
  | { readonly kind: 'compensate' }
  | { readonly kind: 'finish' }
  /** Does nothing more; an Event contains `note`. */
  | { readonly kind: 'leave'; readonly note: string }

/** Input of `Saga.removal`. */
export interface SagaRemovalContext<Spec, Status, Facts> {
  readonly object: ParentOf<Spec, Status>
  /** Undefined when `observe` failed. */
  readonly facts: Facts | undefined
  readonly saga: SagaReport
}

/** A sequence of steps with compensation. Its `desired` and `removal` are pure. */
export interface Saga<Spec, Status, Facts> {
  /** One word, such as `upgrade`: key of its journal entry in `status.sagas`, so never change it. */
  readonly name: string
  /**
   * The step whose effect is the point of no return. It and later steps have no `compensate`; it should be atomic.
   * Absent: everything can be compensated until all steps are done.
   */
  readonly pivot?: string
  /** Instruction for another attempt, as the end of a sentence. Default `ask for it again`. */
  readonly retryAdvice?: string
  /** Called once per operator. */
  steps(tools: ExternalTools): readonly SagaStep<SagaResource<Spec, Status, Facts>>[]
  /** Returns the desired saga with its id and input, or that there should be none. */
  desired(context: SagaContext<Spec, Status, Facts>): DesiredSaga
  /** Called when the resource is being deleted. Default: compensate. */
  removal?(context: SagaRemovalContext<Spec, Status, Facts>): SagaRemoval
}

/**
 * Declares a saga. Annotate the type of the context, or name the resource's own type; the rest is inferred. Throws an
 * Error if the name is not one camelCase word.
 *
 * @example
 * const move = defineSaga({
 *   name: 'move',
 *   pivot: 'Switch',
 *   steps: (tools) => [new CopyStep(tools), new SwitchStep(tools)],
 *   desired: ({ object: { spec, status } }: SagaContext<SiteSpec, SiteStatus, undefined>) =>
 *     spec.zone === status?.zone
 *       ? { kind: 'none' }
 *       : { kind: 'wanted', id: `to-${spec.zone}`, input: { to: spec.zone } },
 * })
 */
export function defineSaga<Spec, Status, Facts>(saga: Saga<Spec, Status, Facts>): Saga<Spec, Status, Facts> {
  assert(/^[a-z][A-Za-z0-9]*$/.test(saga.name), `the saga ${saga.name} is named by one word, as camelCase`)
  return Object.freeze(saga)
}
