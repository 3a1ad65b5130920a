// States of a saga: reason and message for conditions and Events, and the outcome of the reconcile. Nothing here
// decides.
import { unreachable } from '../base/assert.ts'
import type { EventReport } from '../object/event-report.ts'
import { type Cause, focusOf, stepAt } from './record.ts'
import type { SagaRecord, SagaReport } from './saga.ts'
import type { SagaShape } from './shape.ts'

export interface SagaState {
  readonly state: SagaReport['state']
  /** One CamelCase word. */
  readonly reason: string
  /** A sentence without secrets. */
  readonly message: string
  /**
   * `moved`: the journal entry has changed, and the next reconcile continues at once. The others are those of an
   * Outcome.
   */
  readonly end: 'settled' | 'moved' | 'waiting' | 'retry' | 'stopped'
  /** Delay of the next observation. */
  readonly lookAfterMs?: number | undefined
}

/** Interval of observations of a step that requests none. */
const defaultLookMs = 5_000

const reportStates = {
  Running: 'running',
  Compensating: 'compensating',
  Completed: 'completed',
  Compensated: 'compensated',
  ManualIntervention: 'manualIntervention',
} as const

/** `MigrateData 4/5: 61 %`, or `taking back MigrateData 4/5: dropping`. */
function placeOf(record: SagaRecord, detail?: string): string {
  const focus = focusOf(record)
  const more = detail === undefined || detail === '' ? '' : `: ${detail}`
  if (focus === undefined) return record.state + more
  const { name } = stepAt(record, focus.index)
  const place = `${name} ${focus.index + 1}/${record.steps.length}${more}`
  return focus.direction === 'forward' ? place : `taking back ${place}`
}

export function atRest(record: SagaRecord | undefined): SagaState {
  if (record === undefined) return { state: 'none', reason: 'NotWanted', message: '', end: 'settled' }
  const { state, message = '' } = record
  switch (state) {
    case 'Completed':
      return { state: 'completed', reason: 'Completed', message: `${record.name} is complete`, end: 'settled' }
    case 'Compensated':
      return {
        state: 'compensated',
        reason: 'Compensated',
        message: `${record.name} was taken back: ${message}`,
        end: 'settled',
      }
    case 'ManualIntervention':
      return { state: 'manualIntervention', reason: 'ManualIntervention', message, end: 'stopped' }
    case 'Running':
    case 'Compensating':
      return waitingFor(record, undefined)
    default:
      return unreachable(state)
  }
}

/** State of a compensated saga that is still desired. */
export function takenBackStill(record: SagaRecord, { retryAdvice }: SagaShape): SagaState {
  const { message, ...standing } = atRest(record)
  return { ...standing, message: `${message}; to try it again, ${retryAdvice}`, end: 'stopped' }
}

export function waitingFor(
  record: SagaRecord,
  detail: string | undefined,
  lookAfterMs: number = defaultLookMs,
): SagaState {
  return {
    state: reportStates[record.state],
    reason: record.state,
    message: placeOf(record, detail),
    end: 'waiting',
    lookAfterMs,
  }
}

export function retrying(record: SagaRecord, { reason, message }: Cause, lookAfterMs?: number | undefined): SagaState {
  return { state: reportStates[record.state], reason, message: placeOf(record, message), end: 'retry', lookAfterMs }
}

/** State of a saga whose journal entry has changed. */
export function movedOn(record: SagaRecord): SagaState {
  return { ...atRest(record), end: 'moved', lookAfterMs: 0 }
}

/** Cause of a stall after the pivot. */
export function stuckForward(record: SagaRecord, { message }: Cause, { retryAdvice }: SagaShape): Cause {
  const sentence = `${record.name} cannot go on and has passed the point of no return; ${placeOf(record, message)}; put that right by hand, then ${retryAdvice}`
  return { reason: 'StuckAfterPivot', message: sentence }
}

/** Cause of a stall at the pivot, whose effect cannot be observed. */
export function stuckAtPivot(record: SagaRecord, { message }: Cause, { retryAdvice }: SagaShape): Cause {
  const sentence = `${record.name} stands at the point of no return, and whether it has passed it cannot be told; ${placeOf(record, message)}; put that right by hand, then ${retryAdvice}`
  return { reason: 'PivotUnknown', message: sentence }
}

export function strange(complaint: string, { retryAdvice }: SagaShape): Cause {
  const sentence = `${complaint}; run that version to its end, or put right by hand what it has begun, then ${retryAdvice}`
  return { reason: 'UnknownStep', message: sentence }
}

/** Cause of a stall after failed compensations. */
export function leftBehind(record: SagaRecord, { retryAdvice }: SagaShape): Cause {
  const left = record.steps
    .filter(({ state }) => state === 'Failed')
    .map(({ name, message = '' }) => `${name} (${message})`)
  const sentence = `${record.name} was taken back (${record.message ?? ''}) but for ${left.join(', ')}; put that right by hand, then ${retryAdvice}`
  return { reason: 'CompensationFailed', message: sentence }
}

/** Returns the Event of a move; undefined: none. */
export function eventOf(before: SagaRecord | undefined, after: SagaRecord | undefined): EventReport | undefined {
  if (after === undefined) return undefined
  if (before?.id === after.id && before.state === after.state) return undefined
  const { name, state, message = '' } = after
  switch (state) {
    case 'Running':
      return {
        type: 'Normal',
        reason: 'SagaRunning',
        action: 'Run',
        note: `${name} ${after.id} runs: ${placeOf(after)}`,
      }
    case 'Compensating':
      return {
        type: 'Warning',
        reason: 'SagaCompensating',
        action: 'Compensate',
        note: `${name} is taken back: ${message}`,
      }
    case 'Completed':
      return { type: 'Normal', reason: 'SagaCompleted', action: 'Run', note: `${name} ${after.id} is complete` }
    case 'Compensated':
      return {
        type: 'Warning',
        reason: 'SagaCompensated',
        action: 'Compensate',
        note: `${name} was taken back: ${message}`,
      }
    case 'ManualIntervention':
      return { type: 'Warning', reason: 'ManualIntervention', action: 'Run', note: message }
    default:
      return unreachable(state)
  }
}

/** Returns the report for `observe` and `status`. */
export function reportOf(
  name: string,
  { state, reason, message }: SagaState,
  record: SagaRecord | undefined,
): SagaReport {
  const focus = record === undefined ? undefined : focusOf(record)
  const step = record === undefined || focus === undefined ? undefined : stepAt(record, focus.index).name
  return { name, state, reason, message, step, record }
}
