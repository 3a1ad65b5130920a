// Databases of all providers, each with a user, under exactly the rights that `konverge install` prints. They are
// created, used, grown, and deleted before, with and after their users. Runs on every server; a real PostgreSQL serves
// for simulated pods.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLabels } from '../../controllers/open-labels.ts'
import { makePostgresHome, type PostgresHome, removePostgresHome } from '../../postgres/postgres-home.ts'
import { PostgresServer } from '../../postgres/postgres-server.ts'
import { MotoServer } from '../../rds/moto-server.ts'
import { RdsProxy } from '../../rds/rds-proxy.ts'
import { PodPostgres, secretValues } from '../pod-postgres.ts'
import type { Place, StoryOperator, StoryServer } from '../story-server.ts'

const apiVersion = 'data.konverge.dev/v1alpha1'
/** Shortest permitted interval. */
const annotations = { 'konverge.dev/reconcile-interval': '10s' }
/** Environment variable that overrides the address of the AWS SDK; operators in their own processes inherit it. */
const endpointVariable = 'AWS_ENDPOINT_URL_RDS'
/** The first run on a machine installs moto. */
const startLimitMs = 11 * 60_000
const limitMs = 300_000
/**
 * By the server's clock, which runs faster than PostgreSQL and moto in this process. An RDS instance is observed every
 * 30 s.
 */
const waitMs = 280_000

/** Time of the user's deletion relative to that of its Database. */
const orders = ['before', 'with', 'after'] as const
type Order = (typeof orders)[number]

interface Pair {
  /** Name of the Database; its user is `<name>-app`. */
  readonly name: string
  readonly provider: 'server' | 'inCluster' | 'rds'
  /** Time of the user's deletion. */
  readonly order: Order
}

const pairs: readonly Pair[] = [
  ...orders.map((order): Pair => ({ name: `given-${order}`, provider: 'server', order })),
  ...orders.map((order): Pair => ({ name: `made-${order}`, provider: 'inCluster', order })),
  // One pair only: an instance takes long to create.
  { name: 'hired', provider: 'rds', order: 'after' },
]

type Sql = (text: string, as?: { user: string; password: string; database: string }) => Promise<readonly object[]>

export function describeDatabaseProviders(startServer: () => Promise<StoryServer>): void {
  describe('Databases of every provider and their users', () => {
    const namespace = `providers-${randomBytes(3).toString('hex')}`
    const end = new AsyncDisposableStack()
    const pods = new Map<string, Sql>()
    let home: PostgresHome
    let postgres: PostgresServer
    let hired: Hired
    let server: StoryServer
    let operator: StoryOperator

    beforeAll(async () => {
      home = await makePostgresHome()
      end.defer(() => removePostgresHome(home))
      postgres = await PostgresServer.start(home)
      end.defer(() => postgres.remove())
      hired = await hire(home, end)
      server = await startServer()
      end.defer(() => server.stop())
      await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
      const { host, port, username, password } = postgres.access()
      await secret('postgres-admin', { host, port: String(port), username, password })
      await secret('aws', { accessKeyId: 'AKIATEST', secretAccessKey: 'of-the-test' })
      await secret('rds-ca', { 'ca.crt': hired.certificate })
      operator = await server.startOperator(namespace)
      end.defer(async () => void (await operator.stop()))
    }, startLimitMs)
    afterAll(async () => {
      await end.disposeAsync()
    })

    it('are created, and applications log in with their Secrets', { timeout: limitMs }, async () => {
      for (const { name, provider } of pairs) {
        await apply('Database', name, { ...specs[provider](home), deletionPolicy: 'Delete' })
        const databases = [{ name, access: 'ReadWrite' }]
        await apply('DatabaseUser', `${name}-app`, { databases, password: { generate: {} } })
      }
      for (const { name } of pairs.filter(({ provider }) => provider === 'inCluster')) {
        const pod = await PodPostgres.start({ server, home, namespace, name })
        end.defer(() => pod.remove())
        pods.set(name, (text, as) => (as === undefined ? pod.byHand(text) : pod.login(as, text)))
      }
      for (const pair of pairs) {
        await inSync(pair)
        const { username: user = '', password = '', database = '' } = secretValues(await bound(pair))
        const who = await sqlOf(pair)('SELECT current_user AS group', { user, password, database })
        expect(who, pair.name).toEqual([{ group: asName(`${pair.name}-app`) }])
      }
    })

    it('grow with their spec where the server is in the cluster', { timeout: limitMs }, async () => {
      const name = 'made-with'
      const claim = { kind: 'pvc', namespace, name: `data-${name}-postgres-0` }
      const podUid = async () => (await found<Named>('pod', `${name}-postgres-0`)).metadata.uid
      const before = await podUid()
      const size = { spec: { provider: { inCluster: { storage: { size: '2Gi' } } } } }
      await server.patch(placeOf('db', name), size)
      await until('the volume to grow', async () => {
        const { status } = (await server.get(claim)) as Claim
        return status.capacity?.storage === '2Gi'
      })
      await until(`${name} to be in sync`, async () => (await standing('db', name)) === 'True InSync')
      expect(await podUid()).toBe(before)
    })

    it.each(orders)('leave nothing after deletion, their users %s them', { timeout: limitMs }, async (order) => {
      const leaving = pairs.filter((pair) => pair.order === order)
      for (const { name } of leaving) {
        if (order !== 'before') await server.delete(placeOf('db', name), { waits: false })
        if (order !== 'after') await server.delete(placeOf('dbu', `${name}-app`), { waits: false })
      }
      for (const { name } of leaving) {
        const user = placeOf('dbu', `${name}-app`)
        if (order === 'before') {
          await until('the user to go', async () => (await server.get(user)) === undefined)
          await server.delete(placeOf('db', name), { waits: false })
        }
        if (order === 'after') {
          await until(`${name} to wait for its user`, async () => isBlocked(await found<Conditioned>('db', name)))
          await server.delete(user, { waits: false })
        }
      }
      for (const pair of leaving) await gone(pair)
    })

    it('needed no right that is not printed', async () => {
      expect(await server.refusals()).toEqual([])
    })

    /** Expects that no object, database or role is left. */
    async function gone({ name, provider }: Pair): Promise<void> {
      const places = [
        ...[placeOf('db', name), placeOf('dbu', `${name}-app`), placeOf('secret', `${name}-app-db`)],
        ...[placeOf('statefulset', `${name}-postgres`), placeOf('pvc', `data-${name}-postgres-0`)],
      ]
      for (const place of places) {
        await until(`${place.kind} ${place.name} to go`, async () => (await server.get(place)) === undefined)
      }
      if (provider === 'rds') expect(hired.rds.effective('DeleteDBInstance')).toBe(1)
      if (provider !== 'server') return
      const database = asName(name)
      expect(await postgres.byHand(`SELECT FROM pg_database WHERE datname = '${database}'`)).toEqual([])
      const roles = `SELECT rolname FROM pg_roles WHERE rolname ~ '^${database}'`
      expect(await postgres.byHand(roles)).toEqual([])
    }

    async function inSync({ name }: Pair): Promise<void> {
      const both = async () => [await standing('db', name), await standing('dbu', `${name}-app`)]
      await until(`${name} to be in sync`, async () => `${await both()}` === 'True InSync,True InSync')
    }

    async function standing(kind: string, name: string): Promise<string> {
      const { status } = await found<Conditioned>(kind, name)
      const ready = status?.conditions?.find(({ type }) => type === 'Ready')
      return `${ready?.status} ${ready?.reason}`
    }

    function sqlOf({ name, provider }: Pair): Sql {
      if (provider === 'rds') return hired.sql
      return pods.get(name) ?? ((text, as) => postgres.byHand(text, as ?? {}))
    }

    function bound({ name }: Pair): Promise<unknown> {
      return server.get(placeOf('secret', `${name}-app-db`))
    }

    async function found<T>(kind: string, name: string): Promise<T> {
      return (await server.get(placeOf(kind, name))) as T // In the form of its kind.
    }

    function placeOf(kind: string, name: string): Place {
      return { namespace, kind, name }
    }

    function apply(kind: string, name: string, spec: object): Promise<void> {
      return server.apply({ apiVersion, kind, metadata: { name, namespace, annotations }, spec })
    }

    function secret(name: string, values: Readonly<Record<string, string>>): Promise<void> {
      return server.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace, labels: openLabels },
        stringData: values,
      })
    }

    async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
      await server.until({ what, limitMs: waitMs }, async () => {
        await letServersAnswer()
        return await isSo()
      })
    }
  })
}

/** Specs as users write them; `home` has the PostgreSQL that they connect to. */
const specs: Readonly<Record<Pair['provider'], (home: PostgresHome) => object>> = {
  server: () => ({ provider: { server: { connectionSecretRef: { name: 'postgres-admin' }, sslMode: 'disable' } } }),
  inCluster: (home) => ({
    version: newest(home),
    provider: { inCluster: { storage: { size: '1Gi', storageClassName: 'fast' } } },
  }),
  rds: (home) => ({
    version: newest(home),
    provider: {
      rds: {
        ...{ region: 'eu-central-1', instanceClass: 'db.t4g.micro', allocatedStorageGiB: 20 },
        ...{ credentials: { secretRef: { name: 'aws' } }, caSecretRef: { name: 'rds-ca' }, deletionProtection: false },
      },
    },
  }),
}

/** Returns the name of the database and of the role on the server. */
function asName(name: string): string {
  return name.replaceAll('-', '_')
}

function newest({ versions }: PostgresHome): string {
  return String(versions.at(-1)?.major)
}

/** Amazon RDS whose instances lead to a PostgreSQL that accepts the master password. */
interface Hired {
  readonly rds: RdsProxy
  readonly sql: Sql
  readonly certificate: string
}

async function hire(home: PostgresHome, end: AsyncDisposableStack): Promise<Hired> {
  const moto = await MotoServer.start()
  end.defer(() => moto.stop())
  const rds = await RdsProxy.start(moto.url)
  end.defer(() => rds.stop())
  process.env[endpointVariable] = rds.url
  end.defer(() => {
    delete process.env[endpointVariable]
  })
  const postgres = await PostgresServer.start(home, { tlsFor: ['localhost', '127.0.0.1'] })
  end.defer(() => postgres.remove())
  rds.databaseAt = { host: 'localhost', port: postgres.port }
  let { password } = postgres
  rds.onPassword = async (next) => {
    await postgres.byHand(`ALTER ROLE postgres PASSWORD '${next}'`, { password })
    password = next
  }
  const sql: Sql = (text, as) => postgres.byHand(text, as ?? { password })
  return { rds, sql, certificate: postgres.certificate ?? '' }
}

function isBlocked({ status }: Conditioned): boolean {
  return (
    status?.conditions?.some(({ type, reason }) => type === 'DeletionBlocked' && reason === 'HasDependents') === true
  )
}

/** Waits in real time while the simulated clock stops, so that responses of PostgreSQL arrive. */
async function letServersAnswer(): Promise<void> {
  const startMs = performance.now()
  while (performance.now() - startMs < 10) await new Promise((resolve) => setImmediate(resolve))
}

/** Fields that the test reads, as in the CRDs. */
interface Conditioned {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
  }
}

interface Named {
  readonly metadata: { readonly uid: string }
}

interface Claim {
  readonly status: { readonly capacity?: { readonly storage?: string } }
}
