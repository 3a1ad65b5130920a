// Facts of a Backup of the method Provider: the instance that it backs up, and when the operator may call the provider.
// One row for each case.
import { describe, expect, it } from 'vitest'
import type { BackupObject } from '../../../src/controllers/backup/desired-work.ts'
import { type ProviderInput, providerFacts } from '../../../src/controllers/backup/provider-facts.ts'
import type { DatabaseObject } from '../../../src/controllers/database/server-connection.ts'
import type { Place } from '../../../src/controllers/migration/migration-place.ts'
import { secretText } from '../../taint/secret-text.ts'
import { openLabels } from '../open-labels.ts'

const nowMs = Date.parse('2026-01-01T00:00:00Z')
const uid = '2c4e28ba-2fa1-11d2-883f-0016d3cca427'
const recorded = {
  ...{ instance: 'konverge-shop-crm-2c4e28ba', region: 'eu-central-1', credentialsSecret: 'aws' },
  ...{ database: 'shop/crm', databaseUID: uid, databaseName: 'crm', systemIdentifier: '7' },
}
const asked = {
  snapshot: recorded,
  external: [
    {
      name: 'snapshot',
      phase: 'Pending',
      externalName: 's',
      token: { uid: 'b', generation: 1 },
      requestedAt: '2026-01-01T00:00:00Z',
    },
  ],
}
const keys = { accessKeyId: 'AKIATEST', secretAccessKey: secretText('key') }
const access = { region: 'eu-central-1', credentials: { kind: 'keys', ...keys } }

function backup(own: { spec?: object; status?: object; metadata?: object } = {}): BackupObject {
  return {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Backup' },
    metadata: { name: 'once', namespace: 'shop', uid: 'b', ...own.metadata },
    spec: { databaseRef: { name: 'crm' }, method: 'Provider', artifactPolicy: 'Delete', ...own.spec },
    ...(own.status === undefined ? {} : { status: own.status }),
  } as unknown as BackupObject // The test reads these fields only.
}

function database(own: { provider?: object; status?: object; uid?: string } = {}): DatabaseObject {
  const rds = { region: 'eu-central-1', credentials: { secretRef: { name: 'aws' } } }
  return {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Database' },
    metadata: { name: 'crm', namespace: 'shop', uid: own.uid ?? uid },
    spec: { provider: own.provider ?? { rds } },
    status: { identity: { systemIdentifier: '7', databaseOID: 1 }, ...own.status },
  } as unknown as DatabaseObject // The test reads these fields only.
}

const place = { kind: 'place', ordered: { name: 'shop/crm', database: 'crm' } } as unknown as Place // The test reads these fields only.
const missing = { kind: 'waiting', reason: 'DatabaseMissing', message: 'there is no Database crm' } as const
const secret = {
  ...{ apiVersion: 'v1', kind: 'Secret' },
  metadata: { name: 'aws', namespace: 'shop', uid: 's', resourceVersion: '1', labels: openLabels },
  data: Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
}

const facts = (own: Partial<ProviderInput>) =>
  providerFacts({ object: backup(), database: database(), place, secret, policy: {}, nowMs, ...own })

describe('the facts of a Backup by the provider', () => {
  it('are recorded first, and then used for every request', () => {
    const first = facts({})
    expect(first).toMatchObject({
      snapshot: recorded,
      access,
      problem: { reason: 'SnapshotStarting' },
      againAtMs: nowMs + 1_000,
    })
    const { problem, ...then } = facts({ object: backup({ status: { snapshot: recorded } }) })
    expect(problem).toBeUndefined()
    expect(then).toEqual({ kind: 'provider', snapshot: recorded, access })
  })

  it('name the instance as it was created', () => {
    const status = { external: [{ name: 'instance', externalName: 'by-hand' }] }
    expect(facts({ database: database({ status }) }).snapshot?.instance).toBe('by-hand')
  })

  it('are those of the current Database before the first request to the provider', () => {
    const object = backup({ status: { snapshot: recorded } })
    const { snapshot, problem } = facts({ object, database: database({ uid: '3d4e28ba-2fa1-11d2-883f-0016d3cca427' }) })
    expect(snapshot).toMatchObject({
      databaseUID: '3d4e28ba-2fa1-11d2-883f-0016d3cca427',
      instance: 'konverge-shop-crm-3d4e28ba',
    })
    expect(problem?.reason).toBe('SnapshotStarting')
  })

  it.each([
    ['its Database is missing', { database: undefined, place: missing }, 'waiting DatabaseMissing'],
    ['its Database is elsewhere', { database: database({ provider: { server: {} } }) }, 'refused InvalidMethod'],
    ['it is suspended', { object: backup({ spec: { suspend: true } }) }, 'waiting Suspended'],
    ['there are no credentials', { secret: undefined }, 'waiting SecretNotFound'],
  ] as const)('block the start while %s', (_, own, problem) => {
    const found = facts(own).problem
    expect(`${found?.kind} ${found?.reason}`).toBe(problem)
  })

  it.each([
    ['its Database is gone', { database: undefined, place: missing }],
    ['its Database is another one', { database: database({ uid: '3d4e28ba-2fa1-11d2-883f-0016d3cca427' }) }],
    ['its Database is not ready', { place: missing }],
    ['it is suspended', {}],
  ] as const)('let a requested snapshot continue while %s', (_, own) => {
    const found = facts({ object: backup({ status: asked, spec: { suspend: true } }), ...own })
    expect(found).toEqual({ kind: 'provider', snapshot: recorded, access, problem: undefined })
  })

  it('use the credentials of the Database that is backed up, and of no other', () => {
    const rds = { region: 'eu-central-1', credentials: { secretRef: { name: 'newer' } } }
    const object = backup({ status: asked })
    const follow = (own: { uid?: string }) => facts({ object, database: database({ provider: { rds }, ...own }) })
    expect(follow({}).snapshot?.credentialsSecret).toBe('newer')
    expect(follow({ uid: 'other' }).snapshot?.credentialsSecret).toBe('aws')
  })
})
