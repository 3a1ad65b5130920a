// A Migration with `preBackup` and its backup, on a real server with real workers. The test writes the status of the
// Backup as its controller would.
import { expect, it } from 'vitest'
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import { Migration } from '../../../imports/wire/migration.ts'
import { onNewestPostgres } from '../../postgres/on-each-postgres.ts'
import { lastBackup, tellFailed, tellProven } from '../database/told-backup.ts'
import { home, MigrationScene } from './migration-fixture.ts'

const databaseRef = { name: 'orders' }
const make = { name: 'make', sql: 'CREATE TABLE orders (id int PRIMARY KEY)', down: 'DROP TABLE orders' }

onNewestPostgres('a Migration that asks for a backup before its steps', (server) => {
  it('starts after a verified backup, and reports what blocks it', async () => {
    const scene = await MigrationScene.start(server(), 'orders')
    await scene.create('v1', { databaseRef, steps: [make], preBackup: {} })
    expect(await scene.becomes('v1', 'Ready', 'False SnapshotTargetMissing')).toContain(
      'Database orders has no spec.snapshotTarget',
    )
    const snapshotTarget = { pvc: { claimName: 'backups' } }
    await scene.cluster.patch(Database, `${home}/orders`, { spec: { snapshotTarget } })
    const message = await scene.becomes('v1', 'Ready', 'False BackupPending')
    const backup = await lastBackup(scene)
    expect(message).toContain(`no step is begun before Backup shop/${backup.metadata.name} is verified`)
    expect(backup).toMatchObject({
      metadata: { name: expect.stringMatching(/^orders-before-/) },
      spec: { databaseRef: { name: 'orders' }, target: snapshotTarget, verify: { mode: 'Restore' } },
    })
    expect(backup.metadata.ownerReferences).toBeUndefined()
    await tellFailed(scene, backup, 'StoreFull')
    expect(await scene.becomes('v1', 'Stalled', 'True BackupFailed')).toContain(
      `delete Backup shop/${backup.metadata.name} to have another made`,
    )
    await scene.pass(60_000)
    expect(await scene.jobs()).toEqual([])
    await tellProven(scene, backup, 'orders')
    await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
    await scene.cluster.delete(Migration, `${home}/v1`)
    await scene.until('it to be gone', async () => (await scene.cluster.find(Migration, `${home}/v1`)) === undefined)
    expect(await scene.cluster.list(Backup, home)).toHaveLength(1)
  })
})
