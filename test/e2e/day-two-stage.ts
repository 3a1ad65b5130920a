// Environment for day-two operations: a real control plane, a local node whose pods are processes, and the operator.
// The operator runs in its own process with the rights that `konverge install` prints. The methods send what a user
// sends by kubectl and psql.
import { Client, type ClientConfig } from 'pg'
import { expect, onTestFinished } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { WritingClient } from '../controllers/upgrade/writing-client.ts'
import { NodeHere } from '../local-node/node-here.ts'
import { operatorKubeconfig, refusalsOf } from './operator-account.ts'
import { OperatorProcess } from './operator-process.ts'
import { secretValues } from './pod-postgres.ts'
import { argumentsFor } from './proxied-operator.ts'
import { OwnRealServer } from './real-story-server.ts'
import { operatorNamespace } from './rights.ts'
import { installDefinitions } from './stores.ts'

/** Limit of one wait, for a machine under load. */
const patienceMs = 300_000

export class DayTwoStage {
  readonly namespace = 'shop'
  readonly #cluster: ControlPlane
  readonly #server: OwnRealServer
  readonly #node: NodeHere
  #operator: OperatorProcess | undefined

  private constructor(cluster: ControlPlane, node: NodeHere) {
    this.#cluster = cluster
    this.#server = new OwnRealServer(cluster)
    this.#node = node
  }

  /** Starts the environment with a PersistentVolumeClaim `backups`. The caller stops it. */
  static async start(): Promise<DayTwoStage> {
    await using undo = new AsyncDisposableStack()
    const cluster = await startControlPlane({ auditLog: true })
    undo.defer(() => cluster.stop())
    const node = await NodeHere.start({ kubeconfigPath: cluster.kubeconfigPath, name: 'local' })
    undo.defer(() => node.stop())
    const stage = new DayTwoStage(cluster, node)
    await installDefinitions(stage.#server)
    const { namespace } = stage
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    await cluster.apply({
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'backups', namespace } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
    await stage.startOperator()
    undo.move()
    return stage
  }

  async stop(): Promise<void> {
    await this.#operator?.stop()
    await this.#node.stop()
    await this.#server.stop()
  }

  async startOperator(): Promise<void> {
    const args = argumentsFor({ backoff: { baseMs: 1_000, capMs: 30_000 } })
    this.#operator = await new OperatorProcess(await operatorKubeconfig(this.#cluster), args).ready()
  }

  /** Kills the operator with SIGKILL. */
  async killOperator(): Promise<void> {
    await this.#operator?.stop('SIGKILL')
    this.#operator = undefined
  }

  /** Returns the requests of the operator that the API server answered with 403. */
  refusals(): Promise<readonly string[]> {
    return refusalsOf(this.#cluster, operatorNamespace)
  }

  async own(kind: string, name: string, spec: object): Promise<void> {
    const metadata = { name, namespace: this.namespace }
    await this.#cluster.apply({ apiVersion: 'data.konverge.dev/v1alpha1', kind, metadata, spec })
  }

  async patch(resource: string, spec: object): Promise<void> {
    await this.kubectl(...patchOf(resource, spec))
  }

  /** Patches with a spec that the API server rejects; returns the error text. */
  async refusalOf(resource: string, spec: object): Promise<string> {
    const { exitCode, stderr } = await this.#kubectl(...patchOf(resource, spec))
    expect(exitCode).toBe(1)
    return stderr
  }

  /** Waits with `kubectl wait --for=<what>`, for example `condition=Verified`. */
  async has(resource: string, what: string): Promise<void> {
    const { exitCode, stderr } = await this.#kubectl(
      'wait',
      `--for=${what}`,
      resource,
      `--timeout=${patienceMs / 1_000}s`,
    )
    if (exitCode !== 0) throw new Error(`${stderr}\n${await this.#sight(resource)}`)
  }

  /** Returns the name of the worker Job whose name begins with `<stem>-`. */
  async jobOf(stem: string): Promise<string> {
    const jobs = (await this.kubectl('get', 'jobs', '-o', 'name')).split('\n')
    const job = jobs.find((name) => name.startsWith(`job.batch/${stem}-`))
    expect(job, jobs.join(' ')).toBeDefined()
    return job ?? ''
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    await waitUntil({ what, limitMs: patienceMs, everyMs: 100 }, isSo)
  }

  /** Runs kubectl in the namespace; returns its output. */
  async kubectl(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await this.#kubectl(...args)
    expect(exitCode, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0)
    return stdout
  }

  #kubectl(...args: readonly string[]) {
    return this.#cluster.kubectl('-n', this.namespace, ...args)
  }

  /** Collects the object, the pods and their logs for an error message. */
  async #sight(resource: string): Promise<string> {
    const object = await this.kubectl('get', resource, '-o', 'yaml')
    const all = await this.kubectl('get', 'db,dbu,bak,pods,jobs,pvc')
    const pods = (await this.kubectl('get', 'pods', '-o', 'name')).split('\n').filter((pod) => pod !== '')
    const said = await Promise.all(
      pods.map(async (pod) => {
        const { stdout, stderr } = await this.#kubectl('logs', pod, '--all-containers', '--prefix', '--tail=10')
        return stdout + stderr
      }),
    )
    const log = this.#operator?.lines.slice(-10).map((line) => JSON.stringify(line)) ?? []
    return [object, all, ...said, ...log, ...this.#node.lines.slice(-10)].join('\n')
  }

  /** Runs SQL as the administrator of a Database's server. */
  async byHand(name: string, text: string): Promise<readonly Record<string, unknown>[]> {
    return await ask(await this.#administrator(name), text)
  }

  /** Locks a catalog of a Database's server against changes, at most until the test ends. */
  async hold(name: string, catalog: string) {
    const client = await connect({ ...(await this.#administrator(name)), database: 'postgres' })
    onTestFinished(() => client.end())
    await client.query(`BEGIN; LOCK TABLE ${catalog} IN SHARE MODE`)
    const waiting = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE NOT l.granted AND l.relation = '${catalog}'::regclass AND a.backend_type = 'client backend'`
    const isWaitedFor = () =>
      this.until(`somebody to wait for ${catalog}`, async () => {
        // Within a transaction pg_stat_activity returns the first snapshot until it is cleared.
        await client.query('SELECT pg_stat_clear_snapshot()')
        return (await client.query(waiting)).rows.length > 0
      })
    return { isWaitedFor, letGo: () => client.query('COMMIT') }
  }

  /** Runs SQL as an application with the Secret of its DatabaseUser. */
  async asUser(user: string, text: string): Promise<readonly Record<string, unknown>[]> {
    return await ask(await this.#login(user), text)
  }

  /** Starts an application that writes as this user until the test ends. */
  async application(user: string) {
    const where = await this.#login(user)
    const client = new WritingClient(() => where)
    const run = client.run()
    onTestFinished(async () => {
      client.stop()
      await run
    })
    const writes = async () => {
      const before = client.acknowledged
      await this.until('the application to write', async () => client.acknowledged > before + 10)
    }
    /** Returns the acknowledged rows that are missing from the table. */
    const lost = async () => {
      const told = [...client.numbers]
      const found = await this.asUser(user, 'SELECT n FROM orders WHERE n < 0')
      const there = new Set(found.map(({ n }) => n))
      return told.filter((n) => !there.has(n))
    }
    await writes()
    return { writes, lost }
  }

  async #administrator(name: string): Promise<ClientConfig> {
    const { password = '' } = await this.#secret(`${name}-postgres-admin`)
    return await this.#reached(`${name}-postgres`, { user: 'postgres', password, database: name })
  }

  async #login(user: string): Promise<ClientConfig> {
    const { host = '', username, password, database } = await this.#secret(`${user}-db`)
    return await this.#reached(host, { user: username, password, database })
  }

  async #secret(name: string): Promise<Readonly<Record<string, string>>> {
    return secretValues(await this.#server.get({ namespace: this.namespace, kind: 'secret', name }))
  }

  /** Returns the login with the Service's address: Service names do not resolve outside a local node. */
  async #reached(host: string, login: ClientConfig): Promise<ClientConfig> {
    const [service = ''] = host.split('.')
    const path = 'jsonpath={.metadata.annotations.konverge\\.dev/local-address}'
    const address = await this.kubectl('get', 'service', service, '-o', path)
    return { ...login, host: address, port: 5432, ssl: { rejectUnauthorized: false } }
  }
}

function patchOf(resource: string, spec: object): readonly string[] {
  return ['patch', resource, '--type=merge', '-p', JSON.stringify({ spec })]
}

async function ask(config: ClientConfig, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = await connect(config)
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

async function connect(config: ClientConfig): Promise<Client> {
  const client = new Client(config)
  client.on('error', () => undefined) // The awaiting caller receives the error as a rejection.
  await client.connect()
  return client
}
