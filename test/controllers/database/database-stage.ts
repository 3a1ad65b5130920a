// Fixture with only the controller of Database, whose RDS instances lead to the fixture's server.
import { Database, type DatabaseSpecInput, type DatabaseStatus } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { backup } from '../../../src/controllers/backup/backup.ts'
import { database } from '../../../src/controllers/database/database.ts'
import { Secret } from '../../../src/index.ts'
import type { TestCluster } from '../../../src/testing/index.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import type { RdsProxy } from '../../rds/rds-proxy.ts'
import { home, PostgresStage } from '../postgres-stage.ts'

export class DatabaseStage extends PostgresStage<DatabaseStatus> {
  /** Every version of every object except Secrets. */
  readonly #written: string[] = []

  private constructor(cluster: TestCluster, server: PostgresServer, rds: RdsProxy | undefined) {
    super(cluster, {
      server,
      kind: Database,
      controllersOf: (engineOf) => [
        database(engineOf, { rds: { endpoint: rds?.url } }),
        ...(rds === undefined ? [] : [backup({ image: 'konverge:test', rds: { endpoint: rds.url } })]),
      ],
      isBusyElsewhere: () => rds?.isInUse === true,
    })
    cluster.server.log.listen(({ place, now }) => {
      if (!place.shelf.startsWith('secrets')) this.#written.push(JSON.stringify(now.object))
    })
  }

  /**
   * Stopped at the end of the test. Starts with the connection Secret `server`. Instances of `rds` lead to the server.
   */
  static async start(server: PostgresServer, rds?: RdsProxy): Promise<DatabaseStage> {
    const stage = new DatabaseStage(await PostgresStage.newCluster(), server, rds)
    await stage.begin()
    return stage
  }

  /**
   * Returns all visible output: objects of the cluster except Secrets, in all versions, and the operator's log and
   * metrics.
   */
  async shown(): Promise<string> {
    const { text: metrics } = await this.operator.get('/metrics')
    return [...this.#written, JSON.stringify(this.operator.lines), metrics].join('\n')
  }

  /** Creates a Database on the fixture's server, without TLS by default. */
  async create(name: string, spec: Partial<DatabaseSpecInput> = {}, server: object = {}): Promise<void> {
    const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable', ...server } }
    await this.cluster.create(Database, { metadata: { name, namespace: home }, spec: { provider, ...spec } })
  }

  async patch(name: string, body: object): Promise<void> {
    await this.cluster.patch(Database, `${home}/${name}`, body)
  }

  async startDelete(name: string): Promise<void> {
    await this.cluster.delete(Database, `${home}/${name}`)
  }

  async deleteSecret(name: string): Promise<void> {
    await this.cluster.delete(Secret, `${home}/${name}`)
  }

  /** Creates a DatabaseUser without a controller. */
  async user(name: string, databaseName: string): Promise<void> {
    const spec = { databases: [{ name: databaseName, access: 'ReadOnly' }], password: { generate: {} } }
    await this.cluster.create(DatabaseUser, { metadata: { name, namespace: home }, spec })
  }

  async deleteUser(name: string): Promise<void> {
    await this.cluster.delete(DatabaseUser, `${home}/${name}`)
  }

  /** Returns the notes of Events with this reason. */
  async events(reason: string): Promise<readonly string[]> {
    return (await this.told()).filter((event) => event.reason === reason).map(({ note }) => note)
  }
}
