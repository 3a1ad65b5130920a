// Start and rollback of an upgrade.
import { expect, it } from 'vitest'
import type { RestoreRecord } from '../../../../src/controllers/database/restore/restore-request.ts'
import { serverSides } from '../../../../src/controllers/database/server-sides.ts'
import { desiredUpgrade, mayBegin, waitsFor } from '../../../../src/controllers/database/upgrade/desired-upgrade.ts'
import type { SagaRecord } from '../../../../src/index.ts'
import { movingDatabase, startedAt, startedMs, upgradeRecord } from './upgrade-records.ts'

const pivotedAt = startedAt
const upgrade = { snapshot: 'Skip', cutover: 'Manual', keepPrevious: '24h' }
const completed = upgradeRecord('RetireOld', 'Done', { state: 'Completed', pivotedAt, finishedAt: startedAt })
const on18 = { server: { name: 'shop-db-pg18', version: '18' } }

function stuck(at: string, state: 'Running' | 'Failed', more: Partial<SagaRecord> = {}): SagaRecord {
  return upgradeRecord(at, state, { ...more, state: 'ManualIntervention', finishedAt: startedAt })
}

function ask(spec: object, record?: SagaRecord, status?: object) {
  const object = movingDatabase(spec, status)
  const sides = serverSides({ object, record, previousClaim: 'owned', nowMs: startedMs })
  return { object, sides, record }
}

it.each([
  ['nothing where the version is as asked for', ask({ version: '15' }), { kind: 'none' }],
  ['it where it is another', ask({}), { kind: 'wanted', id: '15-to-18' }],
  ['it again for another word', ask({ upgrade: { ...upgrade, retry: 'b' } }), { kind: 'wanted', id: '15-to-18-b' }],
  ['nothing where nobody says how', ask({ upgrade: undefined }), { kind: 'none' }],
  ['nothing for an older version', ask({ version: '14' }), { kind: 'none' }],
  ['nothing before the database is there', ask({}, undefined, { providerID: undefined }), { kind: 'none' }],
  ['the way back for the old version', ask({ version: '15' }, upgradeRecord('Replicate')), { kind: 'cancelled' }],
  [
    'no way back after the first login',
    ask({ version: '18' }, upgradeRecord('RetireOld', 'Running', { pivotedAt })),
    { kind: 'none' },
  ],
  [
    'another try after the first login, for another word',
    ask({ upgrade: { ...upgrade, retry: 'b' } }, stuck('RetireOld', 'Running', { pivotedAt })),
    { kind: 'wanted', id: '15-to-18-b', input: { from: '15', to: '18' } },
  ],
  [
    'another try of what could not be taken back, for another word',
    ask({ version: '15', upgrade: { ...upgrade, retry: 'b' } }, stuck('ScaleDownOld', 'Failed')),
    { kind: 'cancelled', id: '15-to-18-b' },
  ],
  ['nothing more when it is over', ask({}, completed, on18), { kind: 'none' }],
])('the desired state is %s', (_, input, wish) => {
  expect(desiredUpgrade(input)).toMatchObject(wish)
})

it('a started upgrade keeps its first inputs', () => {
  expect(desiredUpgrade(ask({}))).toMatchObject({
    input: {
      from: '15',
      fromServer: 'shop-db-postgres',
      to: '18',
      snapshot: 'Skip',
      keepPrevious: '24h',
      maxWait: '15m',
    },
  })
})

it('the next upgrade reports what it waits for', () => {
  const next = { ...ask({ version: '19' }, completed, on18) }
  expect(desiredUpgrade(next)).toEqual({ kind: 'none' })
  expect(waitsFor(next)).toBe(
    'server shop-db-postgres of version 15 is still kept; to let it go now, set spec.upgrade.keepPrevious to 0s',
  )
  expect(waitsFor(ask({}, undefined, { providerID: undefined }))).toBe('the database is not there yet')
  expect(waitsFor(ask({}))).toBeUndefined()
})

it('an upgrade waits for a running restore and for running workers, and does not roll back for them', () => {
  const restore = (phase: RestoreRecord['phase']): RestoreRecord => ({ requestID: 'r1', phase, startedAt })
  for (const phase of ['Pending', 'Restoring', 'Discarding'] as const) {
    const waiting = { ...ask({}), restore: restore(phase) }
    expect(waitsFor(waiting)).toBe('restore r1 is under way')
    expect(desiredUpgrade(waiting)).toEqual({ kind: 'none' })
    expect(mayBegin(waiting)).toBe(false)
  }
  for (const phase of ['Completed', 'Failed'] as const)
    expect(desiredUpgrade({ ...ask({}), restore: restore(phase) })).toMatchObject({ kind: 'wanted' })
  const busy = { ...ask({}), others: ['Backup nightly', 'Migration v1'] }
  expect(waitsFor(busy)).toBe('Backup nightly, Migration v1 are at work in the database')
  expect(desiredUpgrade(busy)).toEqual({ kind: 'none' })
})

it('an upgrade waits until the restored database is observed and its users have their privileges', () => {
  const identity = { systemIdentifier: '7', databaseOID: 5 }
  const restore: RestoreRecord = { requestID: 'r1', phase: 'Completed', startedAt, replaces: identity }
  const before = { ...ask({}, undefined, { identity }), restore }
  expect(waitsFor(before)).toBe('what was restored is being looked at')
  expect(mayBegin(before)).toBe(false)
  const known = { ...ask({}, undefined, { identity: { ...identity, databaseOID: 6 } }), restore }
  expect(waitsFor({ ...known, unserved: ['app', 'web'] })).toBe(
    'DatabaseUser app, web gets the rights in what was restored first',
  )
  expect(desiredUpgrade({ ...known, unserved: ['web'] })).toEqual({ kind: 'none' })
  expect(mayBegin({ ...known, unserved: ['web'] })).toBe(true)
  expect(desiredUpgrade(known)).toMatchObject({ kind: 'wanted' })
})

it.each([
  ['where one is to begin', ask({}), true],
  ['not where none is asked for', ask({ version: '15' }), false],
  ['not while one is under way', ask({}, upgradeRecord('Replicate')), false],
  [
    'not where it was taken back, and nobody wants another try',
    ask({}, upgradeRecord('Replicate', 'Compensated', { state: 'Compensated' })),
    false,
  ],
])('an upgrade looks for running workers %s', (_, input, expected) => {
  expect(mayBegin(input)).toBe(expected)
})
