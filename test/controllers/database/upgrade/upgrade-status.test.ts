// Status of a Database in each state of its upgrade.
import { describe, expect, it } from 'vitest'
import type { DatabaseReport } from '../../../../src/controllers/database/database-conditions.ts'
import type { DatabaseFacts } from '../../../../src/controllers/database/database-facts.ts'
import { databaseStatus } from '../../../../src/controllers/database/database-status.ts'
import { serverSides } from '../../../../src/controllers/database/server-sides.ts'
import { withUpgrade } from '../../../../src/controllers/database/upgrade/upgrade-status.ts'
import type { Outcome, SagaReport } from '../../../../src/index.ts'
import { access, observed, providerID } from '../databases.ts'
import { movingDatabase, startedAt, startedMs, upgradeRecord, upgradeReport } from './upgrade-records.ts'

const available: DatabaseReport = {
  ...{ name: 'database', state: 'available', reason: 'AsDesired', message: '"shop_db" is as desired' },
  ...{ providerID, observed: observed(), drift: [], corrected: [], seenAtMs: 0 },
}
const blocked: DatabaseReport = {
  ...{ name: 'database', state: 'blocked', reason: 'Creating', message: 'the server is not ready' },
  ...{ drift: [], corrected: [] },
}
const waiting: Outcome = { kind: 'waiting', on: 'upgrade', afterMs: 1_000 }
const stopped = (reason: string): Outcome => ({ kind: 'stopped', reason, message: 'so' })
const settled: Outcome = { kind: 'settled' }
const pivotedAt = startedAt
const ended = { pivotedAt, finishedAt: startedAt }

function statusOf(saga: SagaReport | undefined, outcome: Outcome, report = available) {
  const object = movingDatabase()
  const sides = serverSides({ object, record: saga?.record, previousClaim: 'owned', nowMs: startedMs })
  const facts: DatabaseFacts = { connection: { kind: 'known', access }, users: [], sides }
  const sagas = saga === undefined ? [] : [saga]
  const context = { object, facts, outcome, children: [], externals: [], sagas }
  const { fields, conditions, dueAtMs } = withUpgrade(databaseStatus(context, report), context)
  const of = (type: string) => {
    const { status, reason, message } = conditions.find((one) => one.type === type) ?? {}
    return status === undefined ? undefined : `${status} ${reason}: ${message}`
  }
  return { fields, dueAtMs, of }
}

const running = (step: string) => upgradeReport(upgradeRecord(step), 'running')

describe('while an upgrade runs', () => {
  it('a Database is available, and reports the progress', () => {
    const { fields, of } = statusOf(running('Replicate'), waiting)
    expect(fields).toMatchObject({
      phase: 'Upgrading',
      server: { name: 'shop-db-postgres', version: '15' },
      upgrade: {
        ...{ id: '15-to-18', from: '15', to: '18', state: 'Running', step: 'Replicate', progress: 'Replicate 3/8' },
        ...{ message: 'so', startedAt },
      },
    })
    expect([of('Ready'), of('Progressing'), of('Upgraded')]).toEqual([
      'True Upgrading: so',
      'True Upgrading: so',
      'False Running: so',
    ])
  })

  it('the wait for an approval has a reason of its own', () => {
    expect(statusOf(running('AwaitCutover'), waiting).fields.upgrade?.state).toBe('AwaitingCutover')
  })

  it.each([
    ['nobody may write', running('MigrateData'), available],
    ['its server is restarted', running('ProvisionNew'), blocked],
  ])('it is not ready while %s', (_, saga, report) => {
    expect(statusOf(saga, waiting, report).of('Ready')).toBe('False Upgrading: applications wait; so')
  })

  it('the runtime reports the failure when no application can connect', () => {
    const retry: Outcome = { kind: 'retry', reason: 'ServerUnreachable', message: 'refused' }
    expect(statusOf(running('MigrateData'), retry).of('Ready')).toBeUndefined()
    expect(statusOf(running('Replicate'), retry).of('Ready')).toBe('True Upgrading: so')
  })

  it.each<readonly [string, object, string]>([
    ['has not been tried', {}, 'so'],
    [
      'was tried',
      { attempts: 3 },
      'so; applications are turned away until then, or until somebody does ALTER ROLE "app" LOGIN',
    ],
  ])('the rollback reports what admits applications, when their admission %s', (_, tried, message) => {
    const record = upgradeRecord('ScaleDownOld', 'Compensating')
    const steps = record.steps.map((step) =>
      step.state === 'Compensating' ? { ...step, notes: { logins: '["app"]' }, ...tried } : step,
    )
    const saga = upgradeReport({ ...record, steps }, 'compensating')
    const retry: Outcome = { kind: 'retry', reason: 'StorageFull', message: 'full' }
    const { fields, of } = statusOf(saga, retry)
    expect(fields).toMatchObject({ phase: 'Upgrading', upgrade: { message } })
    expect([of('Ready'), of('Upgraded')]).toEqual([undefined, `False Compensating: ${message}`])
  })

  it('the rollback is reported', () => {
    const saga = upgradeReport(upgradeRecord('Replicate', 'Compensating'), 'compensating')
    expect(statusOf(saga, waiting).fields.upgrade).toMatchObject({
      state: 'Compensating',
      progress: 'taking back Replicate 3/8',
    })
  })
})

describe('when an upgrade has ended', () => {
  it('the target server is available, and the source server is kept for a while', () => {
    const saga = upgradeReport(upgradeRecord('RetireOld', 'Done', { state: 'Completed', ...ended }), 'completed')
    const { fields, of, dueAtMs } = statusOf(saga, settled)
    expect(fields).toMatchObject({
      phase: 'Ready',
      server: { name: 'shop-db-pg18', version: '18' },
      previous: { name: 'shop-db-postgres', version: '15', keptUntil: '2026-01-02T00:00:00Z' },
      upgrade: { state: 'Completed', ...ended },
    })
    expect(fields.upgrade).not.toHaveProperty('progress')
    expect([of('Ready'), of('Upgraded')]).toEqual(['True InSync: the database is as declared', 'True Completed: so'])
    expect(dueAtMs).toEqual([Date.parse('2026-01-02T00:00:00Z')])
  })

  it('a rolled-back one leaves the database available', () => {
    const record = upgradeRecord('ProvisionNew', 'Compensated', { state: 'Compensated', finishedAt: startedAt })
    const { fields, of } = statusOf(upgradeReport(record, 'compensated'), stopped('Compensated'))
    expect(fields).toMatchObject({ phase: 'Ready', server: { version: '15' }, upgrade: { state: 'Compensated' } })
    expect([of('Ready'), of('Upgraded')]).toEqual(['True Compensated: so', 'False Compensated: so'])
  })

  it('one that could not admit applications again reports it with the remedy', () => {
    const record = upgradeRecord('ScaleDownOld', 'Failed', { state: 'ManualIntervention', finishedAt: startedAt })
    const steps = record.steps.map((step) =>
      step.state === 'Failed'
        ? { ...step, notes: { logins: '["app","we\\"b"]' } }
        : { ...step, state: 'Compensated' as const },
    )
    const { fields, of } = statusOf(
      upgradeReport({ ...record, steps }, 'manualIntervention'),
      stopped('ManualIntervention'),
    )
    const message =
      'so; applications are turned away until then, or until somebody does ALTER ROLE "app" LOGIN; ALTER ROLE "we""b" LOGIN; ' +
      'Ready is False until spec.upgrade.retry is another word; with spec.version "15" no other upgrade begins then'
    expect([of('Ready'), of('Upgraded')]).toEqual([
      `False ManualIntervention: ${message}`,
      `False ManualIntervention: ${message}`,
    ])
    expect(fields).toMatchObject({ phase: 'Failed', upgrade: { message } })
  })

  it('one that is stalled without a server for applications reports it', () => {
    const record = upgradeRecord('MigrateData', 'Running', { state: 'ManualIntervention' })
    const { fields, of } = statusOf(upgradeReport(record, 'manualIntervention'), stopped('ManualIntervention'))
    expect(fields.phase).toBe('Failed')
    expect([of('Ready'), of('Upgraded')]).toEqual([undefined, 'False ManualIntervention: so'])
  })
})

it('no upgrade is reported when none was requested', () => {
  const { fields, of } = statusOf(undefined, settled)
  expect(fields).not.toHaveProperty('upgrade')
  expect(of('Upgraded')).toBeUndefined()
})
