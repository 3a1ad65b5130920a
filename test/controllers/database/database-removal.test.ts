// Removal of a database whose Database is deleted. One row for each case.
import { describe, expect, it } from 'vitest'
import type { DatabaseFacts } from '../../../src/controllers/database/database-facts.ts'
import { databaseRemoval } from '../../../src/controllers/database/database-removal.ts'
import { abandonAnnotation } from '../../../src/index.ts'
import { access, databaseObject, inCluster, logical, providerID } from './databases.ts'

const facts: DatabaseFacts = { connection: { kind: 'known', access }, users: [] }
const status = { providerID, endpoint: { host: 'db.example', port: 5432 } }

describe('the database of a deleted Database', () => {
  it('stays when the policy is Retain, and reports how to adopt it', () => {
    const object = databaseObject({ deletionPolicy: 'Retain' }, { status })
    expect(databaseRemoval(object, facts)).toEqual({
      kind: 'keep',
      note: `on db.example:5432, ${providerID}; a Database with spec.adoptionPolicy Adopt and this name takes it up again`,
    })
  })

  it('waits, when the policy is Retain, while DatabaseUsers reach their roles through it', () => {
    const object = databaseObject({ deletionPolicy: 'Retain' }, { status })
    const used = { ...facts, users: ['shop/app'] }
    expect(databaseRemoval(object, used)).toEqual({
      kind: 'blocked',
      reason: 'HasDependents',
      message:
        'DatabaseUser shop/app use the database; delete them first; or let the Database go without them, which leaves their roles on ' +
        'the server, with the annotation konverge.dev/abandon-external: "true"',
    })
    const connection = { kind: 'unknown', reason: 'SecretNotFound', message: 'Secret server is missing' } as const
    expect(databaseRemoval(object, { ...used, connection })).toMatchObject({ kind: 'keep' })
    expect(databaseRemoval(object, undefined)).toMatchObject({ kind: 'blocked' })
  })

  it('is removed when the policy is Delete', () => {
    expect(databaseRemoval(databaseObject({ deletionPolicy: 'Delete' }), facts)).toEqual({
      kind: 'remove',
      externalName: 'shop_db',
      desired: logical({ isLeaving: true }),
    })
  })

  it('is removed together with what restores have left', () => {
    const kept = { requestID: 'r1', databaseName: 'shop_db_old_r1', replacedAt: '', keptUntil: '' }
    const restore = {
      requestID: 'r2',
      phase: 'Completed',
      startedAt: '',
      previous: [kept, { ...kept, requestID: 'r2' }],
    }
    const object = databaseObject({ deletionPolicy: 'Delete' }, { status: { ...status, restore } })
    expect(databaseRemoval(object, facts)).toMatchObject({ kind: 'remove', desired: { restores: ['r1', 'r2'] } })
  })

  it('waits for its final backup when the policy is Snapshot, and stays when none is possible', () => {
    const object = databaseObject(
      { deletionPolicy: 'Snapshot', snapshotTarget: { pvc: { claimName: 'b' } } },
      { status },
    )
    const backup = {
      name: 'shop-db-final-1',
      database: 'shop-db',
      target: { pvc: { claimName: 'b' } },
      proof: 'Restore' as const,
    }
    const standing = { kind: 'underWay', message: 'it is about to be made' } as const
    const awaited = { ...facts, finalBackup: { kind: 'awaited', backup, standing, kept: [] } } as const
    expect(databaseRemoval(object, awaited)).toMatchObject({ kind: 'blocked', reason: 'SnapshotPending' })
    expect(databaseRemoval(object, { ...awaited, users: ['shop/app'] })).toMatchObject({ reason: 'HasDependents' })
    const made = { ...facts, finalBackup: { kind: 'made', uri: 'pvc://b', isVolumeKept: false } } as const
    expect(databaseRemoval(object, made)).toMatchObject({ kind: 'remove', externalName: 'shop_db' })
    const targetless = databaseObject({ deletionPolicy: 'Snapshot' })
    expect(databaseRemoval(targetless, facts)).toMatchObject({ kind: 'blocked', reason: 'SnapshotFailed' })
    const impossible = { ...facts, finalBackup: { kind: 'impossible', message: 'its namespace goes' } } as const
    expect(databaseRemoval(object, impossible)).toEqual({
      kind: 'keep',
      note: `on db.example:5432, ${providerID}; its namespace goes`,
    })
  })

  it('waits for its DatabaseUsers, and names the first of them', () => {
    const users = Array.from({ length: 10 }, (_, at) => `shop/app-${at}`)
    const message =
      'DatabaseUser shop/app-0, shop/app-1, shop/app-2, shop/app-3, shop/app-4, shop/app-5, shop/app-6, shop/app-7 and 2 more ' +
      'use the database; delete them first'
    expect(databaseRemoval(databaseObject({ deletionPolicy: 'Delete' }), { ...facts, users })).toEqual({
      kind: 'blocked',
      reason: 'HasDependents',
      message,
    })
  })

  it('waits while its server cannot be found, and reports how to abandon it', () => {
    const connection = { kind: 'unknown', reason: 'SecretNotFound', message: 'Secret server is missing' } as const
    expect(databaseRemoval(databaseObject({ deletionPolicy: 'Delete' }), { ...facts, connection })).toEqual({
      kind: 'blocked',
      reason: 'SecretNotFound',
      message:
        'Secret server is missing; if the server is gone for good, let go of it with the annotation ' +
        'konverge.dev/abandon-external: "true"',
    })
  })

  it('waits while its DatabaseUsers are unknown', () => {
    expect(databaseRemoval(databaseObject({ deletionPolicy: 'Delete' }), undefined)).toMatchObject({ kind: 'blocked' })
  })

  it('is removed with its own server, which need not be reachable', () => {
    const connection = { kind: 'unknown', reason: 'ServerNotMade', message: '' } as const
    const object = databaseObject({ deletionPolicy: 'Delete', provider: inCluster })
    expect(databaseRemoval(object, { ...facts, connection })).toMatchObject({ kind: 'keep' })
    expect(databaseRemoval(object, { ...facts, users: ['shop/app'] })).toMatchObject({ kind: 'blocked' })
  })

  it('is released when it is abandoned, whatever is known', () => {
    const metadata = { name: 'shop-db', uid: 'u', resourceVersion: '1', annotations: { [abandonAnnotation]: 'true' } }
    const object = databaseObject({ deletionPolicy: 'Delete' }, { metadata, status })
    expect(databaseRemoval(object, undefined)).toEqual({
      kind: 'keep',
      note: `on db.example:5432, ${providerID}; let go of by its annotation konverge.dev/abandon-external`,
    })
  })
})
