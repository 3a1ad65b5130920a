// Need for a worker of a Migration. One row for each state.
import { describe, expect, it } from 'vitest'
import type { RecordedStep } from '../../../src/controllers/engines/recorded-step.ts'
import { isWorkerWanted, type WantedInput } from '../../../src/controllers/migration/migration-facts.ts'
import type { MigrationOrder } from '../../../src/controllers/migration/migration-plan.ts'
import { planHash, stepChecksum } from '../../../src/controllers/migration/step-digest.ts'
import type { WorkerReport } from '../../../src/controllers/migration/worker-report.ts'
import type { WorkerRun } from '../../../src/controllers/migration/worker-run.ts'
import { sqlStep } from './steps.ts'

const step = sqlStep('SELECT 1', { name: 'a' })
const order: MigrationOrder = {
  ...{ steps: [step], onFailure: 'Stop', adoptsBaseline: false, retryToken: '', maxAttempts: 5 },
  approval: { kind: 'Auto' },
}
const mark = (state: RecordedStep['state'], checksum = stepChecksum(step)): RecordedStep => ({
  ...{ name: 'a', ordinal: 1, state, checksum, plan: planHash([step]), attempts: 1, token: '' },
  ...{
    supersededBy: undefined,
    failure: undefined,
    startedAt: undefined,
    finishedAt: undefined,
    rowsCopied: undefined,
  },
})
/** A copy whose replication has started, with a part at its source. */
const following = (state: RecordedStep['state'], checksum?: string): RecordedStep => ({
  ...mark(state, checksum),
  followed: 'shop/old',
})
const awaiting: MigrationOrder = { ...order, approval: { kind: 'Manual', approvedPlan: undefined } }
const down = sqlStep('SELECT 0', { name: 'z', down: 'SELECT 1' })
const withWayBack: MigrationOrder = { ...order, steps: [down, step], onFailure: 'RunDown' }
const first: RecordedStep = { ...mark('Applied', stepChecksum(down)), name: 'z', plan: planHash(withWayBack.steps) }
const invalid = { reason: 'ParseError', message: 'm' }
const seen = (...record: readonly RecordedStep[]) => ({ occasion: 'now', record })
const ended = (outcome: WorkerReport['outcome'], reason?: string): WorkerRun => ({
  kind: 'ended',
  report: { outcome, ...(reason && { reason }) },
  endedAtMs: 1_000,
})
const none: WorkerRun = { kind: 'none' }
const active: WorkerRun = { kind: 'active', last: undefined }

const rows: readonly (readonly [string, Partial<WantedInput>, boolean])[] = [
  ['at first, when marks have been read', {}, true],
  ['not before marks have been read', { seen: undefined }, false],
  ['not before the steps have been reviewed', { isReviewed: false }, false],
  ['as it is there, though the steps are reviewed again', { isReviewed: false, run: active }, true],
  [
    'not against what was applied, though one is at it and steps are reviewed again',
    { isReviewed: false, seen: seen(mark('Applied', 'other')), run: active },
    false,
  ],
  ['as it is there, though marks cannot be read', { seen: undefined, run: active }, true],
  ['once, though all is applied', { seen: seen(mark('Applied')) }, true],
  ['not for steps that may not run', { invalid: { reason: 'ParseError', message: 'm' } }, false],
  ['not for a step that failed for this very order', { seen: seen(mark('Failed')) }, false],
  ['not against what was applied', { seen: seen(mark('Applied', 'other')) }, false],
  ['not against what was applied, though one is at it', { seen: seen(mark('Applied', 'other')), run: active }, false],
  ['not without approval', { order: { ...order, approval: { kind: 'Manual', approvedPlan: undefined } } }, false],
  [
    'with approval of this plan',
    { order: { ...order, approval: { kind: 'Manual', approvedPlan: planHash([step]) } } },
    true,
  ],
  [
    'not to remove what follows for another step, before that is approved',
    { order: awaiting, seen: seen(following('Running', 'other')) },
    false,
  ],
  ['with approval, to begin another step than what follows', { seen: seen(following('Running', 'other')) }, true],
  ['not while the same step follows and is not approved', { order: awaiting, seen: seen(following('Running')) }, false],
  [
    'not to remove what follows for no step any more, against what was applied',
    { seen: seen(mark('Applied', 'other'), { ...following('Running'), name: 'b' }) },
    false,
  ],
  [
    'not to remove what follows for another step that may not run',
    { invalid, seen: seen(following('Running', 'other')) },
    false,
  ],
  ['to remove what follows for a step that failed', { seen: seen(following('Failed')) }, true],
  ['to remove that, though it may not run any more', { invalid, seen: seen(following('Failed')) }, true],
  [
    'not to remove that and take back steps, where they may not run any more',
    { order: withWayBack, invalid, seen: seen(first, { ...following('Failed'), ordinal: 2, plan: first.plan }) },
    false,
  ],
  [
    'not to remove what follows for another step, as one has failed before',
    { seen: seen(mark('Failed'), { ...following('Running'), name: 'b' }) },
    false,
  ],
  ['for as long as it removes that', { invalid, seen: seen(following('Failed')), run: active }, true],
  [
    'as it gave that up, for a while',
    { seen: seen(following('Failed')), run: ended('Interrupted'), nowMs: 300_999 },
    true,
  ],
  [
    'anew for that, a while after it gave up',
    { seen: seen(following('Failed')), run: ended('Interrupted'), nowMs: 301_000 },
    false,
  ],
  [
    'as it has removed that, until marks are read again',
    { invalid, seen: seen(following('Failed')), run: ended('Failed'), occasion: 'later' },
    true,
  ],
  ['not once that is removed', { invalid, seen: seen(mark('Failed')), run: ended('Failed') }, false],
  ['while it is at it', { run: active, seen: seen(mark('Running')) }, true],
  ['as it ended', { run: ended('Completed'), seen: seen(mark('Applied')) }, true],
  ['as it failed, with its last words', { run: ended('Failed'), seen: seen(mark('Failed')) }, true],
  ['as it said what no mark says', { run: ended('RehearsalFailed') }, true],
  ['not as it was, when a restored database has lost its steps', { run: ended('Completed') }, false],
  ['not as it failed, when a restored database has lost the failure and all before', { run: ended('Failed') }, false],
  ['as it failed, when the marks are older', { run: ended('Failed'), occasion: 'later' }, true],
  ['as it failed over a question, of which no mark tells', { run: ended('Failed', 'VerifyFailed') }, true],
  ['as it ended, when the marks are older', { run: ended('Completed'), occasion: 'later' }, true],
  ['as it gave up, for a while', { run: ended('Interrupted'), nowMs: 300_999 }, true],
  ['anew, where it gave up by a clock that was ahead', { run: ended('Interrupted'), nowMs: -300_000 }, false],
  ['anew, a while after it gave up', { run: ended('Interrupted'), nowMs: 301_000 }, false],
]

describe('a worker is wanted', () => {
  it.each(rows)('%s', (_, change, isWanted) => {
    const input: WantedInput = {
      ...{ order, seen: seen(), run: none, isReviewed: true, invalid: undefined, occasion: 'now', nowMs: 2_000 },
      ...change,
    }
    expect(isWorkerWanted(input)).toBe(isWanted)
  })
})
