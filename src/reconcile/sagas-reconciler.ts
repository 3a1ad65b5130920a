// Reconciles the sagas of one resource, one after the other in the order of their declaration, and ends them in
// reverse. The saga-runner decides what is next; this class gives it the resource's desired state, journal entries and
// Events. Invariant: a pass begins at most one effect of a saga, and its result is in the cluster before the next pass.
// `observe` and the children thus see every step.
import type { Clock } from '../base/clock.ts'
import type { Log, Tracer } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { ExternalReport, ExternalTools } from '../external/external.ts'
import type { EffectGate } from '../external/protocol-runner.ts'
import type { LiveObject, StatusWithConditions } from '../object/object.ts'
import type { DesiredSaga, SagaRecord, SagaReport } from '../saga/saga.ts'
import { type SagaFound, SagaRunner } from '../saga/saga-runner.ts'
import { atRest, reportOf } from '../saga/saga-state.ts'
import { shapeOf } from '../saga/shape.ts'
import type { EventReport } from './context.ts'
import type { Controller } from './definition.ts'
import type { PartResult } from './external-part-result.ts'
import { logFieldsOf } from './log-fields.ts'
import { type Child, earliest, type Outcome, outcomeOfError, recordCatchUp } from './outcome.ts'
import { parentOf } from './parent.ts'
import { type JournalChange, recordOf, recordsOf, StaleRecordsError, withRecord } from './records.ts'
import type { RecordsRecorder } from './records-recorder.ts'
import type { Saga, SagaResource } from './saga-definition.ts'
import { outcomeOfSagas } from './saga-outcome.ts'
import { isAnswerDue, reconcileNowAnnotation, steeringOf } from './steering.ts'

export interface SagasReconcilerOptions {
  readonly controller: Controller
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly tracer: Tracer
  readonly tools: ExternalTools
  readonly gate: EffectGate
  readonly records: RecordsRecorder
  readonly recordEvent: (regarding: LiveObject, event: EventReport) => void
}

type ErasedResource = SagaResource<unknown, unknown, unknown>

interface Kept {
  readonly saga: Saga<unknown, unknown, unknown>
  readonly runner: SagaRunner<ErasedResource>
}

export type SagasResult = PartResult<SagaReport>

/** State of the reconcile when it reaches the sagas. */
export interface SagasSituation {
  readonly facts: unknown
  readonly children: readonly Child[]
  readonly externals: readonly ExternalReport[]
  /** True if the children are applied: a new effect may need them. */
  readonly isApplied: boolean
  readonly records: JournalChange
}

export class SagasReconciler {
  readonly #options: SagasReconcilerOptions
  readonly #kept: readonly Kept[]

  constructor(options: SagasReconcilerOptions) {
    const { controller, tools } = options
    this.#options = options
    this.#kept = controller.sagas.map((saga) => {
      const { name, pivot, retryAdvice = 'ask for it again' } = saga
      const steps = saga.steps(tools)
      const shape = shapeOf({ name, pivot, retryAdvice, steps })
      return { saga, runner: new SagaRunner<ErasedResource>({ ...options, shape, steps }) }
    })
  }

  /** State by the journal entries: between reconciles there is no other state. */
  reportsOf(object: LiveObject): readonly SagaReport[] {
    return this.#reports(recordsOf(object).sagas, [])
  }

  /** Rejects only when aborted. */
  async provide(object: LiveObject, situation: SagasSituation, signal: AbortSignal): Promise<SagasResult> {
    const { facts, children, externals, isApplied } = situation
    const turn = new SagasReconcile(situation.records)
    const parent = parentOf(object)
    try {
      for (const { saga, runner } of this.#kept) {
        const sagas = this.#reports(turn.sagas, turn.found)
        const wish = saga.desired({ object: parent, facts, children, externals, sagas })
        const pass = { wish, mayRun: isApplied, scene: { object: parent, facts, children, externals } }
        this.#settled(
          object,
          turn,
          await runner.proceed({ ...pass, ...this.#passFor(object, saga.name, turn, signal) }),
        )
      }
    } catch (thrown) {
      signal.throwIfAborted()
      return this.#end(turn, outcomeOfThrown(thrown))
    }
    return this.#end(turn, outcomeOfSagas(turn.found))
  }

  /**
   * Performs one step of ending the sagas, the last declared first; `isOver` when none is running. Calls `situationOf`
   * only if one is. Rejects only when aborted.
   */
  async remove(
    object: LiveObject,
    situationOf: () => Promise<Omit<SagasSituation, 'isApplied' | 'records'>>,
    signal: AbortSignal,
  ): Promise<SagasResult & { readonly isOver: boolean }> {
    const records = recordsOf(object)
    const turn = new SagasReconcile({ stored: records, next: records })
    if (this.#letGo(object, turn)) return { ...this.#end(turn, { kind: 'settled' }), isOver: false }
    try {
      for (const kept of this.#kept.toReversed()) {
        const record = recordOf(turn.sagas, kept.saga.name)
        if (record === undefined || isOver(record)) continue
        const isLeft = await this.#removeOne(object, kept, { turn, record, situation: await situationOf() }, signal)
        return {
          ...this.#end(turn, isLeft ? { kind: 'settled' } : whileDeleted(outcomeOfSagas(turn.found))),
          isOver: false,
        }
      }
    } catch (thrown) {
      signal.throwIfAborted()
      return { ...this.#end(turn, outcomeOfThrown(thrown)), isOver: false }
    }
    return { ...this.#end(turn, { kind: 'settled' }), isOver: true }
  }

  /**
   * Releases sagas that an earlier version of the controller declared: their steps are unknown now. True if there is
   * one.
   */
  #letGo(object: LiveObject, turn: SagasReconcile): boolean {
    const isKnown = (name: string) => this.#kept.some(({ saga }) => saga.name === name)
    const unknown = turn.sagas.filter((record) => !isKnown(record.name) && !isOver(record))
    for (const record of unknown) {
      const note = `${record.name} is left as it is, ${atRest(record).message}: this version of the controller does not know it`
      this.#options.recordEvent(object, { type: 'Warning', reason: 'LeftAlone', action: 'Delete', note })
      turn.leave(record.name)
    }
    return unknown.length > 0
  }

  /** True if the saga is left unfinished. */
  async #removeOne(
    object: LiveObject,
    { saga, runner }: Kept,
    { turn, record, situation }: Removing,
    signal: AbortSignal,
  ): Promise<boolean> {
    const parent = parentOf(object)
    const { facts, children, externals } = situation
    const report = reportOf(saga.name, atRest(record), record)
    const removal = saga.removal?.({ object: parent, facts, saga: report }) ?? { kind: 'compensate' }
    if (removal.kind === 'leave') {
      const note = `${saga.name} is left as it is, ${report.message}: ${removal.note}`
      this.#options.recordEvent(object, { type: 'Warning', reason: 'LeftAlone', action: 'Delete', note })
      turn.leave(saga.name)
      return true
    }
    const wish: DesiredSaga =
      removal.kind === 'finish' ? { kind: 'none' } : { kind: 'cancelled', message: 'the resource is being deleted' }
    const pass = {
      wish,
      demand: demandOf(object, record),
      mayRun: true,
      scene: { object: parent, facts, children, externals },
    }
    this.#settled(object, turn, await runner.proceed({ ...pass, ...this.#passFor(object, saga.name, turn, signal) }))
    return false
  }

  #passFor(object: LiveObject, name: string, turn: SagasReconcile, signal: AbortSignal) {
    const { uid, generation = 0 } = object.metadata
    return {
      uid,
      generation,
      record: recordOf(turn.sagas, name),
      store: (record: SagaRecord) => this.#store(object, turn, record, signal),
      logFields: logFieldsOf(object),
      signal,
    }
  }

  async #store(object: LiveObject, turn: SagasReconcile, record: SagaRecord, signal: AbortSignal): Promise<void> {
    const ahead = turn.recordsWith(record.name, record)
    await this.#options.records.store(object, ahead, signal)
    turn.records = { stored: ahead.next, next: ahead.next }
  }

  #settled(object: LiveObject, turn: SagasReconcile, found: SagaFound): void {
    turn.found.push(found)
    if (found.record !== undefined) turn.keep(found.record)
    if (found.event !== undefined) this.#options.recordEvent(object, found.event)
  }

  #reports(records: readonly SagaRecord[], found: readonly SagaFound[]): readonly SagaReport[] {
    return this.#kept.map(({ saga: { name } }) => {
      const record = recordOf(records, name)
      const standing = found.find((one) => one.record?.name === name)?.standing ?? atRest(record)
      return reportOf(name, standing, record)
    })
  }

  #end(turn: SagasReconcile, outcome: Outcome): SagasResult {
    const lookMs = earliest(...turn.looks, ...turn.found.map(({ standing }) => standing.lookAfterMs))
    return { reports: this.#reports(turn.sagas, turn.found), records: turn.records, outcome, lookMs }
  }
}

interface Removing {
  readonly turn: SagasReconcile
  readonly record: SagaRecord
  readonly situation: Omit<SagasSituation, 'isApplied' | 'records'>
}

/** The journal entries during a reconcile, and the results so far. */
class SagasReconcile {
  records: JournalChange
  readonly found: SagaFound[] = []
  /** Times until the next reconcile, besides those of the results. */
  readonly looks: number[] = []

  constructor(records: JournalChange) {
    this.records = records
  }

  get sagas(): readonly SagaRecord[] {
    return this.records.next.sagas
  }

  recordsWith(name: string, record: SagaRecord | undefined): JournalChange {
    const { stored, next } = this.records
    return { stored, next: { ...next, sagas: withRecord(next.sagas, name, record) } }
  }

  keep(record: SagaRecord): void {
    this.records = this.recordsWith(record.name, record)
  }

  /** Releases the saga; the next reconcile follows at once. */
  leave(name: string): void {
    this.records = this.recordsWith(name, undefined)
    this.looks.push(0)
  }
}

/** Retries a stalled saga once because of the deletion, and once for each later reconcile-now. */
function demandOf(object: LiveObject, { retriedFor }: SagaRecord): string | undefined {
  const { token } = steeringOf(object)
  // The runtime's own status has this shape.
  if (isAnswerDue(token, object.status as StatusWithConditions | undefined)) return `${deletion} ${token}`
  return retriedFor?.startsWith(deletion) === true ? undefined : deletion
}
const deletion = 'deletion'

/** During a deletion, `desired` is not called. */
function whileDeleted(outcome: Outcome): Outcome {
  if (outcome.kind !== 'stopped') return outcome
  return {
    ...outcome,
    message: `${outcome.message}; while it is being deleted, ${reconcileNowAnnotation} with another word does that`,
  }
}

function isOver({ state }: SagaRecord): boolean {
  return state === 'Completed' || state === 'Compensated'
}

function outcomeOfThrown(thrown: unknown): Outcome {
  return thrown instanceof StaleRecordsError ? { kind: 'waiting', ...recordCatchUp } : outcomeOfError(thrown)
}
