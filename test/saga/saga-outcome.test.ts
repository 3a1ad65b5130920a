// Effect of sagas on the outcome of a reconcile.
import { expect, it } from 'vitest'
import type { Outcome } from '../../src/reconcile/outcome.ts'
import { outcomeOfSagas } from '../../src/reconcile/saga-outcome.ts'
import type { SagaRecord } from '../../src/saga/saga.ts'
import type { SagaState } from '../../src/saga/saga-state.ts'

const record: SagaRecord = {
  name: 'move',
  id: 'one',
  state: 'Running',
  generation: 1,
  input: {},
  startedAt: '2026-01-01T00:00:00Z',
  steps: [],
}
const over = { ...record, finishedAt: '2026-01-01T00:00:00Z' }
const standing = (end: SagaState['end'], message = 'x'): SagaState => ({
  state: 'running',
  reason: 'Because',
  message,
  end,
})
const waiting = { record, standing: standing('waiting', 'Load 1/2') }
const retry = { record, standing: { ...standing('retry', 'Load 1/2: busy'), lookAfterMs: 7_000 } }
const stopped = { record: over, standing: standing('stopped', 'put it right') }

it.each<readonly [string, Parameters<typeof outcomeOfSagas>[0], Outcome]>([
  ['none', [], { kind: 'settled' }],
  ['one that nobody wants', [{ record: undefined, standing: standing('settled') }], { kind: 'settled' }],
  ['one under way', [waiting], { kind: 'waiting', on: 'move: Load 1/2' }],
  [
    'one that has just moved on',
    [{ record, standing: standing('moved', 'Drive 2/2') }],
    { kind: 'waiting', on: 'move: Drive 2/2' },
  ],
  ['one that has just ended', [{ record: over, standing: standing('moved') }], { kind: 'settled' }],
  [
    'one that is to be tried again',
    [retry],
    { kind: 'retry', reason: 'Because', message: 'move: Load 1/2: busy', retryAfterMs: 7_000 },
  ],
  ['one that stands still', [stopped], { kind: 'stopped', reason: 'Because', message: 'put it right' }],
  [
    'two under way',
    [waiting, { record, standing: standing('waiting', 'Drive 2/2') }],
    { kind: 'waiting', on: 'move: Load 1/2; move: Drive 2/2' },
  ],
  ['two that wait for the same', [waiting, waiting], { kind: 'waiting', on: 'move: Load 1/2' }],
  [
    'one that stands still beside one under way',
    [waiting, stopped],
    { kind: 'stopped', reason: 'Because', message: 'put it right' },
  ],
])('%s', (_, found, outcome) => {
  expect(outcomeOfSagas(found)).toEqual(outcome)
})
