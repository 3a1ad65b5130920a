// Fixture: a Migration as a resource. A cluster in this process with the controllers of Database and Migration, a real
// server, and a stand-in for a node.
// The stand-in runs the worker of each Job in this process, and writes its outcome.
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { Migration, type MigrationSpecInput, type MigrationStatus } from '../../../imports/wire/migration.ts'
import { handleFetch } from '../../../src/apiserver/fetch-handler.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { silentInstruments } from '../../../src/base/instrument.ts'
import { systemSecrets } from '../../../src/base/random.ts'
import { database } from '../../../src/controllers/database/database.ts'
import type { QueuedReviewer, StepReview, StepReviewer } from '../../../src/controllers/engines/step-review.ts'
import { migration } from '../../../src/controllers/migration/migration.ts'
import { workOnMigration } from '../../../src/controllers/migration/migration-worker.ts'
import { type WorkerOrder, workerOrderIn } from '../../../src/controllers/migration/worker-order.ts'
import { exitCodeOf } from '../../../src/controllers/migration/worker-report.ts'
import { reportText } from '../../../src/controllers/worker/termination-message.ts'
import {
  type Condition,
  ConfigMap,
  type ExternalTools,
  findCondition,
  Job,
  type LiveObject,
  Namespace,
  Secret,
  valueAt,
} from '../../../src/index.ts'
import { startCluster, type TestCluster } from '../../../src/testing/index.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { EmbeddedOperator } from '../../e2e/embedded-operator.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { type ProxyStatement, SqlProxy } from '../../postgres/sql-proxy.ts'
import { type Fate, MortalEngines } from '../database/mortal-engines.ts'
import { openLabels } from '../open-labels.ts'
import { endJob, type WorkerEnd } from '../worker/ended-job.ts'
import { reviewHere } from './review-here.ts'

export const home = 'shop'
const stepMs = 200
/** Longest wait for a server before time moves on, in real milliseconds. */
const patienceMs = 40

export class MigrationScene {
  readonly cluster: TestCluster
  readonly server: PostgresServer
  /** True if the node runs workers; otherwise they wait. */
  hasNode = true
  /** Called for each statement of each worker. A killed worker ends like kill -9, and its Job starts another one. */
  judgeWorker: (statement: ProxyStatement) => Fate = () => 'pass'
  /** Reviews the steps for the operators. */
  reviewer: (...review: Parameters<StepReviewer>) => Promise<StepReview | undefined> = reviewHere
  /** Number of reviews that operators requested. */
  reviews = 0
  #reviewsUnderWay = 0
  /** Log of operators and workers. */
  deaths = 0
  readonly operator: EmbeddedOperator
  readonly engines: MortalEngines
  readonly #databases: string[] = []
  readonly #stop = new AbortController()
  readonly #workers = new Map<string, Promise<void>>()
  /** A deleted Job ends its worker. */
  readonly #ends = new Map<string, AbortController>()

  private constructor(cluster: TestCluster, server: PostgresServer) {
    this.cluster = cluster
    this.server = server
    this.engines = new MortalEngines(server.access(), () => void this.operator.kill())
    const engines = new WeakMap<ExternalTools, ReturnType<MortalEngines['engineOf']>>()
    const engineFor = (tools: ExternalTools) => {
      const engine = engines.get(tools) ?? this.engines.engineOf(tools)
      engines.set(tools, engine)
      return engine
    }
    this.operator = new EmbeddedOperator({
      ...{ cluster, token: 'admin', seed: 1, logsTurns: true, backoff: { baseMs: 1_000, capMs: 10_000 } },
      controllers: [
        database(engineFor),
        migration({ engineFor, image: 'konverge:test', review: (...review) => this.#review(...review) }),
      ],
      fetch: (request) => handleFetch(cluster.server, request),
    })
  }

  /** Stops with the test. The Databases are Ready. */
  static async start(server: PostgresServer, ...databases: readonly string[]): Promise<MigrationScene> {
    // The fixture handles Jobs.
    const controllers = ['*', '-job']
    const cluster = await startCluster({ definitions: await flagshipDefinitions(), controllers })
    const scene = new MigrationScene(cluster, server)
    onTestFinished(() => scene.end())
    await cluster.create(Namespace, { metadata: { name: home } })
    const { host, port, username, password } = server.access()
    const values = Object.entries({ host, port: String(port), username, password })
    const data = Object.fromEntries(values.map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
    await cluster.create(Secret, { metadata: { name: 'server', namespace: home, labels: openLabels }, data })
    await scene.#live()
    for (const name of databases) await scene.#database(name)
    return scene
  }

  /** Stops everything that was started here, and drops the databases; may be repeated. */
  async end(): Promise<void> {
    this.#stop.abort(new Error('the test ends'))
    await Promise.allSettled(this.#workers.values())
    await this.#die()
    await this.cluster.stop()
    for (const name of this.#databases.splice(0)) {
      await this.server.byHand(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await this.server.byHand(`DROP ROLE IF EXISTS ${name}_owner`)
    }
  }

  /** The operator dies, and another one starts. */
  async restart(): Promise<void> {
    await this.#die()
    await this.#live()
  }

  async #live(): Promise<void> {
    await this.engines.begin()
    this.operator.start()
  }

  async #die(): Promise<void> {
    await this.operator.kill()
    await this.engines.end()
  }

  async #database(name: string): Promise<void> {
    const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } }
    await this.cluster.create(Database, { metadata: { name, namespace: home }, spec: { provider } })
    this.#databases.push(name)
    await this.until(`Database ${name} to be ready`, async () => {
      return (await this.cluster.condition(Database, `${home}/${name}`, 'Ready'))?.status === 'True'
    })
  }

  async create(name: string, spec: MigrationSpecInput, said: Readonly<Record<string, string>> = {}): Promise<void> {
    const metadata = { name, namespace: home, annotations: { 'konverge.dev/reconcile-interval': '30s', ...said } }
    await this.cluster.create(Migration, { metadata, spec })
  }

  async patch(name: string, change: object): Promise<void> {
    await this.cluster.patch(Migration, `${home}/${name}`, change)
  }

  async status(name: string): Promise<MigrationStatus> {
    const found = await this.cluster.find(Migration, `${home}/${name}`)
    return (found?.status ?? {}) as MigrationStatus // The status of its kind.
  }

  async condition(name: string, type: string): Promise<Condition | undefined> {
    const { conditions } = await this.status(name)
    return findCondition(conditions as readonly Condition[] | undefined, type)
  }

  /** Waits for a condition of its current generation, e.g. `True Completed`; returns its message. */
  async becomes(name: string, type: string, standing: string): Promise<string> {
    let last = ''
    await this.until(`${name} to have ${type} ${standing}`, async () => {
      const found = await this.cluster.find(Migration, `${home}/${name}`)
      const condition = await this.condition(name, type)
      last = condition?.message ?? ''
      return (
        condition?.observedGeneration === found?.metadata.generation &&
        `${condition?.status} ${condition?.reason}` === standing
      )
    })
    return last
  }

  async jobs(): Promise<readonly LiveObject[]> {
    return this.cluster.list(Job, home)
  }

  async byHand(name: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.server.byHand(text, { database: name })
  }

  /**
   * Moves the cluster's time until the condition holds, and lets the node handle its Jobs; a dead operator is started
   * again.
   */
  async until(what: string, isSo: () => Promise<boolean>, limitMs = 600_000): Promise<void> {
    for (let passedMs = 0; !(await isSo()); passedMs += stepMs) {
      if (this.engines.hasDied || this.operator.way.line === 'silent') {
        this.deaths += 1
        await this.#die()
        await this.#live()
      }
      this.operator.throwIfEnded()
      if (passedMs > limitMs) throw new Error(`Waited ${limitMs / 1_000} s for ${what}: ${await this.#standing()}`)
      await this.pass(stepMs)
    }
  }

  async #review(...[{ steps, rules }, signal]: Parameters<QueuedReviewer>): Promise<StepReview | undefined> {
    this.reviews += 1
    this.#reviewsUnderWay += 1
    try {
      return await this.reviewer(steps, rules, signal)
    } finally {
      this.#reviewsUnderWay -= 1
    }
  }

  async pass(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      if (this.hasNode) await this.#seeToJobs()
      await this.cluster.advance(stepMs)
      await this.#answered()
    }
  }

  async #answered(): Promise<void> {
    const startMs = performance.now()
    for (;;) {
      const isPatient = performance.now() - startMs < patienceMs
      const isWaitedFor = isPatient && (this.engines.isInUse || this.#workers.size > 0)
      // While a server or a review works, time does not move, however slow the machine is.
      const isAtWork = this.server.isCrashing || (this.engines.isAtWork && !this.server.isPaused)
      if (!(isWaitedFor || isAtWork || this.#reviewsUnderWay > 0)) return
      // A loop without a pause would take the processor from the server.
      await sleep(1)
    }
  }

  /** Runs a worker for each Job that wants one, again when it requests a retry. */
  async #seeToJobs(): Promise<void> {
    const jobs = await this.jobs()
    for (const [uid, end] of this.#ends) if (!jobs.some(({ metadata }) => metadata.uid === uid)) end.abort()
    for (const job of jobs) {
      const { uid = '' } = job.metadata
      const isOver = valueAt(job, 'status', 'conditions') !== undefined
      if (isOver || valueAt(job, 'spec', 'suspend') === true || this.#workers.has(uid)) continue
      const end = new AbortController()
      this.#ends.set(uid, end)
      const work = this.#work(job, end.signal)
        .catch(async (error: unknown) => {
          if (this.#stop.signal.aborted || end.signal.aborted) return
          // It may be deleted while its end is being written.
          if ((await this.jobs()).some((one) => one.metadata.uid === uid)) throw error
        })
        .finally(() => {
          this.#workers.delete(uid)
          this.#ends.delete(uid)
        })
      this.#workers.set(uid, work)
    }
  }

  async #work(job: LiveObject, told: AbortSignal): Promise<void> {
    const { metadata } = job
    const args = valueAt(job, 'spec', 'template', 'spec', 'containers') as readonly { args: string[] }[] // A Job has this form.
    const [container] = args
    const digest = container?.args[container.args.indexOf('--digest') + 1] ?? ''
    const map = await this.cluster.find(ConfigMap, `${home}/${metadata.name}`)
    const order = workerOrderIn(String(map === undefined ? '' : valueAt(map, 'data', 'order.json')), digest)
    if (order === undefined) throw new Error(`${metadata.name} has no order`)
    const end = await this.#liveOfWorker(order, told)
    if (!this.#stop.signal.aborted && !told.aborted) await endJob(this.cluster, job, end)
  }

  /** Over a proxy of its own, which breaks with it. */
  async #liveOfWorker(order: WorkerOrder, told: AbortSignal): Promise<WorkerEnd> {
    const proxy = await SqlProxy.start(this.server.access())
    const life = new AbortController()
    proxy.judge = (statement) => {
      if (life.signal.aborted) return 'cutBefore'
      const fate = this.judgeWorker(statement)
      if (fate !== 'dieBefore' && fate !== 'dieAfter') return fate
      this.deaths += 1
      life.abort(new Error('killed'))
      return fate === 'dieBefore' ? 'cutBefore' : 'cutAfter'
    }
    try {
      const accesses = new Map([order.target, ...order.sources].map(({ folder }) => [folder, proxy.access()]))
      const { log } = silentInstruments
      const signal = AbortSignal.any([this.#stop.signal, life.signal, told])
      const work = { order, accesses, clock: systemClock, secrets: systemSecrets, log, review: reviewHere }
      const report = await workOnMigration(work, signal)
      const isKilled = life.signal.aborted
      const [message, exitCode] = isKilled ? ['', 137] : [reportText(report), exitCodeOf(report)]
      return { message, exitCode, isLast: false }
    } finally {
      await proxy.stop()
    }
  }

  async #standing(): Promise<string> {
    const found = await this.cluster.list(Migration)
    const jobs = (await this.jobs()).map(({ metadata, status }) => ({ name: metadata.name, status }))
    const lines = this.operator.lines.slice(-10).map((line) => `\n${JSON.stringify(line)}`)
    return JSON.stringify([found.map(({ status }) => status), jobs], null, 1) + lines.join('')
  }
}
