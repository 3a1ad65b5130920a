// Bootstrap and restore of Databases from the spec to a real server: the controllers, their Jobs, and the workers of
// these.
import { stat, truncate } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { onPostgresOf } from '../../postgres/on-each-postgres.ts'
import { SqlProxy } from '../../postgres/sql-proxy.ts'
import { RestoreScene, target } from './restore-fixture.ts'

/** The tools of this machine cannot dump newer servers. */
const newestTool = 15

onPostgresOf(
  (major) => major === newestTool,
  'a Database',
  (server) => {
    it('a Database bootstraps from a backup, and is closed before that completes', async () => {
      const scene = await sceneWith(server(), 'crm', 3)
      const folder = await scene.backup('nightly', 'crm')
      await scene.fill('crm', 5)
      let isHeld = true
      const { run } = scene
      scene.run = async (order, tools) => (isHeld ? 'works' : await run(order, tools))
      await scene.create('copy', { bootstrap: { restoreFrom: { backupRef: { name: 'nightly' } } } })
      await scene.until('a worker', async () => (await scene.jobs()).length > 0)
      await scene.pass(10_000)
      expect(await scene.status('copy')).toMatchObject({
        phase: 'Restoring',
        restore: { requestID: 'bootstrap', phase: 'Restoring' },
      })
      expect(await scene.condition('copy', 'Ready')).toMatchObject({ status: 'False', reason: 'Restoring' })
      expect(await scene.names('copy')).toEqual([])
      isHeld = false
      await scene.becomes('copy', 'Ready', 'True InSync')
      await scene.becomes('copy', 'Restored', 'True RestoreCompleted')
      expect(await scene.orders('copy')).toBe(3)
      expect(await scene.names('copy')).toEqual(['copy', 'copy_owner'])
      expect(await scene.status('copy')).toMatchObject({ phase: 'Ready', observed: { owner: 'copy_owner' } })
      // This one uses a location alone, without a Backup.
      await scene.create('other', { bootstrap: { restoreFrom: { location: { target, path: folder } } } })
      await scene.becomes('other', 'Ready', 'True InSync')
      expect(await scene.orders('other')).toBe(3)
      expect(scene.worked).toEqual(['restore bootstrap', 'restore bootstrap'])
      await scene.pass(60_000)
      expect(await scene.jobs()).toEqual([])
      expect(scene.worked).toHaveLength(2)
    })

    it('a Database is replaced by a backup, grants its users their privileges again, and can undo that', async () => {
      const scene = await sceneWith(server(), 'crm', 3)
      await scene.user('app', {})
      await scene.backup('nightly', 'crm')
      await scene.fill('crm', 5)
      const before = (await scene.status('crm')).identity
      await scene.patch('crm', { restore: { requestID: 'r1', from: { backupRef: { name: 'nightly' } } } })
      const { previous } = await scene.restored('crm', 'r1', 'Completed')
      expect(previous).toMatchObject([{ requestID: 'r1', databaseName: 'crm_old_r1' }])
      await scene.becomes('crm', 'Restored', 'True RestoreCompleted')
      await scene.until('a user who sees what was restored', () => seesOrders(scene, 3))
      await scene.until('the Database to follow', async () => {
        const { identity, phase } = await scene.status('crm')
        return identity?.databaseOID !== before?.databaseOID && phase === 'Ready'
      })
      await scene.patch('crm', { restore: { requestID: 'u1', from: { backupRef: null, previousOf: 'r1' } } })
      await scene.restored('crm', 'u1', 'Completed')
      await scene.until('a user who sees what was there before', () => seesOrders(scene, 5))
      await scene.until('the Database to follow back', async () => {
        const { identity } = await scene.status('crm')
        return identity?.databaseOID === before?.databaseOID
      })
      expect(await scene.names('crm')).toEqual(['crm', 'crm_old_u1', 'crm_owner'])
      // A completed restore does not run again.
      await scene.patch('crm', {
        restore: { requestID: 'r1', from: { backupRef: { name: 'nightly' }, previousOf: null } },
      })
      await scene.becomes('crm', 'Restored', 'Unknown RequestIDUsed')
      expect(scene.worked).toEqual(['restore r1', 'restore u1'])
      expect(await scene.orders('crm')).toBe(5)
    })

    it('a Database drops the replaced database when its retention has passed', async () => {
      const scene = await sceneWith(server(), 'crm', 3)
      await scene.backup('nightly', 'crm')
      const from = { backupRef: { name: 'nightly' } }
      await scene.patch('crm', { restore: { requestID: 'r1', from, keepPrevious: '20s' } })
      await scene.restored('crm', 'r1', 'Completed')
      await scene.pass(10_000)
      expect(await scene.names('crm')).toEqual(['crm', 'crm_old_r1', 'crm_owner'])
      await scene.until('it to be dropped', async () => (await scene.names('crm')).length === 2)
      await scene.until('it to be told', async () => (await scene.status('crm')).restore?.previous?.length === 0)
      await scene.pass(10_000)
      expect(scene.worked).toEqual(['restore r1', 'release former of r1'])
      expect(await scene.jobs()).toEqual([])
    })

    it('a Database stays unchanged when the artifact differs from its manifest', async () => {
      const scene = await sceneWith(server(), 'crm', 3)
      const file = await scene.dataFile(await scene.backup('nightly', 'crm'))
      await truncate(file, (await stat(file)).size - 1)
      const before = (await scene.status('crm')).identity
      await scene.patch('crm', { restore: { requestID: 'r1', from: { backupRef: { name: 'nightly' } } } })
      const { message } = await scene.restored('crm', 'r1', 'Failed')
      expect(message).toMatch(/bytes instead of/)
      expect(await scene.condition('crm', 'Restored')).toMatchObject({ status: 'False', reason: 'ChecksumMismatch' })
      await scene.becomes('crm', 'Ready', 'True InSync')
      expect(await scene.status('crm')).toMatchObject({ phase: 'Ready', identity: before })
      expect(await scene.names('crm')).toEqual(['crm', 'crm_owner'])
      await scene.pass(10_000)
      expect(scene.worked).toEqual(['restore r1', 'release copy of r1'])
      expect(await scene.jobs()).toEqual([])
      // A Database that bootstraps from it does not start.
      await scene.create('copy', { bootstrap: { restoreFrom: { backupRef: { name: 'nightly' } } } })
      await scene.restored('copy', 'bootstrap', 'Failed')
      const told = await scene.becomes('copy', 'Stalled', 'True ChecksumMismatch')
      expect(told).toMatch(/could not be restored: .*; nothing was made; make the Database anew, or give spec.restore/)
      expect(await scene.names('copy')).toEqual([])
      await scene.backup('other', 'crm')
      await scene.patch('copy', { restore: { requestID: 'r2', from: { backupRef: { name: 'other' } } } })
      await scene.becomes('copy', 'Ready', 'True InSync')
      expect(await scene.status('copy')).toMatchObject({ restore: { requestID: 'r2', phase: 'Completed' } })
      expect(await scene.orders('copy')).toBe(3)
    })

    it('a restored Database sets privileges and schemas that its backup lacks, also when drift is only reported', async () => {
      const scene = await sceneWith(server(), 'crm', 3)
      await scene.backup('nightly', 'crm')
      await scene.patch('crm', { driftPolicy: 'Report', schemas: [{ name: 'later' }] })
      await scene.becomes('crm', 'Ready', 'True InSync')
      await scene.user('app', { driftPolicy: 'Report' })
      await scene.patch('crm', { restore: { requestID: 'r1', from: { backupRef: { name: 'nightly' } } } })
      await scene.restored('crm', 'r1', 'Completed')
      await scene.until('a user who sees what was restored', () => seesOrders(scene, 3))
      await scene.becomes('crm', 'Ready', 'True InSync')
      expect((await scene.status('crm')).observed?.schemas).toContain('later')
      // From now on a revoked privilege is drift again.
      await scene.server.byHand('REVOKE ALL ON orders FROM app', { database: 'crm' })
      await scene.pass(400_000)
      expect(await seesOrders(scene, 3)).toBe(false)
    })

    it('a deleted Database drops the replaced database too', async () => {
      const scene = await sceneWith(server(), 'crm', 3)
      await scene.backup('nightly', 'crm')
      const from = { backupRef: { name: 'nightly' } }
      await scene.patch('crm', { deletionPolicy: 'Delete', restore: { requestID: 'r1', from } })
      await scene.restored('crm', 'r1', 'Completed')
      await scene.patch('crm', { restore: { requestID: 'r2', from } })
      await scene.restored('crm', 'r2', 'Completed')
      expect(await scene.names('crm')).toEqual(['crm', 'crm_old_r1', 'crm_old_r2', 'crm_owner'])
      await scene.goes('crm')
      expect(await scene.names('crm')).toEqual([])
    })

    it.each(['Delete', 'Retain'] as const)(
      'a deleted Database ends a running restore, with %s',
      async (deletionPolicy) => {
        const scene = await sceneWith(server(), 'crm', 3)
        await scene.backup('nightly', 'crm')
        // The worker leaves a copy and never reports.
        const { run } = scene
        scene.run = async (order, tools) => {
          if (order.work !== 'restore') return await run(order, tools)
          if ((await scene.names('crm_new')).length === 0) {
            const mark = JSON.stringify({ uid: order.restore.database.uid, generation: 1 })
            await scene.server.byHand('CREATE ROLE crm_new_r1')
            await scene.server.byHand(`COMMENT ON ROLE crm_new_r1 IS 'konverge ${mark}'`)
            await scene.server.byHand('CREATE DATABASE crm_new_r1 OWNER crm_new_r1')
          }
          return 'works'
        }
        await scene.patch('crm', {
          deletionPolicy,
          restore: { requestID: 'r1', from: { backupRef: { name: 'nightly' } } },
        })
        await scene.until('a copy', async () => (await scene.names('crm_new')).length === 2)
        await scene.goes('crm')
        expect(await scene.names('crm')).toEqual(deletionPolicy === 'Delete' ? [] : ['crm', 'crm_owner'])
        // A worker that never started leaves nothing.
        scene.run = async (order, tools) => (order.work === 'restore' ? 'works' : await run(order, tools))
        await scene.create('copy', { deletionPolicy, bootstrap: { restoreFrom: { backupRef: { name: 'nightly' } } } })
        await scene.until('a worker', async () => (await scene.jobs()).length > 0)
        const uid = (await scene.find('copy'))?.metadata.uid
        await scene.server.byHand(
          `CREATE ROLE copy_owner; COMMENT ON ROLE copy_owner IS 'konverge {"uid":"${uid}","generation":1}'`,
        )
        await scene.goes('copy')
        expect(await scene.names('copy')).toEqual([])
      },
    )

    it('a Database is restored although every worker dies after its work is done', async () => {
      const scene = await sceneWith(server(), 'crm', 3)
      await scene.backup('nightly', 'crm')
      await scene.fill('crm', 5)
      const { run } = scene
      scene.run = async (order, tools) => {
        const report = await run(order, tools)
        return order.work === 'restore' ? 'dies' : report
      }
      await scene.patch('crm', { restore: { requestID: 'r1', from: { backupRef: { name: 'nightly' } } } })
      expect(await scene.restored('crm', 'r1', 'Completed')).toMatchObject({ previous: [{ requestID: 'r1' }] })
      expect(scene.worked).toEqual(['restore r1', 'release copy of r1'])
      expect(await scene.orders('crm')).toBe(3)
    })

    it('a restore fails when every worker dies before its work is done', async () => {
      const scene = await sceneWith(server(), 'crm', 3)
      await scene.backup('nightly', 'crm')
      await scene.fill('crm', 5)
      const { run } = scene
      scene.run = async (order, tools) => (order.work === 'restore' ? 'dies' : await run(order, tools))
      await scene.patch('crm', { restore: { requestID: 'r1', from: { backupRef: { name: 'nightly' } } } })
      await scene.restored('crm', 'r1', 'Failed')
      await scene.becomes('crm', 'Restored', 'False BackoffLimitExceeded')
      expect(await scene.orders('crm')).toBe(5)
    })

    it('a restore is abandoned when its request is withdrawn, and leaves nothing behind', async () => {
      const scene = await sceneWith(server(), 'crm', 3)
      await scene.backup('nightly', 'crm')
      await scene.fill('crm', 5)
      const { run } = scene
      let [hasBegun, isHalfDone, isDead] = [false, false, false]
      const proxy = await SqlProxy.start(server().access())
      onTestFinished(() => proxy.stop())
      // The worker dies before it renames the database.
      proxy.judge = ({ text }) => {
        isDead ||= text.includes('RENAME TO')
        return isDead ? 'cutBefore' : 'pass'
      }
      scene.run = async (order, tools) => {
        if (order.work !== 'restore') return await run(order, tools)
        if (hasBegun) return 'works'
        hasBegun = true
        await run(order, { ...tools, access: proxy.access() })
        isHalfDone = true
        return 'works'
      }
      const from = { backupRef: { name: 'nightly' } }
      await scene.patch('crm', { restore: { requestID: 'r1', from } })
      await scene.until('a worker that ended half-way', async () => isHalfDone)
      expect(await scene.names('crm')).toContain('crm_new_r1')
      await scene.patch('crm', { restore: null })
      await scene.restored('crm', 'r1', 'Failed')
      await scene.becomes('crm', 'Restored', 'False Withdrawn')
      await scene.becomes('crm', 'Ready', 'True InSync')
      expect(await scene.names('crm')).toEqual(['crm', 'crm_owner'])
      expect(await scene.orders('crm')).toBe(5)
      await scene.pass(10_000)
      expect(await scene.jobs()).toEqual([])
      // The worker of another restore runs without a fault.
      scene.run = run
      await scene.patch('crm', { restore: { requestID: 'r2', from } })
      await scene.restored('crm', 'r2', 'Completed')
      expect(await scene.orders('crm')).toBe(3)
    })

    it('a restore is complete when it was withdrawn too late, and the replaced database is kept', async () => {
      const scene = await sceneWith(server(), 'crm', 3)
      await scene.backup('nightly', 'crm')
      await scene.fill('crm', 5)
      const { run } = scene
      scene.run = async (order, tools) => {
        const report = await run(order, tools)
        return order.work === 'restore' ? 'works' : report
      }
      await scene.patch('crm', {
        restore: { requestID: 'r1', from: { backupRef: { name: 'nightly' } }, keepPrevious: '0s' },
      })
      await scene.until('the swap', async () => (await scene.names('crm')).includes('crm_old_r1'))
      await scene.patch('crm', { restore: null })
      await scene.restored('crm', 'r1', 'Completed')
      await scene.pass(60_000)
      expect(await scene.names('crm')).toEqual(['crm', 'crm_old_r1', 'crm_owner'])
      expect(await scene.orders('crm')).toBe(3)
    })

    it('a restore waits for a Backup that is not created yet, and not for that of another Database', async () => {
      const scene = await sceneWith(server(), 'crm', 3)
      await scene.patch('crm', { restore: { requestID: 'r1', from: { backupRef: { name: 'late' } } } })
      expect(await scene.becomes('crm', 'Restored', 'Unknown BackupMissing')).toBe(
        'request r1: there is no Backup late',
      )
      await scene.backup('late', 'crm')
      await scene.restored('crm', 'r1', 'Completed')
      await scene.create('other')
      await scene.becomes('other', 'Ready', 'True InSync')
      await scene.patch('other', { restore: { requestID: 'r1', from: { backupRef: { name: 'late' } } } })
      await scene.becomes('other', 'Restored', 'Unknown OtherDatabase')
      await scene.patch('other', { restore: null })
      await scene.becomes('other', 'Restored', 'False Withdrawn')
      expect(await scene.names('other')).toEqual(['other', 'other_owner'])
    })
  },
)

async function seesOrders(scene: RestoreScene, count: number): Promise<boolean> {
  return scene.app('app', 'SELECT count(*)::int AS count FROM orders').then(
    ([row]) => JSON.stringify(row) === JSON.stringify({ count }),
    () => false,
  )
}

async function sceneWith(server: Parameters<typeof RestoreScene.start>[0], name: string, rows: number) {
  const scene = await RestoreScene.start(server)
  await scene.create(name)
  await scene.becomes(name, 'Ready', 'True InSync')
  await scene.fill(name, rows)
  return scene
}
