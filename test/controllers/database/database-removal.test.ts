// What becomes of a database when its Database goes, row by row.
import { describe, expect, it } from 'vitest'
import type { DatabaseFacts } from '../../../src/controllers/database/database-facts.ts'
import { databaseRemoval } from '../../../src/controllers/database/database-removal.ts'
import { abandonAnnotation } from '../../../src/index.ts'
import { access, databaseObject, inCluster, logical, providerID } from './databases.ts'

const facts: DatabaseFacts = { connection: { kind: 'known', access }, users: [] }
const status = { providerID, endpoint: { host: 'db.example', port: 5432 } }

describe('a database whose Database goes', () => {
  it('stays by the policy Retain, and says how it is taken up again', () => {
    const object = databaseObject({ deletionPolicy: 'Retain' }, { status })
    expect(databaseRemoval(object, facts)).toEqual({
      kind: 'keep',
      note: `on db.example:5432, ${providerID}; a Database with spec.adoptionPolicy Adopt and this name takes it up again`,
    })
  })

  it('waits by the policy Retain for those whose roles are reached by it, as long as they are', () => {
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

  it('goes by the policy Delete', () => {
    expect(databaseRemoval(databaseObject({ deletionPolicy: 'Delete' }), facts)).toEqual({
      kind: 'remove',
      externalName: 'shop_db',
      desired: logical({ isLeaving: true }),
    })
  })

  it('takes along what restores have left', () => {
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

  it('waits for its last backup by the policy Snapshot, and stays where there can be none', () => {
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

  it('waits for those who use it, and names the first of them', () => {
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

  it('waits while its server cannot be found, and says how to give it up', () => {
    const connection = { kind: 'unknown', reason: 'SecretNotFound', message: 'Secret server is missing' } as const
    expect(databaseRemoval(databaseObject({ deletionPolicy: 'Delete' }), { ...facts, connection })).toEqual({
      kind: 'blocked',
      reason: 'SecretNotFound',
      message:
        'Secret server is missing; if the server is gone for good, let go of it with the annotation ' +
        'konverge.dev/abandon-external: "true"',
    })
  })

  it('waits while it is not known who uses it', () => {
    expect(databaseRemoval(databaseObject({ deletionPolicy: 'Delete' }), undefined)).toMatchObject({ kind: 'blocked' })
  })

  it('goes with its server where that is its own, which nobody has to reach for it', () => {
    const connection = { kind: 'unknown', reason: 'ServerNotMade', message: '' } as const
    const object = databaseObject({ deletionPolicy: 'Delete', provider: inCluster })
    expect(databaseRemoval(object, { ...facts, connection })).toMatchObject({ kind: 'keep' })
    expect(databaseRemoval(object, { ...facts, users: ['shop/app'] })).toMatchObject({ kind: 'blocked' })
  })

  it('is let go of where somebody says so, whatever is known', () => {
    const metadata = { name: 'shop-db', uid: 'u', resourceVersion: '1', annotations: { [abandonAnnotation]: 'true' } }
    const object = databaseObject({ deletionPolicy: 'Delete' }, { metadata, status })
    expect(databaseRemoval(object, undefined)).toEqual({
      kind: 'keep',
      note: `on db.example:5432, ${providerID}; let go of by its annotation konverge.dev/abandon-external`,
    })
  })
})
