// Deletion of a Migration during a logical copy, with real workers and databases of one server. Invariant: the
// replication is removed, or the status reports what blocks it.
import { expect, it, onTestFinished } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { Migration } from '../../../imports/wire/migration.ts'
import { Event, Namespace } from '../../../src/index.ts'
import { onNewestPostgres } from '../../postgres/on-each-postgres.ts'
import { home, MigrationScene } from './migration-fixture.ts'

const limitMs = 180_000
const make = { name: 'make', sql: 'CREATE TABLE orders (id int PRIMARY KEY)' }
const copy = { from: { name: 'old' }, tables: ['orders'], mode: 'Logical' } as const
const steps = [make, { name: 'rows', type: 'Copy', copy } as const]

/** Names of the remains of a replication on the server. */
const parts = `SELECT slot_name AS part FROM pg_replication_slots UNION SELECT pubname FROM pg_publication
  UNION SELECT subname FROM pg_subscription UNION SELECT rolname FROM pg_roles WHERE rolname LIKE 'konverge%'`

onNewestPostgres(
  'a Migration whose copy follows',
  (server) => {
    const following = async (): Promise<MigrationScene> => {
      const scene = await MigrationScene.start(server(), 'orders', 'old')
      onTestFinished(() => dropLeft(scene))
      await scene.byHand('old', 'CREATE TABLE orders (id int PRIMARY KEY)')
      await scene.create('v1', { databaseRef: { name: 'orders' }, steps })
      const isFollowing = async () => (await scene.condition('v1', 'DataCopied'))?.reason === 'Following'
      await scene.until('the copy to follow', isFollowing)
      return scene
    }
    /** Drops what a test has left on purpose, because the next test uses the same names. */
    const dropLeft = async (scene: MigrationScene) => {
      const subscriptions = await scene.byHand('old', 'SELECT subname FROM pg_subscription')
      for (const { subname } of subscriptions) {
        const name = String(subname)
        await scene.byHand('orders', `ALTER SUBSCRIPTION ${name} DISABLE`)
        await scene.byHand('orders', `ALTER SUBSCRIPTION ${name} SET (slot_name = NONE)`)
        await scene.byHand('orders', `DROP SUBSCRIPTION ${name}`)
      }
      for (const part of await leftIn(scene)) {
        await scene.byHand('old', `DROP PUBLICATION IF EXISTS ${part}`)
        const text = `SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE active;
          SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '${part}'`
        await scene.byHand('old', text)
        const isLogin = await scene.byHand('old', `SELECT FROM pg_roles WHERE rolname = '${part}'`)
        if (isLogin.length > 0) await scene.byHand('old', `DROP OWNED BY ${part}; DROP ROLE ${part}`)
      }
    }
    const isGone = async (scene: MigrationScene) => (await scene.cluster.find(Migration, `${home}/v1`)) === undefined
    const leftIn = async (scene: MigrationScene) => (await scene.byHand('old', parts)).map(({ part }) => String(part))
    /** Deletes the Database, and clears the recorded server. */
    const loseDatabase = async (scene: MigrationScene, name: string) => {
      await scene.cluster.patch(Database, `${home}/${name}`, { spec: { deletionPolicy: 'Retain' } })
      await scene.cluster.delete(Database, `${home}/${name}`)
      const isLost = async () => (await scene.cluster.find(Database, `${home}/${name}`)) === undefined
      await scene.until(`Database ${name} to be gone`, isLost)
    }

    it('removes the replication, whenever the operator or a worker dies', { timeout: limitMs }, async () => {
      const scene = await following()
      expect(await leftIn(scene)).not.toEqual([])
      let statements = 0
      scene.judgeWorker = () => {
        statements += 1
        return statements % 12 === 0 && scene.deaths < 4 ? 'dieBefore' : 'pass'
      }
      await scene.cluster.delete(Migration, `${home}/v1`)
      for (let turn = 0; turn < 3; turn += 1) {
        await scene.pass(1_000)
        await scene.restart()
      }
      await scene.until('it to be gone', async () => isGone(scene), 3_600_000)
      expect(await leftIn(scene)).toEqual([])
      expect(await scene.jobs()).toEqual([])
      expect(scene.deaths).toBeGreaterThan(3)
    })

    it('releases its Database, which waited for that', { timeout: limitMs }, async () => {
      const scene = await following()
      await scene.cluster.patch(Database, `${home}/orders`, { spec: { deletionPolicy: 'Delete' } })
      await scene.cluster.delete(Database, `${home}/orders`)
      await scene.pass(10_000)
      expect(await scene.cluster.find(Database, `${home}/orders`)).toBeDefined()
      await scene.cluster.delete(Migration, `${home}/v1`)
      await scene.until('it to be gone', async () => isGone(scene))
      const isDropped = async () => (await scene.cluster.find(Database, `${home}/orders`)) === undefined
      await scene.until('the Database to be gone', isDropped)
      expect(await leftIn(scene)).toEqual([])
    })

    it('waits for an unknown source, reports what is left there, and continues when it is known', {
      timeout: limitMs,
    }, async () => {
      const scene = await following()
      await loseDatabase(scene, 'old')
      await scene.cluster.delete(Migration, `${home}/v1`)
      const message = await scene.becomes('v1', 'Stalled', 'True ReplicationLeft')
      const [slot = ''] = await leftIn(scene)
      expect(message).toContain(slot)
      expect(message).toContain('Database shop/old')
      expect(message).toContain('konverge.dev/abandon-external')
      const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } }
      await scene.cluster.create(Database, {
        metadata: { name: 'old', namespace: home, annotations: { 'konverge.dev/adopt': 'true' } },
        spec: { provider },
      })
      await scene.until('it to be gone', async () => isGone(scene), 1_800_000)
      expect(await leftIn(scene)).toEqual([])
    })

    it('waits for an unknown target, and is removed without it on request, with a report', {
      timeout: limitMs,
    }, async () => {
      const scene = await following()
      await loseDatabase(scene, 'orders')
      await scene.cluster.delete(Migration, `${home}/v1`)
      const message = await scene.becomes('v1', 'Stalled', 'True ReplicationLeft')
      const left = await leftIn(scene)
      expect(left).not.toEqual([])
      expect(message).toContain(left[0])
      await scene.patch('v1', { metadata: { annotations: { 'konverge.dev/abandon-external': 'true' } } })
      await scene.until('it to be gone', async () => isGone(scene))
      expect(await leftIn(scene)).toEqual(left)
      const events = await scene.cluster.list(Event, home)
      expect(JSON.stringify(events)).toContain(`${left[0]}`)
      await scene.byHand(
        'orders',
        `ALTER SUBSCRIPTION ${left[0]} DISABLE; ALTER SUBSCRIPTION ${left[0]} SET (slot_name = NONE); DROP SUBSCRIPTION ${left[0]}`,
      )
      await scene.byHand('old', `SELECT pg_drop_replication_slot('${left[0]}')`).catch(() => undefined)
    })

    it('does not block its namespace', { timeout: limitMs }, async () => {
      const scene = await following()
      await loseDatabase(scene, 'orders')
      await scene.cluster.delete(Namespace, home)
      await scene.until('it to be gone', async () => isGone(scene))
    })

    it('is removed immediately when no work was started', { timeout: limitMs }, async () => {
      const scene = await MigrationScene.start(server(), 'orders')
      await scene.create('v1', { databaseRef: { name: 'nowhere' }, steps })
      await scene.becomes('v1', 'Ready', 'False DatabaseMissing')
      await scene.cluster.delete(Migration, `${home}/v1`)
      await scene.until('it to be gone', async () => isGone(scene), 5_000)
      expect(await scene.jobs()).toEqual([])
    })
  },
  { settings: { wal_level: 'logical' } },
)
