// Next move of a saga: one pure decision from its shape, its journal entry, the desired state and the observed effect.
// The runner carries the move out and decides again. Invariants: a step starts after its journal entry is stored (I3).
// The journal entry alone never counts as proof of an effect. Nothing is compensated after the effect of the pivot was
// observed. Every path ends.
//
//   none ──wanted──▶ Running ──last step seen──▶ Completed
//                      │ └──fails after the pivot──▶ ManualIntervention ──wanted or cancelled with a new id──▶ resumed
//                      └──fails, or is cancelled, before it──▶ Compensating ──all seen to be gone──▶ Compensated
//                      └──other steps──▶ ManualIntervention ◀──a compensation failed──┘
import { assert, unreachable } from '../base/assert.ts'
import { backoffDelayMs } from '../base/backoff.ts'
import { timestampAt } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import {
  advanced,
  attempted,
  begun,
  type Cause,
  failedAttempt,
  failedForGood,
  firstTriedBack,
  focusOf,
  resumed,
  stepAt,
  stoodStill,
  takenBack,
  turnedBack,
} from './record.ts'
import type { DesiredSaga, SagaRecord, SagaStepRecord, StepObservation } from './saga.ts'
import {
  atRest,
  leftBehind,
  movedOn,
  retrying,
  type SagaState,
  strange,
  stuckAtPivot,
  stuckForward,
  takenBackStill,
  waitingFor,
} from './saga-state.ts'
import { type SagaShape, type StepShape, shapeComplaint } from './shape.ts'

/** Error of a step's function. */
export interface StepFailure extends Cause {
  readonly isFinal: boolean
  readonly retryAfterMs?: number | undefined
}

/** Result of an observation. `unknown`: it failed, and the effect may or may not exist. */
export type ReportedObservation = StepObservation | ({ readonly kind: 'unknown' } & StepFailure)

export interface SagaInput {
  readonly shape: SagaShape
  readonly record: SagaRecord | undefined
  readonly wish: DesiredSaga
  /** Another request to retry a stalled saga, beside a new id. */
  readonly demand?: string | undefined
  readonly generation: number
  /** Observation of the due step; undefined: none yet, or none since the last attempt. */
  readonly look: ReportedObservation | undefined
  /** Result of this pass's attempt. */
  readonly attempt: 'none' | 'ran' | StepFailure
  /** True if a step that needs the children of the resource may start. */
  readonly mayRun: boolean
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: number
  readonly random: Random
}

export type SagaMove =
  /** Observe the due step, and decide again. */
  | { readonly kind: 'look'; readonly index: number }
  /** Store the journal entry under its lock, start the attempt, observe, and decide again. */
  | {
      readonly kind: 'attempt'
      readonly index: number
      readonly record: SagaRecord
      readonly operation: 'run' | 'compensate'
    }
  /** Nothing more to do in this pass; the journal entry stays in the status. */
  | { readonly kind: 'end'; readonly record: SagaRecord | undefined; readonly standing: SagaState }

export function sagaMove(input: SagaInput): SagaMove {
  const { record, wish } = input
  if (record === undefined) return beginning(input)
  switch (record.state) {
    case 'Completed':
      return beginning(input)
    case 'Compensated':
      return wish.kind === 'wanted' && wish.id === record.id
        ? { kind: 'end', record, standing: takenBackStill(record, input.shape) }
        : beginning(input)
    case 'ManualIntervention':
      return stalled(input, record)
    case 'Running':
    case 'Compensating':
      return underWay(input, record)
    default:
      return unreachable(record.state)
  }
}

function beginning({ record, wish, shape, generation, nowMs }: SagaInput): SagaMove {
  if (wish.kind !== 'wanted' || wish.id === record?.id) return { kind: 'end', record, standing: atRest(record) }
  const { id, input } = wish
  return moved(begun({ shape, id, input, generation, nowMs }))
}

/** Resumes for a new request only. */
function stalled({ wish, demand, nowMs }: SagaInput, record: SagaRecord): SagaMove {
  const retriedFor = demand ?? (wish.kind === 'none' ? undefined : wish.id)
  const isAskedFor = retriedFor !== undefined && retriedFor !== (record.retriedFor ?? record.id)
  if (!isAskedFor) return { kind: 'end', record, standing: atRest(record) }
  return moved(resumed(record, { retriedFor, nowMs }))
}

/** A saga with its due step. */
interface DueStep {
  readonly input: SagaInput
  readonly record: SagaRecord
  readonly index: number
  readonly step: SagaStepRecord
  readonly limits: Limits
  readonly isBack: boolean
}

/** Limits of the step in the current direction. */
type Limits = Pick<StepShape, 'attempts' | 'timeoutMs' | 'backoff' | 'runs'>

function underWay(input: SagaInput, record: SagaRecord): SagaMove {
  const { shape, look, nowMs } = input
  const complaint = shapeComplaint(shape, record)
  if (complaint !== undefined) return moved(stoodStill(record, strange(complaint, shape), nowMs))
  const focus = focusOf(record)
  assert(focus !== undefined, 'a saga that is under way has a step that is due')
  const { index, direction } = focus
  if (look === undefined) return { kind: 'look', index }
  const step = stepAt(record, index)
  const known = shape.steps[index]
  assert(known !== undefined, 'the steps of the record are those of the shape')
  const isBack = direction === 'back'
  const limits = isBack ? { ...known, attempts: known.backAttempts, timeoutMs: known.backTimeoutMs } : known
  const turn: DueStep = { input: isBack ? patient(input, limits) : input, record, index, step, limits, isBack }
  return turn.isBack ? back(turn, look) : forward(passedPivot(turn, look), look)
}

/** With unlimited attempts no failure is final: e.g. a full disk gets space again after a repair. */
function patient(input: SagaInput, { attempts }: Limits): SagaInput {
  if (attempts !== Number.POSITIVE_INFINITY || !isFailure(input.attempt)) return input
  return { ...input, attempt: { ...input.attempt, isFinal: false } }
}

/** Any observed effect of the pivot is the point of no return, whatever happens to it later. */
function passedPivot(turn: DueStep, look: ReportedObservation): DueStep {
  const { input, record, step } = turn
  const isSeen = look.kind !== 'missing' && look.kind !== 'unknown'
  if (step.name !== input.shape.pivot || record.pivotedAt !== undefined || !isSeen) return turn
  return { ...turn, record: { ...record, pivotedAt: timestampAt(input.nowMs) } }
}

function forward(turn: DueStep, look: ReportedObservation): SagaMove {
  const { input, record, index, step } = turn
  const { wish, shape, nowMs } = input
  const isPivotUnknown = step.name === shape.pivot && look.kind === 'unknown'
  if (wish.kind === 'cancelled' && record.pivotedAt === undefined && !isPivotUnknown) {
    const cause = { reason: 'Cancelled', message: wish.message }
    return moved(withEnd(turnedBack(record, { shape, cause, nowMs }), shape, nowMs))
  }
  switch (look.kind) {
    case 'done':
      return moved(advanced(record, index, { notes: look.notes, nowMs }))
    case 'unknown':
      return unseen(turn, look)
    case 'pending':
    case 'leaving':
      return underWayStill(turn, look)
    case 'missing':
    case 'broken':
      return anew(turn, look)
    default:
      return unreachable(look)
  }
}

function back(turn: DueStep, look: ReportedObservation): SagaMove {
  const { input, record, index } = turn
  const { shape, nowMs } = input
  switch (look.kind) {
    case 'missing':
      return moved(withEnd(takenBack(record, index, { state: 'Compensated', nowMs }), shape, nowMs))
    case 'unknown':
      return unseen(turn, look)
    case 'leaving':
      return underWayStill(turn, look)
    case 'done':
    case 'pending':
    case 'broken':
      return anew(turn, look)
    default:
      return unreachable(look)
  }
}

/**
 * An unknown state is neither done nor gone: only the timeout, or a final failure, ends it. At the pivot a final
 * failure does not end it, because compensation may be impossible. The step then has no attempt left, and an
 * observation or the timeout decides. Every compensation is tried once, blindly if necessary.
 */
function unseen(turn: DueStep, look: Extract<ReportedObservation, { kind: 'unknown' }>): SagaMove {
  const { input, index, step, limits } = turn
  let { record } = turn
  if (isFailure(input.attempt) && input.attempt.isFinal) {
    if (step.name !== input.shape.pivot) return failed(turn, input.attempt, look)
    record = failedForGood(record, index, { cause: input.attempt, attempts: limits.attempts })
  }
  if (isLate(turn)) return isUntried(turn) ? firstTry(turn) : failed(turn, tooLate(turn, look.message), look)
  return { kind: 'end', record, standing: retrying(record, look, look.retryAfterMs) }
}

/**
 * The effect, or its removal, is in progress. A rejected attempt may only mean that its answer was lost. After the
 * pivot the saga can only wait. An effect that disappears for another reason is compensated once before the step fails.
 */
function underWayStill(turn: DueStep, look: Extract<ReportedObservation, { kind: 'pending' | 'leaving' }>): SagaMove {
  const { record, input } = turn
  if (isFailure(input.attempt) && input.attempt.isFinal) return failed(turn, input.attempt, look)
  const isOnlyWay = record.pivotedAt !== undefined
  if (isLate(turn) && !isOnlyWay) {
    return isUntried(turn) ? firstTry(turn) : failed(turn, tooLate(turn, look.progress), look)
  }
  return { kind: 'end', record, standing: waitingFor(record, look.progress, look.lookAfterMs) }
}

/** The effect is missing, or still exists: starts the next attempt, if it is scheduled now and one is left. */
function anew(turn: DueStep, look: ReportedObservation): SagaMove {
  const { input, record, index, step, limits, isBack } = turn
  const { nowMs, random } = input
  const { attempts = 0, retryAt } = step
  const failure = failureIn(turn, look)
  if (failure?.isFinal === true) return failed(turn, failure, look)
  if (isUntried(turn)) return firstTry(turn)
  if (isLate(turn)) return failed(turn, tooLate(turn, failure?.message ?? step.message), look)
  if (failure !== undefined && attempts >= limits.attempts) return failed(turn, failure, look)
  if (failure !== undefined && attempts > 0 && retryAt === undefined) {
    const backoffMs = backoffDelayMs({ policy: limits.backoff, failures: attempts, random })
    const waitMs = Math.min(Math.max(backoffMs, failure.retryAfterMs ?? 0), limits.backoff.capMs)
    const next = failedAttempt(record, index, { cause: failure, retryAtMs: nowMs + waitMs })
    return { kind: 'end', record: next, standing: retrying(next, failure, waitMs) }
  }
  const waitMs = waitOf(turn)
  if (waitMs > 0) return { kind: 'end', record, standing: retrying(record, lastFailure(step), waitMs) }
  if (attempts >= limits.attempts) return failed(turn, lastFailure(step), look)
  if (!isBack && !limits.runs) return { kind: 'end', record, standing: waitingFor(record, 'it has not come about yet') }
  if (!isBack && !input.mayRun)
    return { kind: 'end', record, standing: waitingFor(record, 'the children are not applied yet') }
  return { kind: 'attempt', index, record: attempted(record, index), operation: isBack ? 'compensate' : 'run' }
}

/** True if a compensation is due that was never tried. Time may have passed while no process ran. */
function isUntried({ step: { attempts = 0 }, isBack }: DueStep): boolean {
  return isBack && attempts === 0
}

function firstTry({ input: { nowMs }, record, index }: DueStep): SagaMove {
  return { kind: 'attempt', index, record: firstTriedBack(record, index, nowMs), operation: 'compensate' }
}

/** Returns the known failure; undefined: no attempt, or its result is unknown. */
function failureIn({ input: { attempt }, step, isBack }: DueStep, look: ReportedObservation): StepFailure | undefined {
  if (isFailure(attempt)) return attempt
  if (!isBack && look.kind === 'broken') {
    const { reason, message, isTerminal } = look
    return { reason, message, isFinal: isTerminal }
  }
  if (attempt === 'none') return undefined
  const message = isBack
    ? `${step.name} was taken back, and is still there`
    : `${step.name} ran, and nothing of it is there`
  return { reason: 'NoEffect', message, isFinal: false }
}

function failed(turn: DueStep, cause: Cause, look: ReportedObservation): SagaMove {
  const { input, record, index, step, isBack } = turn
  const { shape, nowMs } = input
  const { reason, message } = cause
  if (isBack) {
    // A failed compensation never stops the others.
    return moved(withEnd(takenBack(record, index, { state: 'Failed', cause, nowMs }), shape, nowMs))
  }
  if (record.pivotedAt !== undefined) return moved(stoodStill(record, stuckForward(record, cause, shape), nowMs))
  if (step.name === shape.pivot && look.kind === 'unknown') {
    return moved(stoodStill(record, stuckAtPivot(record, cause, shape), nowMs))
  }
  const why = { reason, message: `${step.name} failed: ${message}` }
  return moved(withEnd(turnedBack(record, { shape, cause: why, nowMs }), shape, nowMs))
}

/** Compensation has ended: a remaining effect gets a message with the remedy. */
function withEnd(record: SagaRecord, shape: SagaShape, nowMs: number): SagaRecord {
  return record.state === 'ManualIntervention' ? stoodStill(record, leftBehind(record, shape), nowMs) : record
}

function moved(record: SagaRecord): SagaMove {
  return { kind: 'end', record, standing: movedOn(record) }
}

function isFailure(attempt: SagaInput['attempt']): attempt is StepFailure {
  return typeof attempt === 'object'
}

function isLate(turn: DueStep): boolean {
  const { startedAt } = turn.step
  return startedAt !== undefined && turn.input.nowMs - Date.parse(startedAt) > timeoutMsOf(turn)
}

function timeoutMsOf({ limits: { timeoutMs }, record }: DueStep): number {
  return typeof timeoutMs === 'function' ? timeoutMs(record.input) : timeoutMs
}

function tooLate(turn: DueStep, detail: string | undefined): Cause {
  const why = detail === undefined || detail === '' ? '' : `: ${detail}`
  return { reason: 'StepTimeout', message: `not over after ${Math.round(timeoutMsOf(turn) / 1_000)} s${why}` }
}

/** Time until the next attempt. A time beyond the longest backoff comes from a clock that was set back since. */
function waitOf({ input: { nowMs }, step: { retryAt }, limits }: DueStep): number {
  const waitMs = retryAt === undefined ? 0 : Date.parse(retryAt) - nowMs
  return waitMs > limits.backoff.capMs ? 0 : waitMs
}

function lastFailure({ reason = 'CutOff', message = 'its last attempt was cut off' }: SagaStepRecord): Cause {
  return { reason, message }
}
