// Test environment of a kind that represents an object on a PostgreSQL server: an in-process cluster, a real server,
// and operators that can crash.
// Invariant: the cluster's clock stops while the server works, however slow the machine is.
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { handleFetch } from '../../src/apiserver/fetch-handler.ts'
import type { DatabaseEngine } from '../../src/controllers/engines/engine.ts'
import {
  type Condition,
  type Controller,
  Event,
  type ExternalTools,
  findCondition,
  type LiveObject,
  Namespace,
  type Resource,
  Secret,
} from '../../src/index.ts'
import { startCluster, type TestCluster } from '../../src/testing/index.ts'
import { flagshipDefinitions } from '../e2e/definitions.ts'
import { EmbeddedOperator } from '../e2e/embedded-operator.ts'
import type { PostgresServer } from '../postgres/postgres-server.ts'
import { MortalEngines } from './database/mortal-engines.ts'
import { openLabels } from './open-labels.ts'

/** Namespace of the environment. */
export const home = 'shop'
const stepMs = 100
/** Real milliseconds that a call may block the clock while no server works. The call may wait for the clock itself. */
const patienceMs = 40

export interface PostgresStageOptions {
  readonly server: PostgresServer
  /** Kind that `find` and `becomes` read. */
  readonly kind: Resource
  readonly controllersOf: (engineOf: (tools: ExternalTools) => DatabaseEngine) => readonly Controller[]
  /** Returns true while another system handles a request, which does not depend on the clock. */
  readonly isBusyElsewhere?: () => boolean
}

/** One operator, and its connection to the database server. */
export interface Operated {
  readonly operator: EmbeddedOperator
  readonly engines: MortalEngines
}

export interface ToldEvent {
  readonly reason: string
  readonly note: string
  readonly regarding?: { readonly name?: string }
}

export class PostgresStage<Status extends object> {
  readonly cluster: TestCluster
  readonly engines: MortalEngines
  readonly operator: EmbeddedOperator
  readonly server: PostgresServer
  /** Path of the operators' requests to the cluster; a test replaces it to record them. */
  toCluster: (request: Request) => Promise<Response>
  /** Number of crashes of the operator after a fault. */
  deaths = 0
  readonly #options: PostgresStageOptions
  readonly #operated: Operated[] = []

  protected constructor(cluster: TestCluster, options: PostgresStageOptions) {
    this.cluster = cluster
    this.server = options.server
    this.#options = options
    this.toCluster = (request) => handleFetch(cluster.server, request)
    const { operator, engines } = this.#operate()
    this.operator = operator
    this.engines = engines
  }

  protected static async newCluster(): Promise<TestCluster> {
    return await startCluster({ definitions: await flagshipDefinitions() })
  }

  /** Starts the environment, which ends with the test. The namespace has the connection Secret `server`. */
  protected async begin(): Promise<void> {
    onTestFinished(() => this.end())
    await this.namespace(home)
    await this.live()
  }

  /** Stops all that was started here; may be repeated. */
  async end(): Promise<void> {
    for (const operated of this.#operated) await stop(operated)
    await this.cluster.stop()
  }

  /** Starts a new process of the operator. */
  async live(): Promise<void> {
    await this.engines.begin()
    this.operator.start()
  }

  /** Ends the operator as SIGKILL would. */
  async kill(): Promise<void> {
    await stop(this)
  }

  /** Restarts what has died of a fault. */
  async beReborn(): Promise<void> {
    this.deaths += 1
    await this.kill()
    await this.live()
  }

  /** Starts a second operator with its own caches. */
  async rival(): Promise<Operated> {
    const rival = this.#operate()
    await rival.engines.begin()
    rival.operator.start()
    return rival
  }

  /** Creates a namespace with a Secret `server`. */
  async namespace(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.cluster.create(Namespace, { metadata: { name, labels } })
    await this.secret('server', this.connection(), name)
  }

  /** Returns the data of a connection Secret for the server. */
  connection(own: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    const { host, port, username, password } = this.server.access()
    return { host, port: String(port), username, password, ...own }
  }

  async secret(name: string, values: Readonly<Record<string, string>>, namespace = home): Promise<void> {
    const encoded = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')])
    const [key, data] = [`${namespace}/${name}`, Object.fromEntries(encoded)]
    const found = await this.cluster.find(Secret, key)
    if (found === undefined)
      await this.cluster.create(Secret, { metadata: { name, namespace, labels: openLabels }, data })
    else await this.cluster.patch(Secret, key, { data })
  }

  async find(name: string, namespace = home): Promise<LiveObject | undefined> {
    return await this.cluster.find(this.#options.kind, `${namespace}/${name}`)
  }

  async status(name: string, namespace = home): Promise<Partial<Status>> {
    return ((await this.find(name, namespace))?.status ?? {}) as Partial<Status> // The kind has this status.
  }

  async condition(name: string, type: string, namespace = home): Promise<Condition | undefined> {
    return await this.cluster.condition(this.#options.kind, `${namespace}/${name}`, type)
  }

  /** Waits for a condition of the newest generation, e.g. `True InSync`; returns its message. */
  async becomes(name: string, type: string, standing: string, options: Becoming = {}): Promise<string> {
    const { namespace = home, limitMs } = options
    let message = ''
    const isSo = async () => {
      const found = await this.find(name, namespace)
      const { conditions } = (found?.status ?? {}) as { readonly conditions?: readonly Condition[] } // Every status has conditions.
      const condition = findCondition(conditions, type)
      message = condition?.message ?? ''
      const isNew = condition?.observedGeneration === found?.metadata.generation
      return isNew && `${condition?.status} ${condition?.reason}` === standing
    }
    await this.until(`${name} to have ${type} ${standing}`, isSo, limitMs)
    return message
  }

  /** Deletes the object; resolves when it is gone. */
  async delete(name: string, limitMs?: number): Promise<void> {
    await this.cluster.delete(this.#options.kind, `${home}/${name}`)
    await this.until(`${name} to be gone`, async () => (await this.find(name)) === undefined, limitMs)
  }

  /** Returns all Events of the namespace. */
  async told(): Promise<readonly ToldEvent[]> {
    const events = await this.cluster.list(Event, home)
    return events as readonly unknown[] as readonly ToldEvent[] // These are fields of an Event.
  }

  /** Advances the cluster's clock until the condition holds; restarts an operator that dies meanwhile. */
  async until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 120_000): Promise<void> {
    for (let passedMs = 0; !(await isSo()); passedMs += stepMs) {
      if (this.engines.hasDied || this.operator.way.line === 'silent') await this.beReborn()
      this.operator.throwIfEnded()
      if (passedMs > limitMs) throw new Error(`Waited ${limitMs / 1_000} s for ${what}: ${await this.#standing()}`)
      await this.pass(stepMs)
    }
  }

  /** Advances the cluster's clock by this duration. */
  async pass(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      await this.cluster.advance(Math.min(stepMs, ms - passedMs))
      await this.#answered()
    }
  }

  /** Resolves when no request is pending, or when the request may wait for the clock. */
  async #answered(): Promise<void> {
    const startMs = performance.now()
    for (;;) {
      const isPatient = performance.now() - startMs < patienceMs
      if (!(this.#isAtWork() || (isPatient && this.#operated.some(({ engines }) => engines.isInUse)))) return
      // A loop without a pause would take the processor from the server.
      await sleep(1)
    }
  }

  #isAtWork(): boolean {
    if (this.#options.isBusyElsewhere?.() === true || this.server.isCrashing) return true
    return !this.server.isPaused && this.#operated.some(({ engines }) => engines.isAtWork)
  }

  async #standing(): Promise<string> {
    const objects = await this.cluster.list(this.#options.kind)
    const status = objects.map((object) => ({ name: object.metadata.name, status: object.status }))
    const lines = this.operator.lines.slice(-10).map((line) => `\n${JSON.stringify(line)}`)
    return JSON.stringify(status, null, 1) + lines.join('')
  }

  #operate(): Operated {
    const all = new MortalEngines(this.server.access(), () => void operated.operator.kill())
    // One engine for each process, which its controllers share.
    const engines = new WeakMap<ExternalTools, DatabaseEngine>()
    const engineOf = (tools: ExternalTools) => {
      const engine = engines.get(tools) ?? all.engineOf(tools)
      engines.set(tools, engine)
      return engine
    }
    const operator = new EmbeddedOperator({
      ...{ cluster: this.cluster, token: 'admin', seed: this.#operated.length + 1, logsTurns: true },
      backoff: { baseMs: 1_000, capMs: 10_000 },
      controllers: this.#options.controllersOf(engineOf),
      fetch: (request) => this.toCluster(request),
    })
    const operated = { operator, engines: all }
    this.#operated.push(operated)
    return operated
  }
}

interface Becoming {
  readonly namespace?: string
  readonly limitMs?: number | undefined
}

async function stop({ operator, engines }: Operated): Promise<void> {
  await operator.kill()
  await engines.end()
}
