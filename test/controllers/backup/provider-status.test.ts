// Status of a Backup of the method Provider. One row for each state of the snapshot.
import { describe, expect, it } from 'vitest'
import type { BackupObject } from '../../../src/controllers/backup/desired-work.ts'
import type { ProviderFacts } from '../../../src/controllers/backup/provider-facts.ts'
import { providerStatus } from '../../../src/controllers/backup/provider-status.ts'
import type { ObservedSnapshot } from '../../../src/controllers/database/rds/snapshot.ts'
import type { ExternalReport, Outcome } from '../../../src/index.ts'

const snapshot = {
  ...{ instance: 'i', region: 'eu-central-1', database: 'shop/crm', databaseUID: 'd' },
  ...{ databaseName: 'crm', systemIdentifier: '7' },
}
const facts: ProviderFacts = { kind: 'provider', snapshot, access: undefined, problem: undefined }
const external = [{ name: 'snapshot', requestedAt: '2026-01-01T00:00:00Z' }]
const observed: ObservedSnapshot = {
  ...{ arn: 'arn:s', owner: undefined, source: undefined, sizeBytes: 20 * 2 ** 30, engineVersion: '18.1' },
  takenAt: '2026-01-01T00:00:30Z',
}
const artifact = { uri: 'arn:s', bytes: 20 * 2 ** 30, format: 'rds/snapshot' }
const complete = {
  ...{ phase: 'Completed', snapshot, artifact, external },
  ...{ startedAt: '2026-01-01T00:00:00Z', completedAt: '2026-01-01T00:05:00Z' },
  conditions: [{ type: 'Completed', status: 'True', reason: 'Completed', message: 'it is there' }],
}

function told(
  state: ExternalReport['state'] | undefined,
  {
    status = { external },
    outcome = { kind: 'waiting', on: '' },
    ...own
  }: {
    status?: object
    outcome?: Outcome
    report?: Partial<ExternalReport<ObservedSnapshot>>
    facts?: Partial<ProviderFacts>
  } = {},
) {
  const object = { metadata: { name: 'once' }, spec: { deadline: '1h', verify: {} }, status } as unknown as BackupObject // The test reads these fields only.
  const report = state && {
    ...{ name: 'snapshot', state, reason: 'Reason', message: 'RDS says so', drift: [], corrected: [] },
    ...{ seenAtMs: Date.parse('2026-01-01T00:06:00Z'), ...own.report },
  }
  const { fields, conditions, events, dueAtMs } = providerStatus({
    object,
    facts: { ...facts, ...own.facts },
    report,
    outcome,
  })
  const standing = (type: string) => {
    const found = conditions.find((condition) => condition.type === type)
    return found && `${found.status} ${found.reason}`
  }
  return { fields, standing, conditions, events, dueAtMs }
}

describe('a Backup by the provider', () => {
  it('reports, once complete, what was backed up, and that it has not been restored', () => {
    const { fields, standing } = told('available', { report: { observed }, outcome: { kind: 'settled' } })
    expect(fields).toMatchObject({
      ...{ phase: 'Completed', artifact, startedAt: '2026-01-01T00:00:00Z', completedAt: '2026-01-01T00:06:00Z' },
      source: { databaseUID: 'd', systemIdentifier: '7', serverVersion: '18.1', snapshotTime: observed.takenAt },
    })
    expect([standing('Ready'), standing('Completed'), standing('Verified')]).toEqual([
      'True NotRequested',
      'True Completed',
      'False NotRequested',
    ])
  })

  it('has the completion time of the first observation as complete', () => {
    const { fields, events } = told('available', {
      report: { observed },
      status: complete,
      outcome: { kind: 'settled' },
    })
    expect(fields).toMatchObject({ completedAt: '2026-01-01T00:05:00Z' })
    expect(events).toEqual([])
  })

  it.each([
    ['nobody has looked', undefined, { status: {} }, 'Pending', 'False SnapshotStarting'],
    [
      'it is kept from it',
      'blocked',
      { status: {}, facts: { problem: { kind: 'waiting', reason: 'DatabaseMissing', message: 'm' } } },
      'Pending',
      'False DatabaseMissing',
    ],
    ['it is not to be seen', 'notYetVisible', {}, 'Running', 'False Saving'],
    ['it is on its way', 'pending', {}, 'Running', 'False Saving'],
    [
      'it takes too long',
      'pending',
      { report: { seenAtMs: Date.parse('2026-01-01T01:00:01Z') } },
      'Running',
      'False DeadlineExceeded',
    ],
  ] as const)('is running while the snapshot is %s', (_, state, own, phase, ready) => {
    const { fields, standing } = told(state, own)
    expect([fields.phase, standing('Ready'), standing('Stalled')]).toEqual([phase, ready, undefined])
    expect(standing('Completed')).toMatch(/^Unknown /)
  })

  it('reconciles again at its deadline while the snapshot is pending', () => {
    expect(told('pending').dueAtMs).toEqual([Date.parse('2026-01-01T01:00:00Z')])
  })

  it.each(['broken', 'notOwned', 'deleting'] as const)(
    'has failed and has no artifact when the snapshot is %s',
    (state) => {
      const { fields, standing, events } = told(state, {
        status: complete,
        outcome: { kind: 'stopped', reason: 'R', message: 'm' },
      })
      expect(fields).toMatchObject({ phase: 'Failed', error: 'RDS says so', completedAt: '2026-01-01T00:05:00Z' })
      expect(fields).not.toHaveProperty('artifact')
      expect(standing('Completed')).toBe('False Reason')
      expect(events).toMatchObject([{ type: 'Warning', reason: 'Reason' }])
    },
  )

  it('has failed and reports the location when the snapshot is not found: another account may be in use', () => {
    const { fields, standing } = told('vanished', { status: { ...complete, source: { databaseUID: 'd' } } })
    expect(fields).toMatchObject({ phase: 'Failed', artifact, source: { databaseUID: 'd' }, error: 'RDS says so' })
    expect([standing('Completed'), standing('Stalled')]).toEqual(['False Reason', 'True Reason'])
  })

  it.each([
    ['cannot be asked for', 'blocked', { kind: 'waiting', on: '' }],
    ['could not be looked at', 'failed', { kind: 'retry', reason: 'Throttled', message: 'm' }],
    ['is not to be seen for a moment', 'notYetVisible', { kind: 'waiting', on: '' }],
  ] as const)('stays complete when it was and the snapshot %s', (_, state, outcome) => {
    const { fields, standing } = told(state, { status: complete, outcome })
    expect(fields).toMatchObject({ phase: 'Completed', artifact })
    expect(standing('Completed')).toBe('True Completed')
    // The runtime itself reports a call that failed.
    expect(standing('Ready') ?? 'False').toMatch(/^False/)
  })
})
