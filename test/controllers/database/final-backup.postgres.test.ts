// Deletion of a Database with the policy Snapshot, on a real server. Invariant: the database is dropped only after a
// verified backup.
// The test writes the status of the Backup as its controller would.
import { describe, expect, it } from 'vitest'
import { Backup } from '../../../imports/wire/backup.ts'
import { type LiveObject, Namespace } from '../../../src/index.ts'
import { onNewestPostgres } from '../../postgres/on-each-postgres.ts'
import { home } from '../postgres-stage.ts'
import { DatabaseStage } from './database-stage.ts'
import { lastBackup, tellFailed, tellProven } from './told-backup.ts'

const snapshot = { deletionPolicy: 'Snapshot', snapshotTarget: { pvc: { claimName: 'backups' } } } as const
onNewestPostgres('a Database with the policy Snapshot', (server) => {
  const isThere = async (name: string) =>
    (await server().byHand('SELECT FROM pg_database WHERE datname = $1', { values: [name] })).length === 1

  const gone = (stage: DatabaseStage, name: string) =>
    stage.until(`${name} to be gone`, async () => (await stage.find(name)) === undefined)

  it('a Database is dropped after its final backup, which stays', async () => {
    const stage = await DatabaseStage.start(server())
    await stage.create('last-1', snapshot)
    await stage.becomes('last-1', 'Ready', 'True InSync')
    await stage.startDelete('last-1')
    const backup = await lastBackup(stage)
    expect(backup).toMatchObject({
      metadata: { name: expect.stringMatching(/^last-1-final-[0-9a-f]{8}$/) },
      spec: { databaseRef: { name: 'last-1' }, target: snapshot.snapshotTarget, verify: { mode: 'Restore' } },
    })
    expect(backup.metadata.ownerReferences).toBeUndefined()
    const message = await stage.becomes('last-1', 'DeletionBlocked', 'True SnapshotPending')
    expect(message).toContain(
      `waits for the last backup, Backup shop/${backup.metadata.name}; to go on without a backup set spec.deletionPolicy to ` +
        'Retain or Delete (',
    )
    await stage.pass(600_000)
    expect(await isThere('last_1')).toBe(true)
    await tellProven(stage, backup, 'last-1')
    await gone(stage, 'last-1')
    expect(await isThere('last_1')).toBe(false)
    await stage.pass(60_000)
    expect(await stage.cluster.find(Backup, `${home}/${backup.metadata.name}`)).toMatchObject({
      metadata: { uid: backup.metadata.uid },
    })
  })

  it('a Database stays when its final backup fails, and reports the remedy: another backup', async () => {
    const stage = await DatabaseStage.start(server())
    await stage.create('last-2', snapshot)
    await stage.becomes('last-2', 'Ready', 'True InSync')
    await stage.startDelete('last-2')
    const first = await lastBackup(stage)
    await tellFailed(stage, first, 'StoreFull')
    expect(await stage.becomes('last-2', 'DeletionBlocked', 'True SnapshotFailed')).toBe(
      `the last backup failed; delete Backup shop/${first.metadata.name} to have another made, or to go on without a backup set ` +
        'spec.deletionPolicy to Retain or Delete (StoreFull: so)',
    )
    await stage.pass(600_000)
    expect(await isThere('last_2')).toBe(true)
    await stage.cluster.delete(Backup, `${home}/${first.metadata.name}`)
    const second = await lastBackup(stage)
    expect(second.metadata.uid).not.toBe(first.metadata.uid)
    await tellProven(stage, second, 'last-2')
    await gone(stage, 'last-2')
    expect(await isThere('last_2')).toBe(false)
  })

  it.each([
    ['Retain', true],
    ['Delete', false],
  ] as const)('a Database is deleted by %s on request while it waits', async (deletionPolicy, stays) => {
    const stage = await DatabaseStage.start(server())
    const name = `last-${deletionPolicy.toLowerCase()}`
    await stage.create(name, snapshot)
    await stage.becomes(name, 'Ready', 'True InSync')
    await stage.startDelete(name)
    await stage.becomes(name, 'DeletionBlocked', 'True SnapshotPending')
    await stage.patch(name, { spec: { deletionPolicy } })
    await gone(stage, name)
    expect(await isThere(name.replace('-', '_'))).toBe(stays)
  })

  it('a Database accepts another target when the first one was missing', async () => {
    const stage = await DatabaseStage.start(server())
    await stage.create('last-3', snapshot)
    await stage.becomes('last-3', 'Ready', 'True InSync')
    await stage.startDelete('last-3')
    const first = await lastBackup(stage)
    await tellFailed(stage, first, 'AccessDenied')
    await stage.becomes('last-3', 'DeletionBlocked', 'True SnapshotFailed')
    await stage.patch('last-3', { spec: { snapshotTarget: { pvc: { claimName: 'other' } } } })
    await stage.becomes('last-3', 'DeletionBlocked', 'True SnapshotPending')
    const backups = await stage.cluster.list(Backup, home)
    const second = backups.find(({ metadata }) => metadata.name !== first.metadata.name)
    expect(second).toMatchObject({ spec: { target: { pvc: { claimName: 'other' } } } })
    await tellProven(stage, second as LiveObject, 'last-3') // The line above waits for it.
    await gone(stage, 'last-3')
  })

  it('a Database is backed up only when no DatabaseUser uses it any more', async () => {
    const stage = await DatabaseStage.start(server())
    await stage.create('last-4', snapshot)
    await stage.becomes('last-4', 'Ready', 'True InSync')
    await stage.user('app', 'last-4')
    await stage.startDelete('last-4')
    await stage.becomes('last-4', 'DeletionBlocked', 'True HasDependents')
    await stage.pass(60_000)
    expect(await stage.cluster.list(Backup, home)).toEqual([])
    await stage.deleteUser('app')
    const backup = await lastBackup(stage)
    await tellProven(stage, backup, 'last-4')
    await gone(stage, 'last-4')
  })

  it('a Database that was never created needs no final backup', async () => {
    const stage = await DatabaseStage.start(server())
    await stage.deleteSecret('server')
    await stage.create('last-5', snapshot)
    await stage.becomes('last-5', 'Connected', 'False SecretNotFound')
    await stage.startDelete('last-5')
    await gone(stage, 'last-5')
    expect(await stage.cluster.list(Backup, home)).toEqual([])
  })

  it('a Database keeps its data when its namespace is deleted, because no backup can be created there', async () => {
    const stage = await DatabaseStage.start(server())
    await stage.create('last-6', snapshot)
    await stage.becomes('last-6', 'Ready', 'True InSync')
    await stage.cluster.delete(Namespace, home)
    await gone(stage, 'last-6')
    expect(await isThere('last_6')).toBe(true)
  })

  describe('a Database is released', () => {
    it('when it is abandoned because its server is gone', async () => {
      const stage = await DatabaseStage.start(server())
      await stage.create('last-7', snapshot)
      await stage.becomes('last-7', 'Ready', 'True InSync')
      await stage.startDelete('last-7')
      await stage.becomes('last-7', 'DeletionBlocked', 'True SnapshotPending')
      await stage.patch('last-7', { metadata: { annotations: { 'konverge.dev/abandon-external': 'true' } } })
      await gone(stage, 'last-7')
      expect(await isThere('last_7')).toBe(true)
    })
  })
})
