// What is the next move of a saga? One decision from its shape, what is recorded, wished and seen to a move; the saga-runner carries it
// out and asks again. Nothing is begun before it is recorded (I3), nothing is taken for done on the word of the record, nothing is taken
// back once the effect of the pivot has been seen, and every road ends.
//
//   none ──wanted──▶ Running ──last step seen──▶ Completed
//                      │ │ └──fails after the pivot──▶ ManualIntervention ──wanted or cancelled with a new id──▶ where it stood
//                      │ └──fails, or is cancelled, before it──▶ Compensating ──all seen to be gone──▶ Compensated
//                      └──its steps are others──▶ ManualIntervention ◀──some could not be taken back──┘
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
import type { SagaRecord, SagaStepRecord, SagaWish, Sight } from './saga.ts'
import { type SagaShape, type StepShape, shapeComplaint } from './shape.ts'
import {
  atRest,
  leftBehind,
  movedOn,
  retrying,
  type Standing,
  strange,
  stuckAtPivot,
  stuckForward,
  takenBackStill,
  waitingFor,
} from './standing.ts'

/** A function of a step that rejected. */
export interface StepFailure extends Cause {
  readonly isFinal: boolean
  readonly retryAfterMs?: number | undefined
}

/** What a look came to: it may have failed, and then it is not known what is there. */
export type Look = Sight | ({ readonly kind: 'unknown' } & StepFailure)

export interface SagaInput {
  readonly shape: SagaShape
  readonly record: SagaRecord | undefined
  readonly wish: SagaWish
  /** For which another try of one that stands still is asked, beside a new id. */
  readonly demand?: string | undefined
  readonly generation: number
  /** Of the step that is due; undefined: nobody has looked yet, or not since the last attempt. */
  readonly look: Look | undefined
  /** What came of the attempt of this pass. */
  readonly attempt: 'none' | 'ran' | StepFailure
  /** May an effect be begun that the children of the resource have to be there for? */
  readonly mayRun: boolean
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: number
  readonly random: Random
}

export type SagaMove =
  /** Look at the step that is due, and ask again. */
  | { readonly kind: 'look'; readonly index: number }
  /** Store the record under its lock, begin the attempt, look, and ask again. */
  | {
      readonly kind: 'attempt'
      readonly index: number
      readonly record: SagaRecord
      readonly operation: 'run' | 'compensate'
    }
  /** Nothing more to do in this pass; the record is to be kept. */
  | { readonly kind: 'end'; readonly record: SagaRecord | undefined; readonly standing: Standing }

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
      return standingStill(input, record)
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

/** Another try is for another wish than the last one. */
function standingStill({ wish, demand, nowMs }: SagaInput, record: SagaRecord): SagaMove {
  const retriedFor = demand ?? (wish.kind === 'none' ? undefined : wish.id)
  const isAskedFor = retriedFor !== undefined && retriedFor !== (record.retriedFor ?? record.id)
  if (!isAskedFor) return { kind: 'end', record, standing: atRest(record) }
  return moved(resumed(record, { retriedFor, nowMs }))
}

/** A saga with the step that is due and what was seen of it. */
interface Turn {
  readonly input: SagaInput
  readonly record: SagaRecord
  readonly index: number
  readonly step: SagaStepRecord
  readonly limits: Limits
  readonly isBack: boolean
}

/** Of the step in its direction. */
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
  const turn: Turn = { input: isBack ? patient(input, limits) : input, record, index, step, limits, isBack }
  return turn.isBack ? back(turn, look) : forward(passedPivot(turn, look), look)
}

/** With attempts without end no failure is final: a disk that is full has space again when somebody has helped. */
function patient(input: SagaInput, { attempts }: Limits): SagaInput {
  if (attempts !== Number.POSITIVE_INFINITY || !isFailure(input.attempt)) return input
  return { ...input, attempt: { ...input.attempt, isFinal: false } }
}

/** That anything of its effect is there is the point of no return, whatever becomes of it. */
function passedPivot(turn: Turn, look: Look): Turn {
  const { input, record, step } = turn
  const isSeen = look.kind !== 'missing' && look.kind !== 'unknown'
  if (step.name !== input.shape.pivot || record.pivotedAt !== undefined || !isSeen) return turn
  return { ...turn, record: { ...record, pivotedAt: timestampAt(input.nowMs) } }
}

function forward(turn: Turn, look: Look): SagaMove {
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

function back(turn: Turn, look: Look): SagaMove {
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
 * What cannot be looked at is neither there nor gone: only time, or an attempt that will never do, ends it. At the pivot not even that, as
 * nobody could say whether there is a way back: it has no attempt left, and is decided when it is seen. Nothing is left behind that was
 * not tried to be taken back, blindly if it has to be.
 */
function unseen(turn: Turn, look: Extract<Look, { kind: 'unknown' }>): SagaMove {
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
 * Its effect, or the end of it, is coming about: that an attempt rejected may only mean that its answer was lost. After the pivot there is
 * no other way than to wait for it. What goes away for another reason is taken back once before it is given up.
 */
function underWayStill(turn: Turn, look: Extract<Look, { kind: 'pending' | 'leaving' }>): SagaMove {
  const { record, input } = turn
  if (isFailure(input.attempt) && input.attempt.isFinal) return failed(turn, input.attempt, look)
  const isOnlyWay = record.pivotedAt !== undefined
  if (isLate(turn) && !isOnlyWay) {
    return isUntried(turn) ? firstTry(turn) : failed(turn, tooLate(turn, look.progress), look)
  }
  return { kind: 'end', record, standing: waitingFor(record, look.progress, look.lookAfterMs) }
}

/** Its effect is not there, or still there: the next attempt, if it is time for one and there is one left. */
function anew(turn: Turn, look: Look): SagaMove {
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

/** Is it to be taken back, and nobody has tried to? Time may have gone by in which nobody was there. */
function isUntried({ step: { attempts = 0 }, isBack }: Turn): boolean {
  return isBack && attempts === 0
}

function firstTry({ input: { nowMs }, record, index }: Turn): SagaMove {
  return { kind: 'attempt', index, record: firstTriedBack(record, index, nowMs), operation: 'compensate' }
}

/** What is known to have failed; undefined: nothing was tried, or what came of it is not known. */
function failureIn({ input: { attempt }, step, isBack }: Turn, look: Look): StepFailure | undefined {
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

function failed(turn: Turn, cause: Cause, look: Look): SagaMove {
  const { input, record, index, step, isBack } = turn
  const { shape, nowMs } = input
  const { reason, message } = cause
  if (isBack) {
    // A compensation that fails never stops the others.
    return moved(withEnd(takenBack(record, index, { state: 'Failed', cause, nowMs }), shape, nowMs))
  }
  if (record.pivotedAt !== undefined) return moved(stoodStill(record, stuckForward(record, cause, shape), nowMs))
  if (step.name === shape.pivot && look.kind === 'unknown') {
    return moved(stoodStill(record, stuckAtPivot(record, cause, shape), nowMs))
  }
  const why = { reason, message: `${step.name} failed: ${message}` }
  return moved(withEnd(turnedBack(record, { shape, cause: why, nowMs }), shape, nowMs))
}

/** The way back is over: if something was left behind, it says what to do. */
function withEnd(record: SagaRecord, shape: SagaShape, nowMs: number): SagaRecord {
  return record.state === 'ManualIntervention' ? stoodStill(record, leftBehind(record, shape), nowMs) : record
}

function moved(record: SagaRecord): SagaMove {
  return { kind: 'end', record, standing: movedOn(record) }
}

function isFailure(attempt: SagaInput['attempt']): attempt is StepFailure {
  return typeof attempt === 'object'
}

function isLate(turn: Turn): boolean {
  const { startedAt } = turn.step
  return startedAt !== undefined && turn.input.nowMs - Date.parse(startedAt) > timeoutMsOf(turn)
}

function timeoutMsOf({ limits: { timeoutMs }, record }: Turn): number {
  return typeof timeoutMs === 'function' ? timeoutMs(record.input) : timeoutMs
}

function tooLate(turn: Turn, detail: string | undefined): Cause {
  const why = detail === undefined || detail === '' ? '' : `: ${detail}`
  return { reason: 'StepTimeout', message: `not over after ${Math.round(timeoutMsOf(turn) / 1_000)} s${why}` }
}

/** Until the next attempt. One that is further away than attempts ever are was noted by a clock that has been set back since. */
function waitOf({ input: { nowMs }, step: { retryAt }, limits }: Turn): number {
  const waitMs = retryAt === undefined ? 0 : Date.parse(retryAt) - nowMs
  return waitMs > limits.backoff.capMs ? 0 : waitMs
}

function lastFailure({ reason = 'CutOff', message = 'its last attempt was cut off' }: SagaStepRecord): Cause {
  return { reason, message }
}
