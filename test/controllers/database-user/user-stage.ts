// Fixture: a DatabaseUser with both controllers, and an application that reads the user's Secret and logs in with it.
import { Database } from '../../../imports/wire/database.ts'
import {
  DatabaseUser,
  type DatabaseUserSpecInput,
  type DatabaseUserStatus,
} from '../../../imports/wire/database-user.ts'
import { database } from '../../../src/controllers/database/database.ts'
import { databaseUser } from '../../../src/controllers/database-user/database-user.ts'
import { Secret } from '../../../src/index.ts'
import type { TestCluster } from '../../../src/testing/index.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { home, PostgresStage } from '../postgres-stage.ts'

export class UserStage extends PostgresStage<DatabaseUserStatus> {
  private constructor(cluster: TestCluster, server: PostgresServer) {
    super(cluster, {
      server,
      kind: DatabaseUser,
      controllersOf: (engineOf) => [database(engineOf), databaseUser(engineOf)],
    })
  }

  /** Stops with the test. The connection Secret `server` exists in the namespace, and the Databases are Ready. */
  static async start(server: PostgresServer, ...databases: string[]): Promise<UserStage> {
    const stage = new UserStage(await PostgresStage.newCluster(), server)
    await stage.begin()
    for (const name of databases) await stage.database(name)
    for (const name of databases) await stage.databaseReady(name)
    return stage
  }

  async database(name: string, spec: object = {}, namespace = home): Promise<void> {
    const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } }
    await this.cluster.create(Database, { metadata: { name, namespace }, spec: { provider, ...spec } })
  }

  async databaseReady(name: string, namespace = home): Promise<void> {
    await this.until(`Database ${name} to be ready`, async () => {
      const condition = await this.cluster.condition(Database, `${namespace}/${name}`, 'Ready')
      return condition?.status === 'True'
    })
  }

  async create(name: string, spec: Partial<DatabaseUserSpecInput>, namespace = home): Promise<void> {
    await this.cluster.create(DatabaseUser, { metadata: { name, namespace }, spec })
  }

  async patch(name: string, spec: object): Promise<void> {
    await this.cluster.patch(DatabaseUser, `${home}/${name}`, { spec })
  }

  /** A reconcile with an observation, whatever the cadence. */
  async look(name: string): Promise<void> {
    const token = String(this.cluster.clock.now())
    await this.cluster.patch(DatabaseUser, `${home}/${name}`, {
      metadata: { annotations: { 'konverge.dev/reconcile-now': token } },
    })
    await this.until(`a look at ${name}`, async () => (await this.status(name)).lastHandledReconcileAt === token)
  }

  /** Data of the Secret; undefined without a Secret. */
  async keys(name: string, namespace = home): Promise<Readonly<Record<string, string>> | undefined> {
    const found = await this.cluster.find(Secret, `${namespace}/${name}-db`)
    const data = found?.['data'] as Readonly<Record<string, string>> | undefined // A Secret has this form.
    if (data === undefined) return undefined
    return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]))
  }

  /** The application: logs in with the Secret, and runs a query. */
  async app(name: string, sql: string, held?: Readonly<Record<string, string>>): Promise<readonly object[]> {
    const { username = '', password = '', database: into = '' } = held ?? (await this.keys(name)) ?? {}
    return await this.server.byHand(sql, { user: username, password, database: into })
  }

  /** `Reason: note` of its Events. */
  async events(name: string): Promise<readonly string[]> {
    const events = await this.told()
    return events.filter(({ regarding }) => regarding?.name === name).map(({ reason, note }) => `${reason}: ${note}`)
  }
}
