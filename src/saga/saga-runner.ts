// Runs a saga: observes, decides, acts, and observes again, until the pass has nothing more to do. It makes no
// decisions and has no memory: the journal entry is its only state. Invariants: the journal entry is stored before
// every attempt, and a crash may come at any await (I3). No effect starts after this process lost its right to act
// (I9).
import { assert } from '../base/assert.ts'
import { type Clock, withinLimit } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Log, LogFields, Tracer } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { EffectGate } from '../external/protocol-runner.ts'
import type { EventReport } from '../object/event-report.ts'
import { type ReportedObservation, type SagaInput, type SagaMove, type StepFailure, sagaMove } from './decision.ts'
import { attempted, stepAt } from './record.ts'
import type { DesiredSaga, Notes, SagaCall, SagaRecord, SagaStep } from './saga.ts'
import { eventOf, type SagaState } from './saga-state.ts'
import type { SagaShape } from './shape.ts'

export interface SagaRunnerOptions<Scene> {
  readonly shape: SagaShape
  readonly steps: readonly SagaStep<Scene>[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly tracer: Tracer
  readonly gate: EffectGate
}

/** Input of a pass over one saga of one resource. */
export interface SagaPass<Scene> {
  readonly uid: string
  readonly generation: number
  /** Journal entry in the status. */
  readonly record: SagaRecord | undefined
  readonly wish: DesiredSaga
  /** Another request to retry a stalled saga, beside a new id. */
  readonly demand?: string | undefined
  readonly mayRun: boolean
  readonly scene: Scene
  /**
   * Writes the journal entry into the status, locked to the version of which this pass was decided. Rejects if that is
   * not the newest.
   */
  readonly store: (record: SagaRecord) => Promise<void>
  readonly logFields: LogFields
  readonly signal: AbortSignal
}

export interface SagaFound {
  /** Journal entry to store in the status; undefined: none. */
  readonly record: SagaRecord | undefined
  readonly standing: SagaState
  /** Event to emit once the journal entry is stored. */
  readonly event: EventReport | undefined
}

type Attempt = Extract<SagaMove, { kind: 'attempt' }>

/**
 * Time limits of a call, even if it ignores its signal. A longer operation is started, and then observed as pending.
 */
const limitsMs = { verify: 45_000, remember: 45_000, run: 90_000, compensate: 90_000 } as const

export class SagaRunner<Scene extends object> {
  readonly #options: SagaRunnerOptions<Scene>

  constructor(options: SagaRunnerOptions<Scene>) {
    this.#options = options
  }

  /**
   * Rejects if the journal entry could not be stored, or the signal aborted. Errors of the steps are part of the
   * result.
   */
  async proceed(pass: SagaPass<Scene>): Promise<SagaFound> {
    const { shape, clock, random } = this.#options
    const { wish, demand, generation, mayRun } = pass
    let { record } = pass
    let look: ReportedObservation | undefined
    let attempt: SagaInput['attempt'] = 'none'
    for (;;) {
      const known = { shape, record, wish, demand, generation, look, attempt, mayRun }
      const move = sagaMove({ ...known, nowMs: clock.now(), random })
      if (move.kind === 'end') {
        const { record: next } = move
        // Stores the entry of a new saga before anything starts: this shows whether the status keeps it at all.
        if (next !== undefined && next.id !== record?.id) await pass.store(next)
        return { ...move, event: eventOf(pass.record, next) }
      }
      if (move.kind === 'look') {
        assert(record !== undefined, 'what is looked at is recorded')
        look = await this.#look(pass, record, move.index)
        continue
      }
      assert(attempt === 'none', 'a pass begins one effect at most')
      const ahead = await this.#remembering(pass, record, move)
      if ('kind' in ahead) {
        look = ahead
        continue
      }
      await pass.store(ahead)
      record = ahead
      attempt = await this.#begin(pass, ahead, move)
      look = undefined
    }
  }

  async #look(pass: SagaPass<Scene>, record: SagaRecord, index: number): Promise<ReportedObservation> {
    const step = this.#step(index)
    const seen = await this.#call(pass, {
      record,
      index,
      name: 'verify',
      work: (call) => step.verify(call),
      signal: pass.signal,
    })
    return seen instanceof StepRejection ? { kind: 'unknown', ...seen.failure } : seen
  }

  /** Returns the journal entry of an attempt, with the notes from before the first one; or the error of `remember`. */
  async #remembering(
    pass: SagaPass<Scene>,
    before: SagaRecord | undefined,
    { index, record, operation }: Attempt,
  ): Promise<SagaRecord | ReportedObservation> {
    const step = this.#step(index)
    assert(before !== undefined, 'what is begun is recorded')
    const isFirst = stepAt(record, index).attempts === 1
    if (step.remember === undefined || operation === 'compensate' || !isFirst) return record
    const work = async (call: SagaCall<Scene>) => (await step.remember?.(call)) ?? {}
    const notes = await this.#call<Notes>(pass, { record: before, index, name: 'remember', work, signal: pass.signal })
    return notes instanceof StepRejection ? { kind: 'unknown', ...notes.failure } : attempted(before, index, notes)
  }

  async #begin(pass: SagaPass<Scene>, record: SagaRecord, { index, operation }: Attempt): Promise<'ran' | StepFailure> {
    const { log, gate, shape } = this.#options
    const step = this.#step(index)
    const passage = gate.enter(pass.signal)
    const { attempts } = stepAt(record, index)
    log.info({ ...pass.logFields, saga: shape.name, step: step.name, attempt: attempts }, `${operation} of a saga`)
    const work = async (call: SagaCall<Scene>) => await step[operation]?.(call)
    try {
      const end = await this.#call(pass, { record, index, name: operation, work, signal: passage.signal })
      return end instanceof StepRejection ? end.failure : 'ran'
    } finally {
      passage.end()
    }
  }

  /** Rejects only if the caller of the pass aborted it. */
  async #call<T>(
    pass: SagaPass<Scene>,
    { record, index, name, work, signal }: Call<Scene, T>,
  ): Promise<T | StepRejection> {
    const { clock, tracer, shape } = this.#options
    const what = `${name} of the step ${this.#step(index).name} of ${shape.name}`
    const limitMs = limitsMs[name]
    const limit = { clock, limitMs, signal, tooLate: () => timedOut(what, limitMs) }
    const begin = (until: AbortSignal) => work(this.#callOf(pass, { record, index, signal: until }))
    try {
      return await tracer.run(what, noAttributes, () => withinLimit(limit, begin))
    } catch (thrown) {
      // The error of an aborted call says nothing.
      signal.throwIfAborted()
      return new StepRejection(failureOf(thrown))
    }
  }

  #callOf(
    { uid, scene }: SagaPass<Scene>,
    { record, index, signal }: { readonly record: SagaRecord; readonly index: number; readonly signal: AbortSignal },
  ): SagaCall<Scene> {
    const { id, input, steps } = record
    const notes = Object.fromEntries(steps.map((step) => [step.name, step.notes ?? {}]))
    const { attempts: attempt = 0 } = stepAt(record, index)
    const direction = record.state === 'Compensating' ? 'back' : 'forward'
    return { ...scene, id, input, token: `${uid}/${this.#options.shape.name}/${id}`, notes, attempt, direction, signal }
  }

  #step(index: number): SagaStep<Scene> {
    const step = this.#options.steps[index]
    assert(step !== undefined, 'the steps are those of the shape')
    return step
  }
}

interface Call<Scene, T> {
  readonly record: SagaRecord
  readonly index: number
  /** Name of the function. */
  readonly name: keyof typeof limitsMs
  readonly work: (call: SagaCall<Scene>) => Promise<T>
  readonly signal: AbortSignal
}

/** Distinguishes an error of a step from its result. */
class StepRejection {
  readonly failure: StepFailure

  constructor(failure: StepFailure) {
    this.failure = failure
  }
}

const noAttributes = () => ({})

function failureOf(thrown: unknown): StepFailure {
  const message = messageOf(thrown)
  if (!(thrown instanceof CodedError)) return { reason: 'InternalError', message, isFinal: false }
  const { code: reason, remedy, retryAfterMs } = thrown
  return { reason, message, isFinal: remedy === 'stop', retryAfterMs }
}

/** It is unknown whether the effect took place; the next observation shows it. */
function timedOut(what: string, limitMs: number): CodedError {
  const message = `${what} was given up after ${limitMs / 1_000} s without an answer`
  return new CodedError({ code: 'DependencyTimeout', message, remedy: 'retry' })
}
