// How does the record of a saga change? Each function gives the record after one event in its life; when which comes is decided in
// decision.ts. The steps' own states say where a saga is, so that there is no pointer beside them that could differ.
import { assert } from '../base/assert.ts'
import { timestampAt } from '../base/clock.ts'
import { clippedTo } from '../base/errors.ts'
import type { Notes, SagaRecord, SagaStepRecord } from './saga.ts'
import type { SagaShape } from './shape.ts'

/** Why something failed, turned back or stands still. */
export interface Cause {
  readonly reason: string
  readonly message: string
}

/** Which step is due, and which way; undefined when none is. */
export interface Focus {
  readonly index: number
  readonly direction: 'forward' | 'back'
}

export function focusOf({ state, steps }: SagaRecord): Focus | undefined {
  const isForward = state === 'Running'
  const index = isForward
    ? steps.findIndex((step) => step.state !== 'Done')
    : steps.findLastIndex((step) => step.state === 'Compensating')
  return index === -1 ? undefined : { index, direction: isForward ? 'forward' : 'back' }
}

export function stepAt({ steps }: SagaRecord, index: number): SagaStepRecord {
  const step = steps[index]
  assert(step !== undefined, 'the step is one of the saga')
  return step
}

export interface Beginning {
  readonly shape: SagaShape
  readonly id: string
  readonly input: Notes
  readonly generation: number
  readonly nowMs: number
}

export function begun({ shape: { name, steps }, id, input, generation, nowMs }: Beginning): SagaRecord {
  const startedAt = timestampAt(nowMs)
  const records = steps.map((step, index): SagaStepRecord => {
    return index === 0 ? { name: step.name, state: 'Running', startedAt } : { name: step.name, state: 'Pending' }
  })
  return { name, id, state: 'Running', generation, input, startedAt, steps: records }
}

/** The effect of the step has been seen; the next is due, or all is done. */
export function advanced(
  record: SagaRecord,
  index: number,
  { notes, nowMs }: { notes?: Notes | undefined; nowMs: number },
): SagaRecord {
  const now = timestampAt(nowMs)
  const before = withoutFailure(stepAt(record, index))
  const known = { ...before.notes, ...notes }
  const done: SagaStepRecord = {
    ...before,
    state: 'Done',
    ...(Object.keys(known).length === 0 ? {} : { notes: known }),
  }
  const steps = record.steps.map((step, at) => {
    if (at === index) return done
    return at === index + 1 ? entered(step, 'Running', now) : step
  })
  return index === record.steps.length - 1
    ? { ...record, steps, state: 'Completed', finishedAt: now }
    : { ...record, steps }
}

/** From here on it goes back: what has or may have had an effect, the last first. */
export function turnedBack(
  record: SagaRecord,
  { shape, cause, nowMs }: { shape: SagaShape; cause: Cause; nowMs: number },
): SagaRecord {
  assert(record.pivotedAt === undefined, 'nothing is taken back after the pivot')
  const steps = record.steps.map((step, index): SagaStepRecord => {
    if (step.state === 'Pending' || shape.steps[index]?.canCompensate === true) return step
    return { ...step, state: 'Kept' }
  })
  return nextBack({ ...record, ...told(cause), state: 'Compensating', steps }, nowMs)
}

/** The effect of the step has been seen to be gone, or is let be; the one before it is due, or all that could be done is. */
export function takenBack(record: SagaRecord, index: number, { state, cause, nowMs }: Settled): SagaRecord {
  const settled: SagaStepRecord = { ...withoutFailure(stepAt(record, index)), state, ...told(cause) }
  return nextBack({ ...record, steps: record.steps.with(index, settled) }, nowMs)
}

interface Settled {
  readonly state: 'Compensated' | 'Failed'
  /** Why it could not be taken back. */
  readonly cause?: Cause
  readonly nowMs: number
}

function nextBack(record: SagaRecord, nowMs: number): SagaRecord {
  const now = timestampAt(nowMs)
  const next = record.steps.findLastIndex(({ state }) => state === 'Running' || state === 'Done')
  if (next !== -1) {
    const steps = record.steps.with(next, entered(stepAt(record, next), 'Compensating', now))
    return { ...record, steps }
  }
  const hasFailed = record.steps.some(({ state }) => state === 'Failed')
  return { ...record, state: hasFailed ? 'ManualIntervention' : 'Compensated', finishedAt: now }
}

/** Only somebody who knows more can help. Where it stands stays as it is. */
export function stoodStill(record: SagaRecord, cause: Cause, nowMs: number): SagaRecord {
  return { ...record, ...told(cause), state: 'ManualIntervention', finishedAt: timestampAt(nowMs) }
}

/** Tried again after it stood still, from where it stands and in the direction it had, with all attempts. */
export function resumed(record: SagaRecord, { retriedFor, nowMs }: { retriedFor: string; nowMs: number }): SagaRecord {
  const { finishedAt: _, ...still } = record
  const now = timestampAt(nowMs)
  const isBack = record.steps.some(({ state }) => state === 'Compensating' || state === 'Failed')
  if (!isBack) {
    const { reason: __, message: ___, ...forward } = still
    const steps = record.steps.map((step) => (step.state === 'Running' ? entered(step, 'Running', now) : step))
    return { ...forward, state: 'Running', retriedFor, steps }
  }
  // What could not be taken back is due again, the last first.
  const due = record.steps.map((step): SagaStepRecord => {
    return step.state === 'Failed' || step.state === 'Compensating' ? { ...step, state: 'Done' } : step
  })
  return nextBack({ ...still, state: 'Compensating', retriedFor, steps: due }, nowMs)
}

/** An attempt is about to begin. */
export function attempted(record: SagaRecord, index: number, notes?: Notes): SagaRecord {
  const { retryAt: _, ...step } = stepAt(record, index)
  const known = notes === undefined || Object.keys(notes).length === 0 ? {} : { notes: { ...step.notes, ...notes } }
  const next: SagaStepRecord = { ...step, ...known, attempts: (step.attempts ?? 0) + 1 }
  return { ...record, steps: record.steps.with(index, next) }
}

/** Taking it back is about to be tried for the first time: its time begins. */
export function firstTriedBack(record: SagaRecord, index: number, nowMs: number): SagaRecord {
  const step = { ...stepAt(record, index), startedAt: timestampAt(nowMs) }
  return attempted({ ...record, steps: record.steps.with(index, step) }, index)
}

/** An attempt has failed, and another may begin later. */
export function failedAttempt(
  record: SagaRecord,
  index: number,
  { cause, retryAtMs }: { cause: Cause; retryAtMs: number },
): SagaRecord {
  const next = { ...stepAt(record, index), ...told(cause), retryAt: timestampAt(retryAtMs) }
  return { ...record, steps: record.steps.with(index, next) }
}

/** An attempt has failed as every other would, and none of `attempts` is left. */
export function failedForGood(
  record: SagaRecord,
  index: number,
  { cause, attempts }: { cause: Cause; attempts: number },
): SagaRecord {
  return { ...record, steps: record.steps.with(index, { ...stepAt(record, index), ...told(cause), attempts }) }
}

function entered(
  { name, notes }: SagaStepRecord,
  state: 'Running' | 'Compensating',
  startedAt: string,
): SagaStepRecord {
  return { name, state, startedAt, ...(notes === undefined ? {} : { notes }) }
}

function withoutFailure({ retryAt: _, reason: __, message: ___, ...step }: SagaStepRecord): SagaStepRecord {
  return step
}

function told(cause: Cause | undefined): Partial<Cause> {
  return cause === undefined ? {} : { reason: cause.reason, message: clippedTo(longestMessage, cause.message) }
}

/** A status is no log: a message is kept so far. */
const longestMessage = 1_024
