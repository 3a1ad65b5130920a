import { describe, expect, it } from 'vitest'
import type { DatabaseObject, ServerConnection } from '../../../src/controllers/database/server-connection.ts'
import { type PlaceInput, placeOf, sourceOf } from '../../../src/controllers/migration/migration-place.ts'

const access = {
  ...{ host: 'db.example', port: 5432, username: 'admin', password: 'secret' },
  ...{ maintenanceDatabase: 'postgres', tls: 'verify-full' as const },
}
const provider = {
  server: { connectionSecretRef: { name: 'server' }, maintenanceDatabase: 'postgres', sslMode: 'verify-full' },
}
const ready = { phase: 'Ready', identity: { systemIdentifier: '7', oid: 9 } }

function database(change: { readonly spec?: object; readonly status?: object; readonly metadata?: object } = {}) {
  return {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Database' },
    metadata: { name: 'my-shop', namespace: 'shop', uid: 'u', resourceVersion: '1', ...change.metadata },
    spec: { provider, ...change.spec },
    status: change.status ?? ready,
  } as unknown as DatabaseObject // The server returns this form.
}

const known: ServerConnection = { kind: 'known', access }
const input: PlaceInput = {
  ...{ name: 'my-shop', folder: 'target', database: database(), connection: known },
}

const identity = { systemIdentifier: '1', databaseOID: 2 }
const moving = { phase: 'Upgrading', identity, upgrade: { id: 'u', from: '15', to: '18', state: 'Running' } }

describe('the location of a migration', () => {
  it('is available during a move to a Migration that is a part of it', () => {
    expect(placeOf({ ...input, database: database({ status: moving }), mayMove: true })).toMatchObject({
      kind: 'place',
    })
  })

  it('contains what a job spec may contain, and names the files with the rest', () => {
    const place = placeOf(input)
    expect(place).toMatchObject({
      ordered: {
        ...{ name: 'shop/my-shop', folder: 'target', database: 'my_shop', owner: 'my_shop_owner' },
        ...{ tls: 'verify-full', hasAuthority: false },
      },
    })
    expect('credentials' in place && place.credentials.files.map(({ secret, key }) => `${secret}/${key}`)).toEqual([
      ...['server/host', 'server/port', 'server/username', 'server/password'],
    ])
    expect(JSON.stringify('ordered' in place && place.ordered)).not.toContain('secret')
  })

  it('has the certificates of the Database', () => {
    const trusting = database({
      spec: { provider: { server: { ...provider.server, caSecretRef: { name: 'trust', key: 'bundle' } } } },
    })
    const connection: ServerConnection = { kind: 'known', access: { ...access, ca: 'PEM' } }
    const place = placeOf({ ...input, database: trusting, connection })
    expect('credentials' in place && place.credentials.files.at(-1)).toEqual({
      ...{ secret: 'trust', key: 'bundle', file: 'ca.crt' },
    })
  })

  it('stays in a job spec when it is no longer needed, and is absent when it is unreachable', () => {
    const usual = placeOf(input)
    for (const status of [moving, { phase: 'Failed' }, ready]) {
      const found = sourceOf({ ...input, database: database({ status }) }, 'nothing')
      expect(found !== undefined && 'ordered' in found && found.ordered).toEqual('ordered' in usual && usual.ordered)
    }
    const unknown: ServerConnection = { kind: 'unknown', reason: 'SecretNotFound', message: 'm' }
    expect(sourceOf({ ...input, connection: unknown }, 'nothing')).toBeUndefined()
    expect(sourceOf({ ...input, database: undefined, connection: undefined }, 'nothing')).toBeUndefined()
    expect(sourceOf({ ...input, database: undefined }, 'rows')).toMatchObject({ reason: 'DatabaseMissing' })
  })

  it('is awaited while parts of a replication exist, until it is gone itself', () => {
    const unknown: ServerConnection = { kind: 'unknown', reason: 'SecretNotFound', message: 'm' }
    expect(sourceOf({ ...input, connection: unknown }, 'parts')).toMatchObject({ reason: 'SecretNotFound' })
    expect(sourceOf({ ...input, database: database({ status: moving }) }, 'parts')).toMatchObject({
      reason: 'DatabaseMoving',
    })
    const going = database({ metadata: { deletionTimestamp: 'now' }, status: { ...ready, phase: 'Deleting' } })
    expect(sourceOf({ ...input, database: going }, 'parts')).toMatchObject({ kind: 'place' })
    expect(sourceOf({ ...input, database: undefined, connection: undefined }, 'parts')).toBeUndefined()
  })

  it.each([
    ['no Database', { database: undefined, connection: undefined }, 'waiting DatabaseMissing'],
    ['one that goes', { database: database({ metadata: { deletionTimestamp: 'now' } }) }, 'waiting DatabaseNotReady'],
    ['one on its move', { database: database({ status: moving }) }, 'waiting DatabaseMoving'],
    [
      'one that is saved before its move',
      { database: database({ status: { ...moving, upgrade: { ...moving.upgrade, step: 'CreateSnapshot' } } }) },
      'waiting DatabaseMoving',
    ],
    ['one that is not ready', { database: database({ status: { phase: 'Pending' } }) }, 'waiting DatabaseNotReady'],
    [
      'one that nobody reaches',
      { connection: { kind: 'unknown', reason: 'SecretNotFound', message: 'm' } as const },
      'waiting SecretNotFound',
    ],
  ])('is absent with %s', (_, change, expected) => {
    const place = placeOf({ ...input, ...change })
    expect('reason' in place && `${place.kind} ${place.reason}`).toBe(expected)
  })
})
