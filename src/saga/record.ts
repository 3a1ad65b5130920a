// Changes of a saga's journal entry: each function returns the entry after one event. decision.ts decides which event
// comes. The states of the steps are the position of the saga, so no second pointer can contradict them.
import { assert } from '../base/assert.ts'
import { timestampAt } from '../base/clock.ts'
import { clippedTo } from '../base/errors.ts'
import type { Notes, SagaRecord, SagaStepRecord } from './saga.ts'
import type { SagaShape } from './shape.ts'

/** Cause of a failure, a compensation or a stall. */
export interface Cause {
  readonly reason: string
  readonly message: string
}

/** The due step and its direction; undefined if no step is due. */
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

/** The effect of the step was observed; the next one is due, or the saga is complete. */
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

/** Starts compensation: of every step that has or may have an effect, the last first. */
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

/** The effect of the step was observed as gone, or stays; the step before it is due, or compensation has ended. */
export function takenBack(record: SagaRecord, index: number, { state, cause, nowMs }: Settled): SagaRecord {
  const settled: SagaStepRecord = { ...withoutFailure(stepAt(record, index)), state, ...told(cause) }
  return nextBack({ ...record, steps: record.steps.with(index, settled) }, nowMs)
}

interface Settled {
  readonly state: 'Compensated' | 'Failed'
  /** Reason of a failed compensation. */
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

/** Stalls the saga: only a user can help. The steps keep their states. */
export function stoodStill(record: SagaRecord, cause: Cause, nowMs: number): SagaRecord {
  return { ...record, ...told(cause), state: 'ManualIntervention', finishedAt: timestampAt(nowMs) }
}

/** Resumes a stalled saga from its position and in its direction, with all attempts. */
export function resumed(record: SagaRecord, { retriedFor, nowMs }: { retriedFor: string; nowMs: number }): SagaRecord {
  const { finishedAt: _, ...still } = record
  const now = timestampAt(nowMs)
  const isBack = record.steps.some(({ state }) => state === 'Compensating' || state === 'Failed')
  if (!isBack) {
    const { reason: __, message: ___, ...forward } = still
    const steps = record.steps.map((step) => (step.state === 'Running' ? entered(step, 'Running', now) : step))
    return { ...forward, state: 'Running', retriedFor, steps }
  }
  // Failed compensations are due again, the last first.
  const due = record.steps.map((step): SagaStepRecord => {
    return step.state === 'Failed' || step.state === 'Compensating' ? { ...step, state: 'Done' } : step
  })
  return nextBack({ ...still, state: 'Compensating', retriedFor, steps: due }, nowMs)
}

/** An attempt is about to start. */
export function attempted(record: SagaRecord, index: number, notes?: Notes): SagaRecord {
  const { retryAt: _, ...step } = stepAt(record, index)
  const known = notes === undefined || Object.keys(notes).length === 0 ? {} : { notes: { ...step.notes, ...notes } }
  const next: SagaStepRecord = { ...step, ...known, attempts: (step.attempts ?? 0) + 1 }
  return { ...record, steps: record.steps.with(index, next) }
}

/** The first compensation of a step is about to start; its timeout starts now. */
export function firstTriedBack(record: SagaRecord, index: number, nowMs: number): SagaRecord {
  const step = { ...stepAt(record, index), startedAt: timestampAt(nowMs) }
  return attempted({ ...record, steps: record.steps.with(index, step) }, index)
}

/** An attempt has failed, and another may start later. */
export function failedAttempt(
  record: SagaRecord,
  index: number,
  { cause, retryAtMs }: { cause: Cause; retryAtMs: number },
): SagaRecord {
  const next = { ...stepAt(record, index), ...told(cause), retryAt: timestampAt(retryAtMs) }
  return { ...record, steps: record.steps.with(index, next) }
}

/** An attempt has failed finally, and none of `attempts` is left. */
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

/** Characters of a message: a status is no log. */
const longestMessage = 1_024
