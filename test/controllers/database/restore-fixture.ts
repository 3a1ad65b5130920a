// Fixture of a Database's restore, end to end: a cluster in this process with both controllers, a real server, and
// backups in a folder. It plays the kubelet for Jobs: it runs their workers in this process and writes their status.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Backup } from '../../../imports/wire/backup.ts'
import { Database, type DatabaseSpecInput, type DatabaseStatus } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { silentInstruments } from '../../../src/base/instrument.ts'
import { systemSecrets } from '../../../src/base/random.ts'
import { type BackupOrder, folderOf, makeBackup } from '../../../src/controllers/backup/backup-worker.ts'
import type { WorkOrder } from '../../../src/controllers/backup/work-order.ts'
import type { WorkReport } from '../../../src/controllers/backup/work-report.ts'
import { carryOut, type WorkTools } from '../../../src/controllers/backup/work-runner.ts'
import { database } from '../../../src/controllers/database/database.ts'
import { databaseUser } from '../../../src/controllers/database-user/database-user.ts'
import { postgresLogicalEngine } from '../../../src/controllers/engines/postgres/logical/logical-driver.ts'
import { postgresPhysicalEngine } from '../../../src/controllers/engines/postgres/physical/physical-driver.ts'
import { FolderStore } from '../../../src/controllers/stores/folder-store-driver.ts'
import { Job, type LiveObject, type Resource, Secret, valueAt } from '../../../src/index.ts'
import { startCluster } from '../../../src/testing/index.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { orderOfJob } from '../backup/order-of-job.ts'
import { home, PostgresStage } from '../postgres-stage.ts'
import { never } from '../stores/contents.ts'
import { endJob, endOf } from '../worker/ended-job.ts'

type Run = (order: WorkOrder, tools: WorkTools) => Promise<WorkReport | 'dies' | 'works'>

const places = { versions: '/usr/lib/postgresql', folders: [] }

export const target = { pvc: { claimName: 'backups' } }

export class RestoreScene extends PostgresStage<DatabaseStatus> {
  /** Outcome of a worker. */
  run: Run = (order, tools) => carryOut(order, tools, never)
  /** Completed work, e.g. `restore r1`. */
  readonly worked: string[] = []
  storeFolder = ''
  #isAtWork = false

  /**
   * Stopped at the end of the test. Starts with the connection Secret `server` and no leftovers of earlier fixtures.
   */
  static async start(server: PostgresServer): Promise<RestoreScene> {
    await removeAll(server)
    // The fixture runs Jobs.
    const cluster = await startCluster({ definitions: await flagshipDefinitions(), controllers: ['*', '-job'] })
    const scene = new RestoreScene(cluster, {
      ...{ server, kind: Database },
      controllersOf: (engineOf) => [database(engineOf, { image: 'konverge:test' }), databaseUser(engineOf)],
    })
    scene.storeFolder = await mkdtemp(join(tmpdir(), 'konverge-store-'))
    onTestFinished(() => rm(scene.storeFolder, { recursive: true, force: true }))
    await scene.begin()
    return scene
  }

  async create(name: string, spec: Partial<DatabaseSpecInput> = {}): Promise<void> {
    const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } }
    await this.cluster.create(Database, { metadata: { name, namespace: home }, spec: { provider, ...spec } })
  }

  async patch(name: string, spec: object): Promise<void> {
    await this.cluster.patch(Database, `${home}/${name}`, { spec })
  }

  async user(name: string, spec: object): Promise<void> {
    const whole = { databases: [{ name: 'crm', access: 'ReadWrite' }], password: { generate: {} }, ...spec }
    await this.cluster.create(DatabaseUser, { metadata: { name, namespace: home }, spec: whole })
    await this.userBecomes(name, 'True')
  }

  async userBecomes(name: string, ready: string): Promise<void> {
    await this.until(`user ${name} to be ready: ${ready}`, async () => {
      return (await this.cluster.condition(DatabaseUser, `${home}/${name}`, 'Ready'))?.status === ready
    })
  }

  /** Resolves when it is deleted. */
  async goes(name: string): Promise<void> {
    await this.cluster.delete(Database, `${home}/${name}`)
    await this.until(`${name} to be gone`, async () => (await this.find(name)) === undefined)
  }

  async removeUser(name: string): Promise<void> {
    await this.cluster.delete(DatabaseUser, `${home}/${name}`)
    await this.until(`user ${name} to be gone`, async () => {
      return (await this.cluster.find(DatabaseUser, `${home}/${name}`)) === undefined
    })
  }

  /** Runs SQL as an application of the user, with the values of its Secret. */
  async app(name: string, sql: string): Promise<readonly object[]> {
    const secret = await this.cluster.find(Secret, `${home}/${name}-db`)
    const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>> // Data of a Secret.
    const value = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString()
    return await this.server.byHand(sql, {
      user: value('username'),
      password: value('password'),
      database: value('database'),
    })
  }

  /** Creates a table `orders` with this many rows, owned by the database's owner. */
  async fill(databaseName: string, rows: number): Promise<void> {
    await this.server.byHand(
      `DROP TABLE IF EXISTS orders; CREATE TABLE orders AS SELECT n FROM generate_series(1, ${rows}) AS n;
      ALTER TABLE orders OWNER TO ${databaseName}_owner`,
      { database: databaseName },
    )
  }

  async orders(databaseName: string): Promise<number> {
    const [row] = await this.server.byHand('SELECT count(*)::int AS count FROM orders', { database: databaseName })
    return Number(row?.['count'])
  }

  /** Returns databases and roles on the server with this prefix. */
  async names(start: string): Promise<readonly string[]> {
    const rows = await this.server.byHand(`SELECT datname AS name FROM pg_database WHERE datname LIKE '${start}%'
      UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE '${start}%' ORDER BY 1`)
    return rows.map(({ name }) => String(name))
  }

  /** Backs up the database, creates a completed Backup without a controller, and returns its folder. */
  async backup(name: string, of: string): Promise<string> {
    const found = await this.find(of)
    const databaseName = of.replaceAll('-', '_')
    await this.cluster.create(Backup, {
      metadata: { name, namespace: home },
      spec: { databaseRef: { name: of }, target },
    })
    const { metadata } = (await this.cluster.find(Backup, `${home}/${name}`)) as LiveObject
    const order: BackupOrder = {
      backup: { uid: metadata.uid, namespace: home, name },
      database: { name: of, uid: found?.metadata.uid ?? '', databaseName },
      ...{ slotMs: this.cluster.clock.now(), specHash: 'ab', hashUpToBytes: 1e12 },
    }
    const store = new FolderStore({ folder: this.storeFolder, attempt: 'one' })
    const { logical: engine } = this.#tools()
    const tools = { store, engine, access: this.server.access(), clock: systemClock, attempt: 'one' }
    const { manifest } = await makeBackup(order, tools, never)
    const folder = folderOf(order)
    const { sizeBytes: bytes, sha256, format, toolVersion } = manifest.artifact
    const artifact = { uri: 'x', bytes, sha256, manifestSha256: 'x', format, toolVersion }
    await this.patchStatus(Backup, name, { phase: 'Completed', folder, artifact })
    return folder
  }

  async dataFile(folder: string): Promise<string> {
    const files = await readdir(join(this.storeFolder, folder))
    return join(this.storeFolder, folder, files.find((file) => file.endsWith('.dump')) ?? '')
  }

  /** Waits for the phase of the recorded request, e.g. `Completed`. */
  async restored(name: string, requestID: string, phase: string): Promise<NonNullable<DatabaseStatus['restore']>> {
    let restore: DatabaseStatus['restore']
    await this.until(`${name} to have ${requestID} ${phase}`, async () => {
      restore = (await this.status(name)).restore
      return restore?.requestID === requestID && restore.phase === phase
    })
    if (restore === undefined) throw new Error('it has just been there')
    return restore
  }

  async jobs(): Promise<readonly string[]> {
    return (await this.cluster.list(Job, home)).map(({ metadata }) => metadata.name).sort()
  }

  override async pass(ms: number): Promise<void> {
    await this.#seeToJobs()
    await super.pass(ms)
  }

  #tools(): WorkTools {
    return {
      ...{ access: this.server.access(), keys: undefined, storeFolder: this.storeFolder, workFolder: tmpdir() },
      engine: engineHere().engine,
      logical: postgresLogicalEngine({ clock: systemClock, places, workFolder: tmpdir() }),
      physical: postgresPhysicalEngine({ clock: systemClock, places, workFolder: tmpdir(), user: undefined }),
      serverUser: undefined,
      ...{ clock: systemClock, secrets: systemSecrets, log: silentInstruments.log, attempt: 'one' },
    }
  }

  async #seeToJobs(): Promise<void> {
    // A worker lets time pass.
    if (this.#isAtWork) return
    this.#isAtWork = true
    try {
      for (const job of await this.cluster.list(Job, home)) await this.#seeTo(job)
    } finally {
      this.#isAtWork = false
    }
  }

  async #seeTo(job: LiveObject): Promise<void> {
    const isOver = valueAt(job, 'status', 'conditions') !== undefined
    if (isOver || job.metadata.deletionTimestamp !== undefined || valueAt(job, 'spec', 'suspend') === true) return
    const order = await orderOfJob(this.cluster, job)
    const report = await this.run(order, this.#tools())
    if (report === 'works') return
    this.worked.push(`${order.work} ${requestOf(order)}`)
    await endJob(this.cluster, job, endOf(report))
  }

  async patchStatus(resource: Resource, name: string, status: object): Promise<void> {
    const options = { fieldManager: 'test', subresource: 'status' } as const
    const patch = { type: 'merge', body: JSON.parse(JSON.stringify({ status })) } as const
    await this.cluster.client.patch(resource, { namespace: home, name }, patch, options, never)
  }
}

function requestOf(order: WorkOrder): string {
  if (order.work === 'restore') return order.restore.requestId
  return order.work === 'release' ? `${order.release.what} of ${order.release.requestId}` : ''
}

async function removeAll(server: PostgresServer): Promise<void> {
  const own = "SELECT datname AS name FROM pg_database WHERE datname !~ '^(postgres|template)'"
  for (const { name } of await server.byHand(own)) await server.byHand(`DROP DATABASE "${name}" WITH (FORCE)`)
  const roles = "SELECT rolname AS name FROM pg_roles WHERE rolname !~ '^pg_' AND rolname <> current_user"
  for (const { name } of await server.byHand(roles)) await server.byHand(`DROP ROLE "${name}"`)
}
