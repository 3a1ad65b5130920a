// Status of a Database for each outcome of a reconcile. Other tests cover the runtime's own conditions.
import { describe, expect, it } from 'vitest'
import type { DatabaseReport } from '../../../src/controllers/database/database-conditions.ts'
import type { DatabaseFacts } from '../../../src/controllers/database/database-facts.ts'
import { databaseStatus } from '../../../src/controllers/database/database-status.ts'
import type { Outcome } from '../../../src/index.ts'
import {
  access,
  databaseObject,
  inCluster,
  observed,
  observedDatabase,
  providerID,
  systemIdentifier,
} from './databases.ts'

const facts: DatabaseFacts = { connection: { kind: 'known', access }, users: [] }
const settled: Outcome = { kind: 'settled' }
const retry: Outcome = { kind: 'retry', reason: 'ServerUnreachable', message: 'refused' }
const seenAtMs = Date.UTC(2026, 10, 21, 16, 30)
const available: DatabaseReport = {
  ...{ name: 'database', state: 'available', reason: 'AsDesired', message: '"shop_db" is as desired' },
  ...{ providerID, observed: observed(), drift: [], corrected: [], seenAtMs },
}
const missing = { reason: 'ExtensionMissing', message: 'extension pg_trgm is missing' }

interface Told {
  readonly object?: ReturnType<typeof databaseObject>
  readonly facts?: DatabaseFacts | undefined
  readonly outcome?: Outcome
}

function statusOf(report: DatabaseReport | undefined, told: Told = {}) {
  const { object = databaseObject(), outcome = settled } = told
  const context = {
    object,
    facts: 'facts' in told ? told.facts : facts,
    outcome,
    children: [],
    externals: [],
    sagas: [],
  }
  return databaseStatus(context, report)
}

function conditionsOf(report: DatabaseReport | undefined, told: Told = {}): Record<string, string> {
  const { conditions } = statusOf(report, told)
  return Object.fromEntries(conditions.toReversed().map(({ type, status, reason }) => [type, `${status} ${reason}`]))
}

describe('a database that is in sync', () => {
  it('reports its identity, its server and its contents', () => {
    const contents = {
      extensions: [{ name: 'pg_trgm', version: '1.6', schema: 'public', isRelocatable: true, defaultVersion: '1.6' }],
      schemas: [{ name: 'public', owner: 'x', publicPrivileges: [] }],
    }
    expect(statusOf({ ...available, observed: observed({ contents }) }).fields).toEqual({
      phase: 'Ready',
      databaseName: 'shop_db',
      provider: 'Server',
      endpoint: { host: 'db.example', port: 5432 },
      providerID,
      serverVersion: '15.18',
      identity: { systemIdentifier, databaseOID: 16_400 },
      observed: {
        owner: 'shop_db_owner',
        extensions: [{ name: 'pg_trgm', version: '1.6', schema: 'public' }],
        schemas: ['public'],
        sizeBytes: 7_800_000,
        size: '7.4MB',
      },
    })
  })

  it('is provisioned, connected, configured and in sync', () => {
    expect(conditionsOf(available)).toEqual({
      Ready: 'True InSync',
      Provisioned: 'True Available',
      Connected: 'True Connected',
      Configured: 'True Configured',
      Drifted: 'False InSync',
    })
  })

  it('reports its size rounded, so that small changes do not write the status', () => {
    const object = databaseObject({}, { status: { observed: { sizeBytes: 7_799_999, size: '7.4MB' } } })
    expect(statusOf(available, { object }).fields.observed).toMatchObject({ sizeBytes: 7_799_999 })
    const grown = { ...available, observed: observed({ database: observedDatabase({ sizeBytes: 9_000_000 }) }) }
    expect(statusOf(grown, { object }).fields.observed).toMatchObject({ sizeBytes: 9_000_000, size: '8.6MB' })
  })

  it('reports what was corrected, and when, until a later correction', () => {
    const corrected = [missing, { reason: 'PublicAccess', message: 'everybody has CONNECT on database shop_db' }]
    const lastDriftCorrection = {
      time: '2026-11-21T16:30:00Z',
      message: 'extension pg_trgm is missing; everybody has CONNECT on database shop_db',
    }
    expect(statusOf({ ...available, corrected }).fields).toMatchObject({ lastDriftCorrection })
    const many = Array.from({ length: 100 }, () => ({
      ...corrected[0],
      message: 'x'.repeat(8_192),
    })) as typeof corrected
    expect(statusOf({ ...available, corrected: many }).fields.lastDriftCorrection?.message).toHaveLength(32_768)
    const object = databaseObject({}, { status: { lastDriftCorrection } })
    expect(statusOf(available, { object }).fields).toMatchObject({ lastDriftCorrection })
  })

  it('on its own server reports the connection Secret of that server', () => {
    const object = databaseObject({ provider: inCluster })
    expect(statusOf(available, { object }).fields).toMatchObject({
      provider: 'InCluster',
      binding: { name: 'shop-db-postgres-admin' },
    })
  })
})

describe('a database that differs, and is left unchanged', () => {
  const drifted = { ...available, drift: [missing] }

  it('is usable, and reports how it differs', () => {
    expect(conditionsOf(drifted)).toMatchObject({
      Ready: 'True Drifted',
      Configured: 'False ExtensionMissing',
      Drifted: 'True ExtensionMissing',
    })
  })

  it('reports the difference in an Event once', () => {
    const { events, conditions } = statusOf(drifted)
    expect(events).toEqual([
      { type: 'Warning', reason: 'ExtensionMissing', action: 'Observe', note: 'extension pg_trgm is missing' },
    ])
    const told = conditions.map((claim) => ({ ...claim, lastTransitionTime: '2026-11-21T16:30:00Z' }))
    expect(statusOf(drifted, { object: databaseObject({}, { status: { conditions: told } }) }).events).toEqual([])
  })
})

describe('a database that is missing or unmanaged', () => {
  const stopped = (reason: string): Outcome => ({ kind: 'stopped', reason, message: '' })

  it.each([
    ['notOwned', 'NotOwned', { Provisioned: 'False NotOwned', Connected: 'True Connected' }],
    ['vanished', 'Vanished', { Provisioned: 'False Vanished', Drifted: 'True Vanished' }],
    ['vanished', 'IdentityChanged', { Provisioned: 'False IdentityChanged', Drifted: 'True IdentityChanged' }],
    ['broken', 'IdentityChanged', { Provisioned: 'False IdentityChanged', Drifted: 'True IdentityChanged' }],
  ] as const)('%s by %s', (state, reason, conditions) => {
    const report: DatabaseReport = { ...available, state, reason, message: 'so', observed: undefined }
    const told = conditionsOf(report, { outcome: stopped(reason) })
    expect(told).toMatchObject(conditions)
    expect(told).not.toHaveProperty('Ready')
    expect(statusOf(report, { outcome: stopped(reason) }).fields.phase).toBe('Failed')
  })

  it('reports what was known of the managed one', () => {
    const status = { providerID, serverVersion: '15.18', identity: { systemIdentifier, databaseOID: 1 } }
    const report: DatabaseReport = { ...available, state: 'vanished', reason: 'Vanished', observed: undefined }
    expect(
      statusOf(report, { object: databaseObject({}, { status }), outcome: stopped('Vanished') }).fields,
    ).toMatchObject(status)
  })
})

describe('a database whose server fails', () => {
  const failed = (reason: string): DatabaseReport => ({ ...available, state: 'failed', reason, message: 'so' })
  const known = databaseObject({}, { status: { providerID } })

  it.each([
    'ServerUnreachable',
    'TLSVerifyFailed',
    'TooManyConnections',
    'AdminAuthFailed',
    'DependencyUnavailable',
    'DependencyTimeout',
    'DependencyBusy',
  ])('by %s is not connected, and its other conditions are Unknown', (reason) => {
    const outcome: Outcome = { kind: 'retry', reason, message: 'so' }
    expect(conditionsOf(failed(reason), { object: known, outcome })).toEqual({
      Connected: `False ${reason}`,
      Provisioned: `Unknown ${reason}`,
    })
    expect(conditionsOf(failed(reason), { outcome })).toMatchObject({ Provisioned: `False ${reason}` })
    const conditions = ['Configured', 'Drifted'].map((type) => ({ type, status: 'True', reason: 'Before' }))
    const told = databaseObject({}, { status: { providerID, conditions } })
    expect(conditionsOf(failed(reason), { object: told, outcome })).toEqual({
      Connected: `False ${reason}`,
      Provisioned: `Unknown ${reason}`,
      Configured: `Unknown ${reason}`,
      Drifted: `Unknown ${reason}`,
    })
  })

  it.each(['InsufficientPrivilege', 'StatementFailed', 'StorageFull', 'Contention'])(
    'by %s is connected, and not configured',
    (reason) => {
      const outcome: Outcome = { kind: 'stopped', reason, message: 'so' }
      expect(conditionsOf(failed(reason), { object: known, outcome })).toEqual({
        Connected: 'True Connected',
        Provisioned: 'True Available',
        Configured: `False ${reason}`,
      })
    },
  )

  it('keeps the last observation', () => {
    expect(statusOf(failed('ServerUnreachable'), { object: known, outcome: retry }).fields).toMatchObject({
      phase: 'Configuring',
      serverVersion: '15.18',
    })
  })
})

describe('a database in progress', () => {
  const waiting: Outcome = { kind: 'waiting', on: 'so' }
  const own = databaseObject({ provider: inCluster })
  const report = (state: DatabaseReport['state'], reason: string): DatabaseReport => ({
    ...{ name: 'database', state, reason, message: 'so', drift: [], corrected: [] },
  })

  it.each([
    ['its server is made', own, report('blocked', 'Creating'), 'Provisioning', 'False Creating'],
    ['it was not looked at', own, report('blocked', 'NotLookedAt'), 'Provisioning', undefined],
    ['it is created', own, report('pending', 'Provisioning'), 'Provisioning', 'False Creating'],
    ['nothing was asked yet', databaseObject(), undefined, 'Pending', undefined],
    ['it is being changed', databaseObject(), report('pending', 'ChangesPending'), 'Configuring', 'True Available'],
  ] as const)('while %s', (_, object, told, phase, provisioned) => {
    expect(statusOf(told, { object, outcome: waiting }).fields.phase).toBe(phase)
    const conditions = conditionsOf(told, { object, outcome: waiting })
    expect(conditions['Provisioned']).toBe(provisioned)
    if (told !== undefined && told.reason !== 'NotLookedAt') expect(conditions['Ready']).toBe(`False ${told.reason}`)
  })

  it('reports what is wrong with the connection Secret of its server', () => {
    const connection = { kind: 'unknown', reason: 'SecretNotFound', message: 'Secret server is missing' } as const
    const outcome: Outcome = { kind: 'stopped', reason: 'SecretNotFound', message: '' }
    const told = { facts: { ...facts, connection }, outcome }
    expect(conditionsOf(report('blocked', 'NotLookedAt'), told)).toEqual({ Connected: 'False SecretNotFound' })
    const conditions = ['Provisioned', 'Configured'].map((type) => ({ type, status: 'True', reason: 'Before' }))
    const object = databaseObject({}, { status: { providerID, conditions } })
    for (const seen of [report('blocked', 'NotLookedAt'), available]) {
      expect(conditionsOf(seen, { ...told, object })).toEqual({
        Connected: 'False SecretNotFound',
        Provisioned: 'Unknown SecretNotFound',
        Configured: 'Unknown SecretNotFound',
      })
    }
  })
})

describe('a database that is being deleted', () => {
  const metadata = { name: 'shop-db', uid: 'u', resourceVersion: '1', deletionTimestamp: '2026-11-21T16:30:00Z' }
  const object = databaseObject({}, { metadata, status: { providerID } })
  const deleting: Outcome = { kind: 'deleting', on: 'so' }

  it.each([
    ['blocked', 'HasDependents', 'True HasDependents'],
    ['blocked', 'SecretNotFound', 'True SecretNotFound'],
    ['failed', 'DependentObjects', 'True HasDependents'],
    ['failed', 'DatabaseInUse', 'True InUse'],
    ['failed', 'ServerUnreachable', 'True ServerUnreachable'],
    ['deleting', 'BeingDeleted', undefined],
    ['kept', 'Kept', undefined],
  ] as const)('%s by %s', (state, reason, blocked) => {
    const report: DatabaseReport = { ...available, state, reason, message: 'so' }
    expect(conditionsOf(report, { object, outcome: deleting })['DeletionBlocked']).toBe(blocked)
    expect(statusOf(report, { object, outcome: deleting }).fields.phase).toBe('Deleting')
  })
})

it('keeps its last status when nothing could be observed', () => {
  const status = { providerID, endpoint: { host: 'db.example', port: 5432 } }
  const told = { object: databaseObject({}, { status }), facts: undefined, outcome: retry } as const
  expect(statusOf(undefined, told).fields).toMatchObject(status)
})

describe('roles that may connect without a DatabaseUser', () => {
  const seen = observed({ database: observedDatabase({ unmanaged: ['tadmin'] }) })
  const shared = { ...facts, consents: ['guests', 'shop'] }
  const alone = { ...facts, consents: ['shop'] }
  const wasShared = databaseObject({}, { status: { shared: true } })
  const withdrawn = { reason: 'ConsentWithdrawn', message: 'role x of DatabaseUser guests/x has rights' }

  it.each([
    ['are drift of a Database that other namespaces use', available, { facts: shared }, 'True UnmanagedRoles', true],
    [
      'are no drift where there is none',
      { ...available, observed: observed() },
      { facts: shared },
      'False InSync',
      true,
    ],
    ['are no drift of a Database that was never shared', available, { facts: alone }, 'False InSync', undefined],
    [
      'stay drift once the consent is withdrawn',
      available,
      { facts: alone, object: wasShared },
      'True UnmanagedRoles',
      true,
    ],
    [
      'are drift where rights were just taken from a guest',
      { ...available, corrected: [withdrawn] },
      { facts: alone },
      'True UnmanagedRoles',
      true,
    ],
    [
      'are forgotten once they are gone',
      { ...available, observed: observed() },
      { facts: alone, object: wasShared },
      'False InSync',
      undefined,
    ],
  ] as const)('%s', (_, report, told, drifted, isShared) => {
    const all = report.observed === available.observed ? { ...report, observed: seen } : report
    expect(conditionsOf(all, told)).toMatchObject({ Ready: 'True InSync', Drifted: drifted })
    expect(statusOf(all, told).fields.shared).toBe(isShared)
  })

  it('are kept while the server cannot be observed', () => {
    const report = {
      ...available,
      state: 'failed',
      reason: 'ServerUnreachable',
      message: 'so',
      observed: undefined,
    } as const
    expect(statusOf(report, { facts: alone, object: wasShared, outcome: retry }).fields.shared).toBe(true)
  })

  it('are reported once, after the other differences', () => {
    const { conditions, events } = statusOf({ ...available, observed: seen, drift: [missing] }, { facts: shared })
    const drifted = conditions.find(({ type }) => type === 'Drifted')
    expect(drifted).toMatchObject({
      reason: 'ExtensionMissing',
      message: expect.stringMatching(/pg_trgm is missing; .*tadmin/),
    })
    expect(events).toMatchObject([{ type: 'Warning', reason: 'ExtensionMissing' }])
  })
})
