// Where a DatabaseUser is tried: a cluster in this process with both controllers, a real server, and an application that reads the
// user's Secret and logs in with it.
import { onTestFinished } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import {
  DatabaseUser,
  type DatabaseUserSpecInput,
  type DatabaseUserStatus,
} from '../../../imports/wire/database-user.ts'
import { handleFetch } from '../../../src/apiserver/fetch-handler.ts'
import { database } from '../../../src/controllers/database/database.ts'
import { databaseUser } from '../../../src/controllers/database-user/database-user.ts'
import { type Condition, Event, type ExternalTools, findCondition, Namespace, Secret } from '../../../src/index.ts'
import { startCluster, type TestCluster } from '../../../src/testing/index.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { EmbeddedOperator } from '../../e2e/embedded-operator.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { MortalEngines } from '../database/mortal-engines.ts'

export const home = 'shop'
const stepMs = 100
/** How long a server may keep us waiting before time moves on. Real milliseconds. */
const patienceMs = 40

/** One operator, and its way to the database server. */
interface Operated {
  readonly operator: EmbeddedOperator
  readonly engines: MortalEngines
}

export class UserStage {
  readonly cluster: TestCluster
  readonly engines: MortalEngines
  readonly operator: EmbeddedOperator
  readonly server: PostgresServer
  /** How requests of operators reach the cluster: replace it to hear them. */
  toCluster: (request: Request) => Promise<Response>
  deaths = 0
  readonly #operated: Operated[] = []

  private constructor(cluster: TestCluster, server: PostgresServer) {
    this.cluster = cluster
    this.server = server
    this.toCluster = (request) => handleFetch(cluster.server, request)
    const { operator, engines } = this.#operate()
    this.operator = operator
    this.engines = engines
  }

  /** A further operator, which knows nothing of the first. */
  async rival(): Promise<Operated> {
    const rival = this.#operate()
    await rival.engines.begin()
    rival.operator.start()
    return rival
  }

  #operate(): Operated {
    const all = new MortalEngines(this.server.access(), () => void operated.operator.kill())
    const engines = new WeakMap<ExternalTools, ReturnType<MortalEngines['engineOf']>>()
    const engineOf = (tools: ExternalTools) => {
      const engine = engines.get(tools) ?? all.engineOf(tools)
      engines.set(tools, engine)
      return engine
    }
    const operator = new EmbeddedOperator({
      ...{ cluster: this.cluster, token: 'admin', seed: this.#operated.length + 1, logsTurns: true },
      backoff: { baseMs: 1_000, capMs: 10_000 },
      controllers: [database(engineOf), databaseUser(engineOf)],
      fetch: (request) => this.toCluster(request),
    })
    const operated = { operator, engines: all }
    this.#operated.push(operated)
    return operated
  }

  /** Ends with the test. The connection Secret `server` is in the namespace, and the Databases are Ready. */
  static async start(server: PostgresServer, ...databases: string[]): Promise<UserStage> {
    const cluster = await startCluster({ definitions: await flagshipDefinitions() })
    const stage = new UserStage(cluster, server)
    onTestFinished(() => stage.end())
    await stage.namespace(home)
    await stage.live()
    for (const name of databases) await stage.database(name)
    for (const name of databases) await stage.databaseReady(name)
    return stage
  }

  async end(): Promise<void> {
    await this.kill()
    await this.cluster.stop()
  }

  async live(): Promise<void> {
    await this.engines.begin()
    this.operator.start()
  }

  async kill(): Promise<void> {
    for (const { operator, engines } of this.#operated) {
      await operator.kill()
      await engines.end()
    }
  }

  /** A namespace with a Secret `server` in it. */
  async namespace(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.cluster.create(Namespace, { metadata: { name, labels } })
    const { host, port, username, password } = this.server.access()
    await this.secret('server', { host, port: String(port), username, password }, name)
  }

  async secret(name: string, values: Readonly<Record<string, string>>, namespace = home): Promise<void> {
    const encoded = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')])
    const [key, data] = [`${namespace}/${name}`, Object.fromEntries(encoded)]
    const found = await this.cluster.find(Secret, key)
    if (found === undefined) await this.cluster.create(Secret, { metadata: { name, namespace }, data })
    else await this.cluster.patch(Secret, key, { data })
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

  /** A turn with a look, whatever the cadence. */
  async look(name: string): Promise<void> {
    const token = String(this.cluster.clock.now())
    await this.cluster.patch(DatabaseUser, `${home}/${name}`, {
      metadata: { annotations: { 'konverge.dev/reconcile-now': token } },
    })
    await this.until(`a look at ${name}`, async () => (await this.status(name)).lastHandledReconcileAt === token)
  }

  /** Resolves when it is gone. */
  async delete(name: string): Promise<void> {
    await this.cluster.delete(DatabaseUser, `${home}/${name}`)
    await this.until(`${name} to be gone`, async () => (await this.find(name)) === undefined)
  }

  async find(name: string, namespace = home) {
    return await this.cluster.find(DatabaseUser, `${namespace}/${name}`)
  }

  async status(name: string, namespace = home): Promise<DatabaseUserStatus> {
    return ((await this.find(name, namespace))?.status ?? {}) as DatabaseUserStatus // The status of its kind.
  }

  async condition(name: string, type: string, namespace = home): Promise<Condition | undefined> {
    const { conditions } = await this.status(name, namespace)
    return findCondition(conditions as readonly Condition[] | undefined, type)
  }

  /** Waits for a condition of its newest spec, as `True InSync`; gives its message. */
  async becomes(name: string, type: string, standing: string, namespace = home): Promise<string> {
    const seen = async () => {
      const found = await this.find(name, namespace)
      const condition = await this.condition(name, type, namespace)
      const isNew = condition?.observedGeneration === found?.metadata.generation
      return isNew ? `${condition?.status} ${condition?.reason}` : ''
    }
    await this.until(`${name} to have ${type} ${standing}`, async () => (await seen()) === standing)
    return (await this.condition(name, type, namespace))?.message ?? ''
  }

  /** What an application reads; undefined without a Secret. */
  async keys(name: string, namespace = home): Promise<Readonly<Record<string, string>> | undefined> {
    const found = await this.cluster.find(Secret, `${namespace}/${name}-db`)
    const data = found?.['data'] as Readonly<Record<string, string>> | undefined // A Secret's.
    if (data === undefined) return undefined
    return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]))
  }

  /** The application: logs in with what is in the Secret, and asks. */
  async app(name: string, sql: string, held?: Readonly<Record<string, string>>): Promise<readonly object[]> {
    const { username = '', password = '', database: into = '' } = held ?? (await this.keys(name)) ?? {}
    return await this.server.byHand(sql, { user: username, password, database: into })
  }

  /** `Reason: note` of its Events. */
  async events(name: string): Promise<readonly string[]> {
    const events = await this.cluster.list(Event, home)
    const told = events as readonly unknown[] as readonly ToldEvent[] // Fields of an Event.
    return told.filter(({ regarding }) => regarding?.name === name).map(({ reason, note }) => `${reason}: ${note}`)
  }

  /** Lets the cluster's time pass until it is so; an operator that dies meanwhile is born again. */
  async until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 120_000): Promise<void> {
    for (let passedMs = 0; !(await isSo()); passedMs += stepMs) {
      if (this.engines.hasDied || this.operator.way.line === 'silent') await this.#beReborn()
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

  async #beReborn(): Promise<void> {
    this.deaths += 1
    await this.kill()
    await this.live()
  }

  async #answered(): Promise<void> {
    const startMs = performance.now()
    while (this.#operated.some(({ engines }) => engines.isInUse) && performance.now() - startMs < patienceMs) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async #standing(): Promise<string> {
    const users = await this.cluster.list(DatabaseUser)
    const status = users.map((object) => ({ name: object.metadata.name, status: object.status }))
    const lines = this.operator.lines.slice(-10).map((line) => `\n${JSON.stringify(line)}`)
    return JSON.stringify(status, null, 1) + lines.join('')
  }
}

interface ToldEvent {
  readonly reason: string
  readonly note: string
  readonly regarding?: { readonly name?: string }
}
