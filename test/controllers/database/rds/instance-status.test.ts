import { describe, expect, it } from 'vitest'
import type { DatabaseStatus } from '../../../../imports/wire/database.ts'
import type { ObservedInstance } from '../../../../src/controllers/database/rds/instance.ts'
import { withInstance } from '../../../../src/controllers/database/rds/instance-status.ts'
import type { ConditionClaim, ExternalReport, StatusReport } from '../../../../src/index.ts'
import { databaseObject, token, uid } from '../databases.ts'
import { arn, observedInstance, rdsProvider } from './instances.ts'

type Report = ExternalReport<ObservedInstance>

const available: Report = {
  ...{
    name: 'instance',
    state: 'available',
    reason: 'AsDesired',
    message: 'it is as desired',
    drift: [],
    corrected: [],
  },
  ...{ providerID: arn, observed: observedInstance() },
}
const record = { name: 'instance', phase: 'Pending', externalName: 'x', token, requestedAt: '2026-01-01T00:00:00Z' }

function told(
  report: Report | undefined,
  {
    phase = 'Configuring',
    claims = [],
    status = { external: [record] } as unknown as DatabaseStatus,
    isLeaving = false,
    provider = { rds: rdsProvider() },
  }: {
    readonly phase?: NonNullable<DatabaseStatus['phase']>
    readonly claims?: readonly ConditionClaim[]
    readonly status?: DatabaseStatus
    readonly isLeaving?: boolean
    readonly provider?: object
  } = {},
): StatusReport<DatabaseStatus> {
  const alone = { fields: { phase, providerID: 'pg://1/2', databaseName: 'crm' }, conditions: claims, events: [] }
  const object = { ...databaseObject({ provider: provider as never }), status }
  const metadata = { ...object.metadata, ...(isLeaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) }
  const context = {
    facts: undefined,
    children: [],
    externals: [],
    sagas: [],
    outcome: { kind: 'waiting', on: 'it' },
  } as const
  return withInstance(alone, { ...context, object: { ...object, metadata } }, report)
}

const conditionsOf = (status: StatusReport<DatabaseStatus>) =>
  status.conditions.map(({ type, status: standing, reason }) => `${type} ${standing} ${reason}`)

describe('the status of a Database on RDS', () => {
  it('is that of its database, with the fields that the instance decides', () => {
    expect(told(available)).toMatchObject({
      fields: {
        phase: 'Configuring',
        databaseName: 'crm',
        providerID: arn,
        endpoint: { port: 5432 },
        provisioning: { token: `${uid}-1`, startedAt: '2026-01-01T00:00:00Z', lastObservedState: 'available' },
        binding: { name: 'shop-db-postgres-admin' },
      },
    })
  })

  it('with another provider stays unchanged', () => {
    expect(told(undefined, { provider: {} }).fields).toEqual({
      phase: 'Configuring',
      providerID: 'pg://1/2',
      databaseName: 'crm',
    })
  })

  it('names the RDS status while the instance is in progress', () => {
    const pending: Report = { ...available, state: 'pending', reason: 'Provisioning', message: 'RDS says creating' }
    const { observed: _, ...unseen } = pending
    expect(told(unseen)).toMatchObject({
      fields: { phase: 'Provisioning', provisioning: { lastObservedState: 'creating' } },
    })
  })

  it.each([
    [available, 'Provisioned True Available'],
    [{ ...available, state: 'pending', reason: 'Provisioning' }, 'Provisioned False Creating'],
    [{ ...available, state: 'pending', reason: 'ProvisionTimeout' }, 'Provisioned False ProvisionTimeout'],
    [{ ...available, state: 'pending', reason: 'ChangesPending' }, 'Provisioned True Available'],
    [{ ...available, state: 'notYetVisible', reason: 'NotYetVisible' }, 'Provisioned False NotYetVisible'],
    [{ ...available, state: 'broken', reason: 'Stopped' }, 'Provisioned False Stopped'],
    [{ ...available, state: 'failed', reason: 'AccessDenied' }, 'Provisioned Unknown AccessDenied'],
    [{ ...available, state: 'notOwned', reason: 'NotOwned' }, 'Provisioned False NotOwned'],
    [
      { ...available, observed: observedInstance({ trouble: { reason: 'StorageFull', advice: 'raise it' } }) },
      'Provisioned True StorageFull',
    ],
  ] as const)('reports whether a server exists (%#)', (report, condition) => {
    const ofDatabase: ConditionClaim = { type: 'Provisioned', status: 'False', reason: 'Other', message: '' }
    expect(conditionsOf(told(report, { claims: [ofDatabase] }))).toEqual([condition])
  })

  it('reports drift of the instance, unless the database has drifted too', () => {
    const drift = [{ reason: 'MultiAZChanged', message: 'it has no standby' }]
    const none: ConditionClaim = { type: 'Drifted', status: 'False', reason: 'InSync', message: '' }
    const own: ConditionClaim = { type: 'Drifted', status: 'True', reason: 'OwnerChanged', message: 'it has' }
    expect(conditionsOf(told({ ...available, drift }, { claims: [none] }))).toContain('Drifted True MultiAZChanged')
    expect(conditionsOf(told({ ...available, drift }, { claims: [own] }))).toContain('Drifted True OwnerChanged')
    expect(conditionsOf(told({ ...available, state: 'vanished', reason: 'Vanished' }, { claims: [own] }))).toContain(
      'Drifted True Vanished',
    )
  })

  it('reports what blocks the deletion of the instance', () => {
    const blocked: Report = { ...available, state: 'blocked', reason: 'ProtectionEnabled' }
    expect(conditionsOf(told(blocked, { isLeaving: true }))).toEqual(['DeletionBlocked True ProtectionEnabled'])
    expect(conditionsOf(told({ ...available, state: 'deleting' }, { isLeaving: true }))).toEqual([])
  })
})
