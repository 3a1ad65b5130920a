// State of a Migration, from its markers, the last report of its worker, and its obstacles. One row for each state.
import { describe, expect, it } from 'vitest'
import type { RecordedStep } from '../../../src/controllers/engines/recorded-step.ts'
import type { MigrationObject } from '../../../src/controllers/migration/desired-worker.ts'
import type { MigrationFacts } from '../../../src/controllers/migration/migration-facts.ts'
import type { MigrationOrder } from '../../../src/controllers/migration/migration-plan.ts'
import { type MarkReport, migrationState } from '../../../src/controllers/migration/migration-state.ts'
import { planHash, stepChecksum } from '../../../src/controllers/migration/step-digest.ts'
import type { WorkerReport } from '../../../src/controllers/migration/worker-report.ts'
import { sqlStep } from './steps.ts'

const steps = [sqlStep('SELECT 1', { name: 'a' })]
const order: MigrationOrder = {
  ...{ steps, onFailure: 'Stop', adoptsBaseline: false, retryToken: '', maxAttempts: 5 },
  approval: { kind: 'Auto' },
}
const mark = (state: RecordedStep['state'], change: Partial<RecordedStep> = {}): RecordedStep => ({
  ...{ name: 'a', ordinal: 1, state, checksum: stepChecksum(sqlStep('SELECT 1')), plan: planHash(steps), attempts: 1 },
  ...{ token: '', supersededBy: undefined, failure: undefined },
  ...{ startedAt: undefined, finishedAt: undefined, rowsCopied: undefined, ...change },
})
const report = (...record: readonly RecordedStep[]): MarkReport => ({
  ...{ name: 'marks', state: 'available', reason: 'AsDesired', message: '', drift: [], corrected: [] },
  observed: { occasion: 'now', record },
})
const object = (suspend: boolean) => ({ metadata: { namespace: 'shop' }, spec: { suspend } }) as MigrationObject // The code reads these fields only.
const ended = (last: WorkerReport) => ({ run: { kind: 'ended', report: last, endedAtMs: 0 } }) as const
const active = (last?: WorkerReport) => ({ run: { kind: 'active', last } }) as const

const before = (kind: 'underWay' | 'failed') => ({
  backup: { name: 'b', database: 'd', target: {}, proof: 'Restore' as const },
  standing: { kind, message: 'm' },
})

interface Row {
  readonly facts?: Partial<MigrationFacts>
  readonly marks?: MarkReport
  readonly isSuspended?: boolean
}

const rows: readonly (readonly [string, Row])[] = [
  [
    'underWay Pending DatabaseMissing',
    { facts: { problem: { kind: 'waiting', reason: 'DatabaseMissing', message: 'm' } } },
  ],
  ['underWay Pending NotLookedAt', { marks: undefined }],
  ['underWay Pending WorkerStarting', {}],
  ['underWay Pending Reviewing', { facts: { isUnreviewed: true } }],
  ['underWay Running Applying a', { facts: { ...active(), isUnreviewed: true } }],
  ['underWay Pending Suspended', { isSuspended: true }],
  ['underWay Running Applying a', { facts: active() }],
  ['underWay Running LockedByOther', { facts: active({ outcome: 'LockedByOther', holder: 'h' }) }],
  ['underWay Running ServerUnreachable', { facts: active({ outcome: 'Interrupted', reason: 'ServerUnreachable' }) }],
  ['underWay Verifying Verifying', { facts: active(), marks: report(mark('Applied')) }],
  // Its Job does not have the result yet.
  ['underWay Verifying Verifying', { facts: active({ outcome: 'Completed' }), marks: report(mark('Applied')) }],
  ['done Completed AllStepsVerified', { facts: ended({ outcome: 'Completed' }), marks: report(mark('Applied')) }],
  ['underWay Running StepsMissing', { facts: ended({ outcome: 'Completed' }) }],
  ['underWay Pending ServerUnreachable', { facts: ended({ outcome: 'Stopped', reason: 'ServerUnreachable' }) }],
  ['underWay Pending LockedByOther', { facts: ended({ outcome: 'LockedByOther', holder: 'h' }) }],
  ['underWay Pending BackupPending', { facts: { before: before('underWay') } }],
  ['stalled Failed BackupFailed', { facts: { before: before('failed') } }],
  ['stalled Failed ParseError', { facts: { invalid: { reason: 'ParseError', message: 'm' } } }],
  ['stalled Failed StepFailed a', { marks: report(mark('Failed')), facts: active() }],
  ['stalled Failed StepFailed a', { facts: ended({ outcome: 'Failed', step: 'a' }) }],
  ['stalled Failed RehearsalFailed a', { facts: ended({ outcome: 'RehearsalFailed', step: 'a' }) }],
  [
    'stalled Failed RecordedButAbsent a',
    { facts: ended({ outcome: 'Refused', reason: 'RecordedButAbsent', step: 'a' }), marks: report(mark('Applied')) },
  ],
  ['stalled Failed ChecksumChanged a', { marks: report(mark('Applied', { checksum: 'other' })) }],
  [
    'stalled AwaitingApproval AwaitingApproval',
    { facts: { order: { ...order, approval: { kind: 'Manual', approvedPlan: undefined } } } },
  ],
]

describe('the state of a Migration', () => {
  it.each(rows)('%s', (expected, row) => {
    const facts: MigrationFacts = { order, run: { kind: 'none' }, occasion: 'now', kept: [], ...row.facts }
    const marks = 'marks' in row ? row.marks : report()
    const { kind, phase, reason, step } = migrationState(object(row.isSuspended === true), facts, marks)
    expect([kind, phase, reason, step].filter((word) => word !== undefined).join(' ')).toBe(expected)
  })

  it('names what is being removed, and what that waits for', () => {
    const facts = { order, occasion: 'now', kept: [] }
    const failed = mark('Failed', { followed: 'shop/old', failure: { sqlState: undefined, message: 'm' } })
    const messageOf = (run: MigrationFacts['run'], isSuspended = false) =>
      migrationState(object(isSuspended), { ...facts, run }, report(failed)).message
    const it = 'step a: m; what follows by replication for a is'
    expect(messageOf({ kind: 'none' })).toBe(`${it} being removed`)
    const last = { outcome: 'Interrupted', message: 'no answer' } as const
    expect(messageOf({ kind: 'active', last })).toBe(`${it} being removed (no answer)`)
    expect(messageOf(ended(last).run)).toBe(`${it} being removed (no answer)`)
    expect(messageOf({ kind: 'active', last }, true)).toBe(`${it} removed once spec.suspend is false`)
  })

  it('names what is kept until a user decides', () => {
    const messageOf = (facts: Partial<MigrationFacts>, ...record: readonly RecordedStep[]) =>
      migrationState(
        object(false),
        { order, run: { kind: 'none' }, occasion: 'now', kept: [], ...facts },
        report(...record),
      ).message
    const following = mark('Running', { checksum: 'other', followed: 'shop/old' })
    const kept =
      'what follows by replication for a (from Database shop/old) is kept, and its slot keeps the log there, until these steps are'
    const approval = { kind: 'Manual', approvedPlan: undefined } as const
    const approve = `annotate it with data.konverge.dev/approve=${planHash(steps)} to have these steps run`
    expect(messageOf({ order: { ...order, approval } }, following)).toBe(`${approve}; ${kept} approved or taken back`)
    const unchanged = mark('Running', { followed: 'shop/old' })
    expect(messageOf({ order: { ...order, approval } }, unchanged)).toBe(`${approve}; ${kept} approved or taken back`)
    const on = `; ${kept.replace('these steps are', 'steps go on')}`
    for (const backup of (['failed', 'underWay'] as const).map(before)) {
      expect(messageOf({ before: backup }, unchanged)).toContain(on)
    }
    const invalid = { reason: 'ParseError', message: 'm' }
    expect(messageOf({ invalid }, following)).toBe(`m; ${kept} put right or taken back`)
    const changed = 'step a was applied and reads otherwise now; add a step instead'
    const other = { ...following, name: 'b' }
    expect(messageOf({}, mark('Applied', { checksum: 'other' }), other)).toBe(
      `${changed}; ${kept.replace('for a', 'for b')} put right or taken back`,
    )
    expect(messageOf({ invalid })).toBe('m')
  })

  it('names the holder of the lock', () => {
    const facts = { order, occasion: 'now', kept: [], ...active({ outcome: 'LockedByOther', holder: 'h' }) }
    expect(migrationState(object(false), facts, report()).lockHolder).toBe('h')
  })
})
