// Contract of sagas: a sequence of steps, each with an effect in the world. A saga resumes after any crash. A failure
// compensates in reverse order, up to the pivot; after the pivot the saga only moves forward. Every saga ends. A
// controller declares the steps; decision.ts decides when each runs.
import type { BackoffPolicy } from '../base/backoff.ts'

/** Short texts by name in the status. Never a secret. */
export type Notes = Readonly<Record<string, string>>

/** Journal entry of a saga in `status.sagas`, by its name. It records an intent before its effect (I3). */
export interface SagaRecord {
  readonly name: string
  /** Identity of the run: the id of the desired state that started it. */
  readonly id: string
  readonly state: 'Running' | 'Compensating' | 'Completed' | 'Compensated' | 'ManualIntervention'
  /** Generation of the spec that started it. */
  readonly generation: number
  /** Input of its desired state at the start; later changes of the spec do not reach a running saga. */
  readonly input: Notes
  /** RFC 3339, as all times here. */
  readonly startedAt: string
  readonly finishedAt?: string
  /** Time of the first observed effect of the pivot; from then on nothing is compensated. */
  readonly pivotedAt?: string
  /** Cause of the compensation or the stall: one CamelCase word, one sentence. */
  readonly reason?: string
  readonly message?: string
  /** Id of the last request that resumed it after a stall. */
  readonly retriedFor?: string
  /** All steps, in their order. */
  readonly steps: readonly SagaStepRecord[]
}

/** Journal entry of one step of a saga. */
export interface SagaStepRecord {
  readonly name: string
  /**
   * `Running`: the effect is due, and may exist. `Done`: the effect was observed. `Compensating`: the effect is to be
   * removed. `Compensated`: the effect was observed as gone. `Failed`: the compensation failed. `Kept`: the effect
   * stays.
   */
  readonly state: 'Pending' | 'Running' | 'Done' | 'Compensating' | 'Compensated' | 'Failed' | 'Kept'
  /** Time when it became `Running` or `Compensating`. For a compensation that was tried: time of its first attempt. */
  readonly startedAt?: string
  /** Number of started attempts in that state; the maximum after a final failure. */
  readonly attempts?: number
  /** Earliest time of the next attempt, after a failed one. */
  readonly retryAt?: string
  /** Last failure: one CamelCase word, one sentence. */
  readonly reason?: string
  readonly message?: string
  /** Notes of the step. */
  readonly notes?: Notes
}

/** Observed effect of a step. A step that cannot observe it throws. */
export type StepObservation =
  /** No part of the effect exists; nothing to compensate. */
  | { readonly kind: 'missing' }
  /** The effect is in progress; `progress` is a phrase for people: `61 %`. */
  | { readonly kind: 'pending'; readonly progress: string; readonly lookAfterMs?: number }
  /** The whole effect exists. */
  | { readonly kind: 'done'; readonly notes?: Notes }
  /** The effect is being removed. */
  | { readonly kind: 'leaving'; readonly progress: string; readonly lookAfterMs?: number }
  /**
   * Part of the effect exists, or it has failed, and it will not complete by itself. `isTerminal`: another attempt does
   * not help.
   */
  | { readonly kind: 'broken'; readonly reason: string; readonly message: string; readonly isTerminal: boolean }

/** Arguments of every function of a step, beside the `Scene` of the caller. */
export interface SagaCallParts {
  readonly id: string
  readonly input: Notes
  /** Constant for the same run of the same resource, for ownership markers: `<uid>/<saga>/<id>`. */
  readonly token: string
  /** Notes of all steps so far, by the names of the steps. */
  readonly notes: Readonly<Record<string, Notes>>
  /** Attempts of this step in its state; 0: none has started. */
  readonly attempt: number
  /**
   * `forward`: the effect is desired; `back`: its removal. The same state may mean another observation, e.g. if half of
   * the targets do not answer.
   */
  readonly direction: 'forward' | 'back'
  readonly signal: AbortSignal
}

/** Arguments of every function of a step, with the fields of the caller's `Scene`. */
export type SagaCall<Scene> = Scene & SagaCallParts

/**
 * One step of a saga. Its functions may be aborted and repeated at any time. They reject with a CodedError if they
 * cannot observe or act: `retry` if the cause may pass, `stop` if not. `verify` and `remember` are aborted after 45
 * seconds, `run` and `compensate` after 90: start a longer operation, and observe it as pending.
 */
export interface SagaStep<Scene> {
  /** One CamelCase word. It is stored, so it must not change while sagas run. */
  readonly name: string
  /** Maximum attempts. Default 5. */
  readonly attempts?: number
  /**
   * Time limit of the whole step, or a function of the input. Default one hour; Infinity if the step waits for people.
   */
  readonly timeoutMs?: number | ((input: Notes) => number)
  /**
   * The same limits for the compensation, which is tried at least once and whose time starts with that. Default: as
   * above. Infinity retries without end, and then retries a `stop` too.
   */
  readonly backAttempts?: number
  readonly backTimeoutMs?: number
  /** Between attempts, in both directions. Default 5 s to 5 minutes. */
  readonly backoff?: BackoffPolicy
  /** Observes the effect in the world, not in the journal entry. Runs before and after each attempt. */
  verify(call: SagaCall<Scene>): Promise<StepObservation>
  /** Returns data for the compensation that cannot be observed after the effect; stored before the first attempt. */
  remember?(call: SagaCall<Scene>): Promise<Notes>
  /**
   * Starts the effect. Absent: it happens otherwise, e.g. by the children that the controller declares for this step.
   */
  run?(call: SagaCall<Scene>): Promise<void>
  /** Removes the effect. Absent: the effect stays. */
  compensate?(call: SagaCall<Scene>): Promise<void>
}

/** Desired state of a saga. */
export type DesiredSaga =
  /** No saga starts. A running one continues. */
  | { readonly kind: 'none' }
  /**
   * The run with this id: started once, and never again after its end. `input` is fixed at its start. If another run is
   * active, it ends first; a new id resumes a stalled one.
   */
  | { readonly kind: 'wanted'; readonly id: string; readonly input: Notes }
  /** Compensates a running saga, unless it has passed its pivot. Another `id` than before resumes a stalled one. */
  | { readonly kind: 'cancelled'; readonly message: string; readonly id?: string | undefined }

/** State of one saga, for `observe` and `status`. */
export interface SagaReport {
  readonly name: string
  readonly state: 'none' | 'running' | 'compensating' | 'completed' | 'compensated' | 'manualIntervention'
  /** One CamelCase word and one sentence, for a condition: `MigrateData 4/5: 61 %`. */
  readonly reason: string
  readonly message: string
  /** Current step of a running saga. */
  readonly step?: string | undefined
  readonly record: SagaRecord | undefined
}
