// State of the final backup of a Database that is being deleted. One row for each case.
import { describe, expect, it } from 'vitest'
import { finalBackupOf, neededBeforeDeletion } from '../../../src/controllers/database/final-backup.ts'
import type { OwnBackup } from '../../../src/controllers/database/own-backup.ts'
import type { DatabaseObject } from '../../../src/controllers/database/server-connection.ts'
import type { LiveObject } from '../../../src/index.ts'
import { databaseObject, inCluster, uid } from './databases.ts'

const snapshotTarget = { pvc: { claimName: 'backups' } }
const metadata = { name: 'shop-db', uid, resourceVersion: '1', deletionTimestamp: '2026-01-01T00:00:00Z' }
const record = { name: 'database', phase: 'Available', externalName: 'shop_db', token: { uid, generation: 1 } }
const leaving = (spec: Partial<DatabaseObject['spec']> = {}, status: object = { external: [record] }): DatabaseObject =>
  databaseObject({ deletionPolicy: 'Snapshot', snapshotTarget, version: '15', ...spec }, { metadata, status })

describe('a Database that is being deleted', () => {
  it.each([
    ['stays', databaseObject({ deletionPolicy: 'Snapshot', snapshotTarget }, { status: { external: [record] } })],
    ['has another policy', leaving({ deletionPolicy: 'Delete' })],
    ['never was one', leaving({}, {})],
    ['may never have been one', leaving({}, { external: [{ ...record, phase: 'Pending' }] })],
  ])('needs no final backup when it %s', (_, object) => {
    expect(neededBeforeDeletion(object)).toBeUndefined()
  })

  it('needs a final backup when the policy is Snapshot, also when its deletion has begun', () => {
    expect(neededBeforeDeletion(leaving())?.name).toMatch(/^shop-db-final-/)
    expect(neededBeforeDeletion(leaving({}, { external: [{ ...record, phase: 'Deleting' }] }))).toBeDefined()
  })
})

describe('the final backup', () => {
  const backup: OwnBackup = { name: 'b', database: 'shop-db', target: snapshotTarget, proof: 'Restore' }
  const status = {
    artifact: { uri: 'pvc://b' },
    source: { databaseUID: uid },
    conditions: [{ type: 'Verified', status: 'True', reason: 'RestoreVerified', message: '' }],
  }
  // The CRD has this form.
  const proven = { apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Backup', metadata, status } as LiveObject
  const found = { ...proven, metadata: { name: 'b', uid: 'b', resourceVersion: '1' } }
  const set = (name: string, whenDeleted: string, observedGeneration = 1): LiveObject =>
    ({
      ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', status: { observedGeneration } },
      metadata: { name, uid: name, resourceVersion: '1', generation: 1 },
      spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted } },
    }) as LiveObject
  const of = (children: readonly LiveObject[], input: { found?: LiveObject | undefined; isHomeGoing?: boolean } = {}) =>
    finalBackupOf(backup, {
      ...{ object: leaving({ provider: inCluster }), children, found: 'found' in input ? input.found : found },
      isHomeGoing: input.isHomeGoing === true,
    })

  it.each([
    ['is of a server elsewhere', [], false],
    ['is of a server whose volume would stay', [set('shop-db-postgres', 'Retain')], true],
    ['is of one that nobody has looked at since', [set('shop-db-postgres', 'Delete', 0)], true],
    ['is of one whose volume goes', [set('shop-db-postgres', 'Delete')], false],
    [
      'is of two servers, of which one would leave its volume',
      [set('shop-db-postgres', 'Delete'), set('shop-db-postgres-16', 'Retain')],
      true,
    ],
  ])('is created, and %s', (_, children, isVolumeKept) => {
    expect(of(children)).toEqual({ kind: 'made', uri: 'pvc://b', isVolumeKept })
  })

  it('blocks the deletion, while all children but Backups stay unchanged', () => {
    const server = set('shop-db-postgres', 'Retain')
    expect(of([server, found], { found: undefined })).toMatchObject({
      kind: 'awaited',
      kept: [{ metadata: { name: 'shop-db-postgres' } }],
    })
  })

  it('cannot be created while the namespace is deleted, unless it exists', () => {
    expect(of([], { found: undefined, isHomeGoing: true })).toMatchObject({ kind: 'impossible' })
    expect(of([], { isHomeGoing: true })).toMatchObject({ kind: 'made' })
  })
})
