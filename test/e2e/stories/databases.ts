// Life of a Database and its user on a real PostgreSQL, under exactly the printed rights of `konverge install`. Both
// are created, used by an application, changed by hand, rotated and deleted. Runs on every server.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { silentInstruments } from '../../../src/base/instrument.ts'
import { systemSecrets } from '../../../src/base/random.ts'
import { workOnMigration } from '../../../src/controllers/migration/migration-worker.ts'
import { orderDigest, workerOrderIn } from '../../../src/controllers/migration/worker-order.ts'
import { reviewHere } from '../../controllers/migration/review-here.ts'
import { openLabels } from '../../controllers/open-labels.ts'
import { makePostgresHome, type PostgresHome, removePostgresHome } from '../../postgres/postgres-home.ts'
import { PostgresServer } from '../../postgres/postgres-server.ts'
import { SqlProxy } from '../../postgres/sql-proxy.ts'
import type { StoryOperator, StoryServer } from '../story-server.ts'

const inSync = 'True InSync'
const apiVersion = 'data.konverge.dev/v1alpha1'
/** Shortest permitted interval. */
const annotations = { 'konverge.dev/reconcile-interval': '10s' }
/** The status shows a stopped server after 30 s, and its return within a minute. */
const limitMs = 300_000

export function describeDatabases(startServer: () => Promise<StoryServer>): void {
  describe('a Database and its user', { timeout: limitMs }, () => {
    const namespace = `databases-${randomBytes(3).toString('hex')}`
    let home: PostgresHome
    let postgres: PostgresServer
    let proxy: SqlProxy
    let server: StoryServer
    let operator: StoryOperator

    beforeAll(async () => {
      home = await makePostgresHome()
      postgres = await PostgresServer.start(home)
      proxy = await SqlProxy.start(postgres.access())
      server = await startServer()
      await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
      operator = await server.startOperator(namespace)
    })
    afterAll(async () => {
      await operator?.stop()
      await server?.stop()
      await proxy?.stop()
      await postgres?.remove()
      if (home !== undefined) await removePostgresHome(home)
    })

    it('are created, show it in their columns, and an application logs in with the Secret', async () => {
      const { host, username, password } = postgres.access()
      const connection = { host, port: String(proxy.port), username, password }
      await server.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'postgres-admin', namespace, labels: openLabels },
        data: Object.fromEntries(
          Object.entries(connection).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
        ),
      })
      const provider = { server: { connectionSecretRef: { name: 'postgres-admin' }, sslMode: 'disable' } }
      await server.apply(
        ofKind('Database', 'crm', { provider, deletionPolicy: 'Delete' }),
        ofKind('DatabaseUser', 'app', {
          databases: [{ name: 'crm', access: 'ReadWrite' }],
          password: { generate: {} },
          rotation: { interval: '2h', strategy: 'DualRole', overlap: '1h' },
        }),
      )
      await until('both to be in sync', async () => `${await standings()}` === `${[inSync, inSync]}`)
      expect(await columns('databases/crm', ['Database', 'Provider'])).toEqual(['crm', 'Server'])
      expect(await columns('databaseusers/app', ['Role', 'Databases', 'Access'])).toEqual(['app', 1, 'ReadWrite'])
      expect(await asApplication()).toEqual([{ group: 'app', login: 'app_a' }])
    })

    it('are corrected at the next observation after a change by hand', async () => {
      await postgres.byHand('ALTER DATABASE crm OWNER TO postgres; REVOKE app FROM app_a')
      const isRight = `SELECT FROM pg_database WHERE datname = 'crm' AND pg_get_userbyid(datdba) = 'crm_owner'
                         AND pg_has_role('app_a', 'app', 'MEMBER')`
      await until('both to be right', async () => (await postgres.byHand(isRight)).length === 1)
      expect(await asApplication()).toEqual([{ group: 'app', login: 'app_a' }])
    })

    it('report a stopped server, and its return', async () => {
      await postgres.stop()
      const areTold = async () => (await standings()).every((standing) => /^False (Server|Dependency)/.test(standing))
      // A ready resource stays Ready for half a minute.
      await until('both to tell it', areTold, 90_000)
      await postgres.start()
      await until('both to be in sync', async () => `${await standings()}` === `${[inSync, inSync]}`, 150_000)
    })

    it('rotate the password by a second role, and the first logs in during the overlap', async () => {
      const before = await values()
      await server.patch(placeOf('dbu', 'app'), { spec: { rotation: { trigger: 'now' } } })
      await until('the second role', async () => (await values())['username'] === 'app_b')
      expect(await asApplication()).toEqual([{ group: 'app', login: 'app_b' }])
      expect(await asApplication(before)).toEqual([{ group: 'app', login: 'app_a' }])
    })

    it('are migrated by a Job that is suspended on request and keeps its template', async () => {
      const steps = [{ name: 'bills', sql: 'CREATE TABLE bills (id int PRIMARY KEY)' }]
      await server.apply(ofKind('Migration', 'crm-v1', { databaseRef: { name: 'crm' }, suspend: true, steps }))
      const jobs = async () => (await server.list('job', namespace)) as readonly JobObject[]
      await until('its Job', async () => (await jobs())[0]?.spec.suspend === true)
      const [job] = await jobs()
      const name = job?.metadata.name ?? ''
      await until('it to say so', async () => {
        return `${await columns('migrations/crm-v1', ['Phase', 'Reason'])}` === 'Pending,Suspended'
      })
      // Pods are simulated here, so the test does the worker's work.
      const order = (await server.get(placeOf('configmap', name))) as { readonly data: Record<string, string> }
      expect(await workOn(order.data['order.json'] ?? '')).toMatchObject({ outcome: 'Completed' })
      await server.patch(placeOf('mig', 'crm-v1'), { spec: { suspend: false } })
      await until('the Job to go on', async () => (await jobs())[0]?.spec.suspend === false)
      const [going] = await jobs()
      expect(going?.metadata.uid).toBe(job?.metadata.uid)
      expect(going?.spec.template.spec).toEqual(job?.spec.template.spec)
      await until('it to be completed', async () => {
        return `${await columns('migrations/crm-v1', ['Phase', 'Steps'])}` === 'Completed,1/1'
      })
      await server.delete(placeOf('mig', 'crm-v1'))
      await until('its Job to go', async () => (await jobs()).length === 0)
      await until('its order to go', async () => (await server.get(placeOf('configmap', name))) === undefined)
    })

    it('are deleted in order: the Database waits for its user, and the server keeps nothing of both', async () => {
      await server.delete(placeOf('db', 'crm'), { waits: false })
      await until('the Database to wait', async () => {
        const { status } = (await server.get(placeOf('db', 'crm'))) as Conditioned
        return status.conditions.some(({ type, reason }) => type === 'DeletionBlocked' && reason === 'HasDependents')
      })
      await server.delete(placeOf('dbu', 'app'))
      await until('the Database to go', async () => (await server.get(placeOf('db', 'crm'))) === undefined)
      expect(await postgres.byHand(`SELECT FROM pg_database WHERE datname = 'crm'`)).toEqual([])
      expect(await postgres.byHand(`SELECT FROM pg_roles WHERE rolname ~ '^(app|crm)'`)).toEqual([])
      expect(await server.get(placeOf('secret', 'app-db'))).toBeUndefined()
      expect(await server.refusals()).toEqual([])
    })

    /** Does the work of a worker whose pod has the server's Secret. */
    async function workOn(text: string) {
      const order = workerOrderIn(text, orderDigest(text))
      if (order === undefined) throw new Error(`this is no order: ${text}`)
      const accesses = new Map([[order.target.folder, postgres.access()]])
      const { log } = silentInstruments
      const work = { order, accesses, clock: systemClock, secrets: systemSecrets, log, review: reviewHere }
      return await workOnMigration(work, new AbortController().signal)
    }

    function ofKind(kind: string, name: string, spec: object): object {
      return { apiVersion, kind, metadata: { name, namespace, annotations }, spec }
    }

    function placeOf(kind: string, name: string) {
      return { namespace, kind, name }
    }

    async function until(what: string, isSo: () => Promise<boolean>, limitMs = 120_000): Promise<void> {
      await server.until({ what, limitMs }, async () => {
        await serversAnswer()
        return await isSo()
      })
    }

    /**
     * Waits in real time while the simulated clock stops, so that PostgreSQL responds and its responses arrive.
     */
    async function serversAnswer(): Promise<void> {
      const startMs = performance.now()
      const isOver = () => performance.now() - startMs > 10 && !proxy.isServerAtWork
      while (!isOver()) await new Promise((resolve) => setImmediate(resolve))
    }

    /** Returns READY and REASON of both. */
    async function standings(): Promise<readonly string[]> {
      const both = ['databases/crm', 'databaseusers/app'].map((path) => columns(path, ['Ready', 'Reason']))
      return (await Promise.all(both)).map((cells) => cells.join(' '))
    }

    /** Returns the columns as kubectl shows them. */
    async function columns(resource: string, titles: readonly string[]): Promise<readonly unknown[]> {
      const path = `/apis/${apiVersion}/namespaces/${namespace}/${resource}`
      const { text } = await server.request({
        method: 'GET',
        path,
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      })
      const { columnDefinitions, rows }: Table = JSON.parse(text)
      return titles.map((title) => rows[0]?.cells[columnDefinitions.findIndex(({ name }) => name === title)])
    }

    /** Returns the values of the application's Secret. */
    async function values(): Promise<Readonly<Record<string, string>>> {
      const { data } = (await server.get(placeOf('secret', 'app-db'))) as { readonly data: Record<string, string> }
      return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
      )
    }

    async function asApplication(held?: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
      const { username = '', password = '', database = '' } = held ?? (await values())
      const who = 'SELECT current_user AS group, session_user AS login'
      return await postgres.byHand(who, { user: username, password, database })
    }
  })
}

/** Fields of batch/v1. */
interface JobObject {
  readonly metadata: { readonly name: string; readonly uid: string }
  readonly spec: { readonly suspend: boolean; readonly template: { readonly spec: object } }
}

/** Fields that the test reads, as in crds/. */
interface Conditioned {
  readonly status: { readonly conditions: readonly { readonly type: string; readonly reason: string }[] }
}

/** Form of meta.k8s.io/v1. */
interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[]
  readonly rows: readonly { readonly cells: readonly unknown[] }[]
}
