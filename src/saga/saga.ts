// What is a saga? An undertaking in steps of which each has an effect in the world. It resumes where it was after any crash; what fails is
// taken back in reverse, up to the pivot, after which there is only forward; and it always ends. A controller declares what the steps do
// and how to see it; when what is done is decided in decision.ts.
import type { BackoffPolicy } from '../base/backoff.ts'

/** Short texts by name, kept in status: never a secret. */
export type Notes = Readonly<Record<string, string>>

/** What the runtime keeps in `status.sagas`, one entry for each saga by its name. What is about to be done is in it before it is (I3). */
export interface SagaRecord {
  readonly name: string
  /** Which undertaking it is: that of the wish it was begun for. */
  readonly id: string
  readonly state: 'Running' | 'Compensating' | 'Completed' | 'Compensated' | 'ManualIntervention'
  /** Of the spec that it was begun for. */
  readonly generation: number
  /** As it was wished for in the beginning; changes of the spec do not reach a saga that has begun. */
  readonly input: Notes
  /** RFC 3339, as all times here. */
  readonly startedAt: string
  readonly finishedAt?: string
  /** When the effect of the pivot was first seen: from then on nothing is taken back. */
  readonly pivotedAt?: string
  /** Why it turned back or stands still: one CamelCase word, one sentence. */
  readonly reason?: string
  readonly message?: string
  /** The id of the last wish for which it was tried again after it stood still. */
  readonly retriedFor?: string
  /** All of them, in their order. */
  readonly steps: readonly SagaStepRecord[]
}

export interface SagaStepRecord {
  readonly name: string
  /**
   * `Running`: its effect is due, and may be there. `Done`: its effect has been seen. `Compensating`: its effect is to be taken back;
   * `Compensated`: has been seen to be gone; `Failed`: could not be taken back; `Kept`: is not taken back.
   */
  readonly state: 'Pending' | 'Running' | 'Done' | 'Compensating' | 'Compensated' | 'Failed' | 'Kept'
  /** When it got into `Running` or `Compensating`; of what is taken back, once that has been tried: when it was first tried. */
  readonly startedAt?: string
  /** How many effects have been begun in that state; all that may be, where one has failed for good. */
  readonly attempts?: number
  /** After a failed attempt: when the next may begin. */
  readonly retryAt?: string
  /** What failed last: one CamelCase word, one sentence. */
  readonly reason?: string
  readonly message?: string
  /** What the step has to remember. */
  readonly notes?: Notes
}

/** What a step sees of its effect in the world. What it cannot tell it throws. */
export type Sight =
  /** Nothing of it is there: nothing to take back either. */
  | { readonly kind: 'missing' }
  /** It is coming about; `progress` is a phrase for people: `61 %`. */
  | { readonly kind: 'pending'; readonly progress: string; readonly lookAfterMs?: number }
  /** All of it is there. */
  | { readonly kind: 'done'; readonly notes?: Notes }
  /** It is going away. */
  | { readonly kind: 'leaving'; readonly progress: string; readonly lookAfterMs?: number }
  /** Part of it is there, or it has failed, and it will not come about by itself; `isTerminal`: not by another attempt either. */
  | { readonly kind: 'broken'; readonly reason: string; readonly message: string; readonly isTerminal: boolean }

/** What every function of a step is told, beside the `Scene` that whoever runs the saga sets. */
export interface SagaCallParts {
  readonly id: string
  readonly input: Notes
  /** The same for the same undertaking of the same resource, for marks on what is made: `<uid>/<saga>/<id>`. */
  readonly token: string
  /** Of all steps so far, by the names of the steps. */
  readonly notes: Readonly<Record<string, Notes>>
  /** Of this step in its state; 0: its effect has not been begun yet. */
  readonly attempt: number
  /** Is its effect wanted, or the end of it? The same sight may have to be told otherwise, as where half of the world does not answer. */
  readonly direction: 'forward' | 'back'
  readonly signal: AbortSignal
}

export type SagaCall<Scene> = Scene & SagaCallParts

/**
 * One step. Its functions may be cut off and repeated at any time, and reject with a CodedError where they cannot tell or cannot do:
 * `retry` for what may pass, `stop` for what will not. `verify` and `remember` are given up after 45 seconds, `run` and `compensate` after 90:
 * what takes longer is begun, and then seen to be pending.
 */
export interface SagaStep<Scene> {
  /** One CamelCase word; it is stored, so it must stay the same while sagas are under way. */
  readonly name: string
  /** How often its effect is begun at most. Default 5. */
  readonly attempts?: number
  /** How long it may take in all; or what the input says. Default one hour; Infinity where it waits for people. */
  readonly timeoutMs?: number | ((input: Notes) => number)
  /**
   * The same two for taking it back, which is tried once at least, and whose time begins with that. Default: as above; Infinity where nothing
   * is worse than to stop trying: with attempts without end `stop` is tried again too.
   */
  readonly backAttempts?: number
  readonly backTimeoutMs?: number
  /** Between attempts, both ways. Default 5 s to 5 minutes. */
  readonly backoff?: BackoffPolicy
  /** Looks at the world, not at the record. It is asked before each attempt, and after it. */
  verify(call: SagaCall<Scene>): Promise<Sight>
  /** What taking it back will need, and what cannot be seen any more once it has had its effect; stored before the first attempt. */
  remember?(call: SagaCall<Scene>): Promise<Notes>
  /** Begins its effect. Absent: it comes about otherwise, as by the children that the controller declares for this step. */
  run?(call: SagaCall<Scene>): Promise<void>
  /** Takes its effect back. Absent: it is kept. */
  compensate?(call: SagaCall<Scene>): Promise<void>
}

/** What is wanted of a saga now. */
export type SagaWish =
  /** Nothing is to be begun. What has begun goes on. */
  | { readonly kind: 'none' }
  /**
   * The undertaking with this id: begun once, and never again once it has ended. `input` is pinned when it begins. Where another is under
   * way, that one ends first; where one stands still, a new id tries that one again.
   */
  | { readonly kind: 'wanted'; readonly id: string; readonly input: Notes }
  /** What is under way is taken back, unless it has passed its pivot. Where it stands still, another `id` than before tries it again. */
  | { readonly kind: 'cancelled'; readonly message: string; readonly id?: string | undefined }

/** How it stands with one saga; what `observe` and `status` are told. */
export interface SagaReport {
  readonly name: string
  readonly state: 'none' | 'running' | 'compensating' | 'completed' | 'compensated' | 'manualIntervention'
  /** One CamelCase word and one sentence, for a condition: `MigrateData 4/5: 61 %`. */
  readonly reason: string
  readonly message: string
  /** The step that it is at, while it is under way. */
  readonly step?: string | undefined
  readonly record: SagaRecord | undefined
}
