// Where a Database is tried: a cluster in this process, a real server, and an operator between the two that can die. The cluster's
// time moves only while nobody waits for the server.
import { onTestFinished } from 'vitest'
import { Database, type DatabaseSpecInput, type DatabaseStatus } from '../../../imports/wire/database.ts'
import { DatabaseUser } from '../../../imports/wire/database-user.ts'
import { handleFetch } from '../../../src/apiserver/fetch-handler.ts'
import { database } from '../../../src/controllers/database/database.ts'
import { type Condition, Event, findCondition, Namespace, Secret } from '../../../src/index.ts'
import { startCluster, type TestCluster } from '../../../src/testing/index.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { EmbeddedOperator } from '../../e2e/embedded-operator.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import type { RdsProxy } from '../../rds/rds-proxy.ts'
import { MortalEngines } from './mortal-engines.ts'

export const namespace = 'shop'
const stepMs = 100
/** How long a server may keep us waiting before time moves on: what it waits for may be the clock. Real milliseconds. */
const patienceMs = 40

export class DatabaseStage {
  readonly cluster: TestCluster
  readonly engines: MortalEngines
  readonly operator: EmbeddedOperator
  readonly server: PostgresServer
  /** How often the operator has died of a fault. */
  deaths = 0
  readonly #rivals: { readonly operator: EmbeddedOperator; readonly engines: MortalEngines }[] = []

  readonly #rds: RdsProxy | undefined
  /** Every version of every object but Secrets. */
  readonly #written: string[] = []

  private constructor(cluster: TestCluster, server: PostgresServer, rds: RdsProxy | undefined) {
    this.cluster = cluster
    this.server = server
    this.#rds = rds
    cluster.server.log.listen(({ place, now }) => {
      if (!place.shelf.startsWith('secrets')) this.#written.push(JSON.stringify(now.object))
    })
    this.engines = new MortalEngines(server.access(), () => void this.operator.kill())
    this.operator = this.#operatorOver(this.engines, 1)
  }

  /** Ends with the test. The connection Secret `server` is there. Instances of `rds` lead to the server. */
  static async start(server: PostgresServer, rds?: RdsProxy): Promise<DatabaseStage> {
    const cluster = await startCluster({ definitions: await flagshipDefinitions() })
    const stage = new DatabaseStage(cluster, server, rds)
    onTestFinished(() => stage.end())
    await cluster.create(Namespace, { metadata: { name: namespace } })
    await stage.secret('server', stage.connection())
    await stage.live()
    return stage
  }

  /** Everything that was started here; may be repeated. */
  async end(): Promise<void> {
    await this.kill()
    for (const { operator, engines } of this.#rivals.splice(0)) {
      await operator.kill()
      await engines.end()
    }
    await this.cluster.stop()
  }

  /** A new life of the operator. */
  async live(): Promise<void> {
    await this.engines.begin()
    this.operator.start()
  }

  /** Another operator, which knows nothing of this one and never dies. */
  async rival(): Promise<EmbeddedOperator> {
    const engines = new MortalEngines(this.server.access(), () => undefined)
    await engines.begin()
    const operator = this.#operatorOver(engines, 2).start()
    this.#rivals.push({ operator, engines })
    return operator
  }

  /** Everything that people and programs can see of the cluster but its Secrets, of all versions; the operator's log and metrics. */
  async shown(): Promise<string> {
    const { text: metrics } = await this.operator.get('/metrics')
    return [...this.#written, JSON.stringify(this.operator.lines), metrics].join('\n')
  }

  /** What has died of a fault begins again. */
  async beReborn(): Promise<void> {
    this.deaths += 1
    await this.kill()
    await this.live()
  }

  /** As by -9. */
  async kill(): Promise<void> {
    await this.operator.kill()
    await this.engines.end()
  }

  /** What a connection Secret to the server holds. */
  connection(own: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    const { host, port, username, password } = this.server.access()
    return { host, port: String(port), username, password, ...own }
  }

  async secret(name: string, values: Readonly<Record<string, string>>): Promise<void> {
    const data = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    )
    const key = `${namespace}/${name}`
    if ((await this.cluster.find(Secret, key)) === undefined) {
      await this.cluster.create(Secret, { metadata: { name, namespace }, data })
    } else await this.cluster.patch(Secret, key, { data })
  }

  /** On the server of this stage, whose certificate is none unless something else is said. */
  async create(name: string, spec: Partial<DatabaseSpecInput> = {}, server: object = {}): Promise<void> {
    const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable', ...server } }
    await this.cluster.create(Database, { metadata: { name, namespace }, spec: { provider, ...spec } })
  }

  async patch(name: string, body: object): Promise<void> {
    await this.cluster.patch(Database, `${namespace}/${name}`, body)
  }

  /** Resolves when it is gone. */
  async delete(name: string, limitMs?: number): Promise<void> {
    await this.startDelete(name)
    await this.until(`${name} to be gone`, async () => (await this.find(name)) === undefined, limitMs)
  }

  async startDelete(name: string): Promise<void> {
    await this.cluster.delete(Database, `${namespace}/${name}`)
  }

  async deleteSecret(name: string): Promise<void> {
    await this.cluster.delete(Secret, `${namespace}/${name}`)
  }

  /** A DatabaseUser, which nobody looks after. */
  async user(name: string, databaseName: string): Promise<void> {
    const spec = { databases: [{ name: databaseName, access: 'ReadOnly' }], password: { generate: {} } }
    await this.cluster.create(DatabaseUser, { metadata: { name, namespace }, spec })
  }

  async deleteUser(name: string): Promise<void> {
    await this.cluster.delete(DatabaseUser, `${namespace}/${name}`)
  }

  async find(name: string) {
    return await this.cluster.find(Database, `${namespace}/${name}`)
  }

  async status(name: string): Promise<DatabaseStatus> {
    return ((await this.find(name))?.status ?? {}) as DatabaseStatus // The status of its kind.
  }

  async condition(name: string, type: string): Promise<Condition | undefined> {
    return findCondition((await this.status(name)).conditions as readonly Condition[] | undefined, type)
  }

  /** Waits for a condition of its newest spec; gives its message. */
  async becomes(name: string, type: string, standing: string, limitMs?: number): Promise<string> {
    const seen = async () => {
      const found = await this.find(name)
      const condition = await this.condition(name, type)
      const isNew = condition?.observedGeneration === found?.metadata.generation
      return isNew ? `${condition?.status} ${condition?.reason}` : ''
    }
    await this.until(`${name} to have ${type} ${standing}`, async () => (await seen()) === standing, limitMs)
    return (await this.condition(name, type))?.message ?? ''
  }

  /** Its Events of this reason, by their notes. */
  async events(reason: string): Promise<readonly string[]> {
    const events = await this.cluster.list(Event, namespace)
    const told = events as readonly unknown[] as readonly { readonly reason: string; readonly note: string }[] // Fields of an Event.
    return told.filter((event) => event.reason === reason).map(({ note }) => note)
  }

  /** Lets the cluster's time pass until it is so; an operator that dies meanwhile is born again. */
  async until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 120_000): Promise<void> {
    for (let passedMs = 0; !(await isSo()); passedMs += stepMs) {
      if (this.engines.hasDied || this.operator.way.line === 'silent') await this.beReborn()
      this.operator.throwIfEnded()
      if (passedMs > limitMs) throw new Error(`Waited ${limitMs / 1_000} s for ${what}: ${await this.#standing()}`)
      await this.pass(stepMs)
    }
  }

  /** Lets so much time of the cluster pass. */
  async pass(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      await this.cluster.advance(Math.min(stepMs, ms - passedMs))
      await this.#answered()
    }
  }

  /** Resolves when nobody waits for the server, or it takes too long. */
  async #answered(): Promise<void> {
    const startMs = performance.now()
    const isInUse = () => this.#rds?.isInUse === true || [this, ...this.#rivals].some(({ engines }) => engines.isInUse)
    while (isInUse() && performance.now() - startMs < patienceMs) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async #standing(): Promise<string> {
    const databases = await this.cluster.list(Database)
    const status = databases.map((object) => ({ name: object.metadata.name, status: object.status }))
    return (
      JSON.stringify(status, null, 1) +
      this.operator.lines
        .slice(-10)
        .map((line) => `\n${JSON.stringify(line)}`)
        .join('')
    )
  }

  #operatorOver(engines: MortalEngines, seed: number): EmbeddedOperator {
    const { cluster } = this
    return new EmbeddedOperator({
      ...{ cluster, seed, token: 'admin', backoff: { baseMs: 1_000, capMs: 10_000 } },
      controllers: [database((tools) => engines.engineOf(tools), { rds: { endpoint: this.#rds?.url } })],
      fetch: (request) => handleFetch(cluster.server, request),
    })
  }
}
