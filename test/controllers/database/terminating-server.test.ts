// Last declaration of an in-cluster server before its Database is removed.
import { describe, expect, it } from 'vitest'
import { type SideClaim, serverSides } from '../../../src/controllers/database/server-sides.ts'
import { isUnsettled } from '../../../src/controllers/database/terminating-server.ts'
import type { LiveObject } from '../../../src/index.ts'
import { databaseObject, inCluster } from './databases.ts'

type Policy = 'Retain' | 'Delete' | 'Snapshot'
const [name, uid, resourceVersion] = ['shop-db-postgres', '1', '1']

function child(manifest: object, metadata: object = {}): LiveObject {
  return { ...manifest, metadata: { name, namespace: 'shop', uid, resourceVersion, ...metadata } } as LiveObject // The API server returns this form.
}

function serverWith(whenDeleted: string, metadata: object = {}): LiveObject {
  const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted } }
  return child({ apiVersion: 'apps/v1', kind: 'StatefulSet', spec }, metadata)
}

function unsettled(deletionPolicy: Policy, children: readonly LiveObject[], claim: SideClaim = 'kept'): boolean {
  const object = databaseObject({ deletionPolicy, provider: inCluster, version: '15' })
  const sides = serverSides({ object, record: undefined, previousClaim: 'gone', nowMs: 0 })
  return isUnsettled({ object, sides, children, claim })
}

describe('the server of a deleted Database', () => {
  it.each([
    ['would take a volume along that is to stay', 'Retain', serverWith('Delete'), 'owned', true],
    ['has let go of it, which its claim does not say yet', 'Retain', serverWith('Retain'), 'owned', true],
    ['has let go of it', 'Retain', serverWith('Retain'), 'kept', false],
    ['would leave a volume that is to go', 'Delete', serverWith('Retain'), 'kept', true],
    ['takes it along', 'Delete', serverWith('Delete'), 'owned', false],
    ['is to be saved first', 'Snapshot', serverWith('Retain'), 'kept', false],
    ['has been saved', 'Snapshot', serverWith('Delete'), 'owned', false],
    ['is going', 'Retain', serverWith('Delete', { deletionTimestamp: '2026-01-01T00:00:00Z' }), 'owned', false],
    ['is another one', 'Retain', serverWith('Delete', { name: 'shop-db-pg18' }), 'gone', false],
  ] as const)('%s', (_, policy, server, claim, expected) => {
    expect(unsettled(policy, [server], claim)).toBe(expected)
  })

  it.each([
    ['nowhere', 'shop-db.none', {}, true],
    ['to a server that has gone', 'shop-db.18', {}, true],
    ['to it', 'shop-db', {}, false],
    ['nowhere, and is going', 'shop-db.none', { deletionTimestamp: '2026-01-01T00:00:00Z' }, false],
  ])('leads clients of its Service %s', (_, value, metadata, expected) => {
    const selector = { 'data.konverge.dev/database': value }
    const service = child({ apiVersion: 'v1', kind: 'Service', spec: { selector } }, metadata)
    expect(unsettled('Snapshot', [service])).toBe(expected)
  })
})
