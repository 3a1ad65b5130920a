// Migrations with the controllers of Database and Migration and with real workers. Invariant: the status matches the
// database, whatever happens to either.
// Other tests run the steps on every version of PostgreSQL.
import { describe, expect, it } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { Migration } from '../../../imports/wire/migration.ts'
import { cutoverAnnotation } from '../../../src/controllers/migration/desired-worker.ts'
import { ConfigMap, Event, Job, Pod } from '../../../src/index.ts'
import { onNewestPostgres } from '../../postgres/on-each-postgres.ts'
import { home, MigrationScene } from './migration-fixture.ts'

const limitMs = 120_000
const databaseRef = { name: 'orders' }
const make = { name: 'make', sql: 'CREATE TABLE orders (id int PRIMARY KEY)', down: 'DROP TABLE orders' }
const fill = {
  name: 'fill',
  sql: 'INSERT INTO orders SELECT generate_series(1, 10)',
  verify: { sql: 'SELECT count(*) FROM orders', expect: '10' },
}
const index = {
  name: 'index',
  sql: 'CREATE INDEX CONCURRENTLY orders_id ON orders (id)',
  transaction: false,
  verify: { sql: "SELECT indisvalid FROM pg_index WHERE indexrelid = 'orders_id'::regclass", expect: 't' },
}

onNewestPostgres(
  'a Migration',
  (server) => {
    describe('with three steps', { timeout: limitMs }, () => {
      it('runs as the owner of the database, and reports its result', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        await scene.create('v1', { databaseRef, steps: [make, fill, index] })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        const status = await scene.status('v1')
        expect(status).toMatchObject({ phase: 'Completed', progress: '3/3' })
        expect(status.steps?.map(({ name, state, attempts }) => `${name} ${state} ${attempts}`)).toEqual([
          'make Applied 1',
          'fill Applied 1',
          'index Applied 1',
        ])
        expect((await scene.condition('v1', 'SchemaValidated'))?.reason).toBe('Parsed')
        expect((await scene.condition('v1', 'Ready'))?.status).toBe('True')
        const owner = "SELECT pg_get_userbyid(relowner) AS owner FROM pg_class WHERE relname = 'orders'"
        expect(await scene.byHand('orders', owner)).toEqual([{ owner: 'orders_owner' }])
      })

      it('applies again the steps that a restored database lacks', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        await scene.create('v1', { databaseRef, steps: [make, fill] })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        await scene.byHand('orders', "DELETE FROM _konverge.migration_steps WHERE name = 'fill'; DELETE FROM orders")
        await scene.until(
          'the rows to be there again',
          async () => {
            return (await scene.byHand('orders', 'SELECT FROM orders')).length === 10
          },
          900_000,
        )
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        expect((await scene.jobs()).length).toBe(1)
      })

      it('applies again the steps that a database lacks after a restore to a time before a failed step', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        const wrong = { name: 'wrong', sql: 'INSERT INTO orders VALUES (1)' }
        await scene.create('v1', { databaseRef, steps: [make, fill, wrong] })
        await scene.becomes('v1', 'Stalled', 'True StepFailed')
        await scene.byHand('orders', 'DROP TABLE orders; DELETE FROM _konverge.migration_steps')
        const isThere = async () =>
          (await scene.byHand('orders', "SELECT FROM pg_class WHERE relname = 'orders'")).length
        await scene.until('the table to be there again', async () => (await isThere()) === 1, 900_000)
        await scene.becomes('v1', 'Stalled', 'True StepFailed')
        expect((await scene.status('v1')).steps?.map(({ state }) => state)).toEqual(['Applied', 'Applied', 'Failed'])
      })

      it('continues with added steps, and leaves the applied ones alone', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        await scene.create('v1', { databaseRef, steps: [make] })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        await scene.patch('v1', { spec: { steps: [make, fill] } })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        expect((await scene.status('v1')).progress).toBe('2/2')
      })

      it('copies from another database, and reports the number of rows', async () => {
        const scene = await MigrationScene.start(server(), 'orders', 'old')
        await scene.byHand('old', 'CREATE TABLE orders AS SELECT generate_series(1, 30) AS id')
        await scene.byHand('old', 'ALTER TABLE orders ADD PRIMARY KEY (id)')
        const rows = {
          name: 'rows',
          type: 'Copy',
          copy: { from: { name: 'old' }, tables: ['orders'], batchRows: 7 },
        } as const
        await scene.create('v1', { databaseRef, steps: [make, rows] })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        expect(await scene.condition('v1', 'DataCopied')).toMatchObject({
          status: 'True',
          message: '30 rows are copied, and compared',
        })
        expect((await scene.status('v1')).steps?.[1]).toMatchObject({ rowsCopied: 30 })
        expect(await scene.byHand('orders', 'SELECT FROM orders')).toHaveLength(30)
      })

      it('no longer needs the source database when all its rows are copied', async () => {
        const scene = await MigrationScene.start(server(), 'orders', 'old')
        await scene.byHand('old', 'CREATE TABLE orders (id int PRIMARY KEY); INSERT INTO orders VALUES (1)')
        const steps = [
          make,
          { name: 'rows', type: 'Copy', copy: { from: { name: 'old' }, tables: ['orders'] } } as const,
        ]
        await scene.create('v1', { databaseRef, steps })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        await scene.cluster.delete(Database, `${home}/old`)
        const isGone = async () => (await scene.cluster.find(Database, `${home}/old`)) === undefined
        await scene.until('the source to be gone', isGone)
        const more = [...steps, { name: 'later', sql: 'CREATE TABLE later ()' }]
        await scene.patch('v1', { spec: { steps: more } })
        await scene.until('all three steps', async () => (await scene.status('v1')).progress === '3/3')
        await scene.becomes('v1', 'Ready', 'True AllStepsVerified')
        const before = await scene.condition('v1', 'Ready')
        await scene.restart()
        await scene.pass(60_000)
        expect(await scene.condition('v1', 'Ready')).toEqual(before)
        await scene.cluster.delete(Migration, `${home}/v1`)
        await scene.until(
          'it to be gone',
          async () => (await scene.cluster.find(Migration, `${home}/v1`)) === undefined,
        )
        await scene.create('v1', { databaseRef, steps: more })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        await scene.byHand('orders', "DELETE FROM _konverge.migration_steps WHERE name IN ('rows', 'later')")
        await scene.becomes('v1', 'Ready', 'False DatabaseMissing')
      })

      it('replicates from another database until the approval that its writers have stopped', async () => {
        const scene = await MigrationScene.start(server(), 'orders', 'old')
        await scene.byHand('old', 'CREATE TABLE orders AS SELECT generate_series(1, 30) AS id')
        await scene.byHand('old', 'ALTER TABLE orders ADD PRIMARY KEY (id)')
        const copy = { from: { name: 'old' }, tables: ['orders'], mode: 'Logical' } as const
        const steps = [make, { name: 'rows', type: 'Copy', copy } as const]
        await scene.create('v1', { databaseRef, steps }, { [cutoverAnnotation]: 'rows' })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        expect((await scene.status('v1')).steps?.[1]).toMatchObject({ rowsCopied: 30 })
        expect(await scene.byHand('orders', 'SELECT FROM orders')).toHaveLength(30)
        const left =
          'SELECT FROM pg_replication_slots UNION ALL SELECT FROM pg_publication UNION ALL SELECT FROM pg_subscription'
        expect(await scene.byHand('old', left)).toEqual([])
      })

      it('removes a replication when its step is replaced, as soon as the source is reachable', async () => {
        const scene = await MigrationScene.start(server(), 'orders', 'old')
        await scene.byHand('old', 'CREATE TABLE orders (id int PRIMARY KEY); CREATE TABLE more (id int PRIMARY KEY)')
        const steps = [
          { name: 'make', sql: 'CREATE TABLE orders (id int PRIMARY KEY); CREATE TABLE more (id int PRIMARY KEY)' },
          // The database stays the source of a completed copy.
          { name: 'more', type: 'Copy', copy: { from: { name: 'old' }, tables: ['more'] } } as const,
        ]
        const copy = { from: { name: 'old' }, tables: ['orders'], mode: 'Logical' } as const
        await scene.create('v1', { databaseRef, steps: [...steps, { name: 'rows', type: 'Copy', copy }] })
        const isFollowing = async () => (await scene.condition('v1', 'DataCopied'))?.reason === 'Following'
        await scene.until('the copy to follow', isFollowing)
        const reachBy = (secret: string) =>
          scene.cluster.patch(Database, `${home}/old`, {
            spec: { provider: { server: { connectionSecretRef: { name: secret } } } },
          })
        await reachBy('nowhere')
        await scene.becomes('v1', 'Ready', 'False SecretNotFound')
        await scene.patch('v1', { spec: { steps: [...steps, { name: 'rows', sql: 'SELECT 1' }] } })
        await scene.becomes('v1', 'Ready', 'False SecretNotFound')
        await reachBy('server')
        const parts =
          "SELECT FROM pg_replication_slots UNION ALL SELECT FROM pg_publication UNION ALL SELECT FROM pg_subscription UNION ALL SELECT FROM pg_roles WHERE rolname LIKE 'konverge%'"
        await scene.until('nothing to be left', async () => (await scene.byHand('old', parts)).length === 0)
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
      })

      it('continues a logical copy when its unapproved replacement is reverted', async () => {
        const scene = await MigrationScene.start(server(), 'orders', 'old')
        await scene.byHand('old', 'CREATE TABLE orders AS SELECT generate_series(1, 30) AS id')
        await scene.byHand('old', 'ALTER TABLE orders ADD PRIMARY KEY (id)')
        const copy = { from: { name: 'old' }, tables: ['orders'], mode: 'Logical' } as const
        const steps = [make, { name: 'rows', type: 'Copy', copy } as const]
        await scene.create('v1', { databaseRef, steps })
        const isFollowing = async () => (await scene.condition('v1', 'DataCopied'))?.reason === 'Following'
        await scene.until('the copy to follow', isFollowing)
        await scene.patch('v1', { spec: { approval: 'Manual', steps: [make, { name: 'rows', sql: 'SELECT 1' }] } })
        await scene.becomes('v1', 'Stalled', 'True AwaitingApproval')
        expect((await scene.condition('v1', 'Stalled'))?.message).toContain(
          `replication for rows (from Database ${home}/old) is kept`,
        )
        await scene.until('no worker to be wanted', async () => (await scene.jobs()).length === 0)
        await scene.pass(60_000)
        expect(await scene.jobs()).toEqual([])
        const parts =
          'SELECT FROM pg_replication_slots UNION ALL SELECT FROM pg_publication UNION ALL SELECT FROM pg_subscription'
        expect(await scene.byHand('old', parts)).toHaveLength(3)
        await scene.patch('v1', { spec: { approval: 'Auto', steps } })
        await scene.becomes('v1', 'DataCopied', 'False Following')
        // The worker finds the source at another address than the earlier worker.
        await scene.byHand('old', 'INSERT INTO orders VALUES (31)')
        await scene.patch('v1', { metadata: { annotations: { [cutoverAnnotation]: 'rows' } } })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        expect(await scene.byHand('orders', 'SELECT FROM orders')).toHaveLength(31)
        expect(await scene.byHand('old', parts)).toEqual([])
      })

      it('shows the password of the server to no other object', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        await scene.create('v1', { databaseRef, steps: [make, { name: 'wrong', sql: 'SELECT 1/0' }] })
        await scene.becomes('v1', 'Stalled', 'True StepFailed')
        const { password } = server().access()
        const kinds = [Job, ConfigMap, Pod, Migration, Event]
        const objects = await Promise.all(kinds.map((kind) => scene.cluster.list(kind, home)))
        expect(objects.map((found) => found.length > 0)).toEqual([true, true, true, true, true])
        expect(JSON.stringify(objects)).not.toContain(password)
      })

      it('leaves all applied steps when it is deleted', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        await scene.create('v1', { databaseRef, steps: [make, fill] })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        await scene.cluster.delete(Migration, `${home}/v1`)
        await scene.until(
          'it to be gone',
          async () => (await scene.cluster.find(Migration, `${home}/v1`)) === undefined,
        )
        expect(await scene.jobs()).toEqual([])
        expect(await scene.byHand('orders', 'SELECT FROM orders')).toHaveLength(10)
        // A Migration of the same name finds its markers.
        await scene.create('v1', { databaseRef, steps: [make, fill] })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        expect((await scene.status('v1')).steps?.map(({ attempts }) => attempts)).toEqual([1, 1])
      })
    })

    describe('that is blocked', { timeout: limitMs }, () => {
      it('reports the error of the grammar, and starts no worker', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        await scene.create('v1', { databaseRef, steps: [{ name: 'wrong', sql: 'CREATE\nTABEL orders ()' }] })
        const message = await scene.becomes('v1', 'SchemaValidated', 'False ParseError')
        expect(message).toMatch(/^step wrong, sql 2:1: syntax error/)
        await scene.becomes('v1', 'Stalled', 'True ParseError')
        expect(await scene.jobs()).toEqual([])
      })

      it('reports the error of the server, and continues on a requested retry', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        const steps = [make, { name: 'twice', sql: 'INSERT INTO orders SELECT id FROM seeds' }]
        await scene.create('v1', { databaseRef, steps })
        const message = await scene.becomes('v1', 'Stalled', 'True StepFailed')
        expect(message).toBe('step twice: 42P01 relation "seeds" does not exist')
        expect(await scene.status('v1')).toMatchObject({ phase: 'Failed', progress: '1/2', currentStep: 'twice' })
        await scene.byHand('orders', 'CREATE TABLE seeds AS SELECT 1 AS id; GRANT SELECT ON seeds TO PUBLIC')
        await scene.pass(10_000)
        expect((await scene.condition('v1', 'Completed'))?.status).toBe('False')
        await scene.patch('v1', { spec: { retry: 'seeds are there' } })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
      })

      it('changes nothing when the rehearsal fails', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        const steps = [make, { name: 'wrong', sql: 'SELECT 1/0' }]
        await scene.create('v1', { databaseRef, steps, schemaValidation: { dryRun: 'Rollback' } })
        const message = await scene.becomes('v1', 'SchemaValidated', 'False RehearsalFailed')
        expect(message).toBe('step wrong: 22012 division by zero')
        expect((await scene.status('v1')).steps?.map(({ state }) => state)).toEqual(['Pending', 'Pending'])
        expect(await scene.byHand('orders', "SELECT to_regclass('orders') AS found")).toEqual([{ found: null }])
      })

      it('compensates its applied steps on request', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        const steps = [make, { name: 'wrong', sql: 'SELECT 1/0' }]
        await scene.create('v1', { databaseRef, steps, onFailure: 'RunDown' })
        await scene.becomes('v1', 'Stalled', 'True StepFailed')
        expect((await scene.status('v1')).steps?.map(({ state }) => state)).toEqual(['Undone', 'Failed'])
      })

      it('rejects an applied step with another text', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        await scene.create('v1', { databaseRef, steps: [make] })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        await scene.patch('v1', { spec: { steps: [{ ...make, sql: 'CREATE TABLE orders ()' }] } })
        await scene.becomes('v1', 'Stalled', 'True ChecksumChanged')
        expect(await scene.jobs()).toEqual([])
      })

      it('reports a recorded step whose effect is missing', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        await scene.create('v1', { databaseRef, steps: [make, fill] })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
        await scene.byHand('orders', 'DELETE FROM orders WHERE id = 1')
        await scene.patch('v1', { spec: { retry: 'look again' } })
        expect(await scene.becomes('v1', 'Stalled', 'True RecordedButAbsent')).toContain('step fill is recorded')
      })

      it('waits for the approval of this plan hash', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        await scene.create('v1', { databaseRef, steps: [make], approval: 'Manual' })
        await scene.becomes('v1', 'Stalled', 'True AwaitingApproval')
        const approve = (plan: string | undefined) =>
          scene.patch('v1', { metadata: { annotations: { 'data.konverge.dev/approve': plan } } })
        await approve('another')
        await scene.pass(5_000)
        expect(await scene.jobs()).toEqual([])
        await approve((await scene.status('v1')).planHash)
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
      })

      it('waits for the text of a step, and checks its checksum', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        const sha256 = 'a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e'
        const configMapKeyRef = { name: 'texts', key: 'make.sql', sha256 }
        await scene.create('v1', { databaseRef, steps: [{ name: 'make', configMapKeyRef }] })
        await scene.becomes('v1', 'SchemaValidated', 'False SourceMissing')
        const metadata = { name: 'texts', namespace: home }
        await scene.cluster.create(ConfigMap, { metadata, data: { 'make.sql': 'SELECT 1' } })
        expect(await scene.becomes('v1', 'SchemaValidated', 'False SourceChanged')).toContain('has the sha256 e004')
      })

      it('waits for its Database, also after a deletion of that', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        await scene.create('v1', { databaseRef: { name: 'later' }, steps: [make] })
        await scene.becomes('v1', 'Ready', 'False DatabaseMissing')
        await scene.create('v2', { databaseRef, steps: [make] })
        await scene.becomes('v2', 'Completed', 'True AllStepsVerified')
        await scene.cluster.delete(Database, `${home}/orders`)
        await scene.becomes('v2', 'Ready', 'False DatabaseMissing')
        expect(await scene.status('v2')).toMatchObject({ phase: 'Pending', progress: '1/1' })
      })

      it('starts nothing while it is suspended', async () => {
        const scene = await MigrationScene.start(server(), 'orders')
        await scene.create('v1', { databaseRef, steps: [make], suspend: true })
        await scene.becomes('v1', 'Ready', 'False Suspended')
        await scene.pass(5_000)
        expect(await scene.byHand('orders', "SELECT to_regclass('orders') AS found")).toEqual([{ found: null }])
        await scene.patch('v1', { spec: { suspend: false } })
        await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
      })
    })

    it('makes another Migration of the same database wait', { timeout: limitMs }, async () => {
      const scene = await MigrationScene.start(server(), 'orders')
      const slow = { name: 'slow', sql: 'SELECT pg_sleep(1)' }
      await scene.create('v1', { databaseRef, steps: [slow] })
      await scene.create('v2', { databaseRef, steps: [make] })
      await scene.becomes('v1', 'Completed', 'True AllStepsVerified')
      await scene.becomes('v2', 'Completed', 'True AllStepsVerified')
    })
  },
  { settings: { wal_level: 'logical' } },
)
