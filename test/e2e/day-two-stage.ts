// Where day-two work is told as a cluster does it: a real control plane, a local node whose pods are processes of this machine, and the
// operator in a process of its own with the rights that `konverge install` prints. What is done here a person does with kubectl and psql.
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

/** Of one wait, on a machine that does much else. */
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

  /** With a volume claim `backups`. Stop it. */
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

  /** With -9. */
  async killOperator(): Promise<void> {
    await this.#operator?.stop('SIGKILL')
    this.#operator = undefined
  }

  /** What it had no right to. */
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

  /** In the server's words. */
  async refusalOf(resource: string, spec: object): Promise<string> {
    const { exitCode, stderr } = await this.#kubectl(...patchOf(resource, spec))
    expect(exitCode).toBe(1)
    return stderr
  }

  /** As `kubectl wait` has it: `condition=Verified`. */
  async has(resource: string, what: string): Promise<void> {
    const { exitCode, stderr } = await this.#kubectl(
      'wait',
      `--for=${what}`,
      resource,
      `--timeout=${patienceMs / 1_000}s`,
    )
    if (exitCode !== 0) throw new Error(`${stderr}\n${await this.#sight(resource)}`)
  }

  /** A Job of a worker that there is. */
  async jobOf(stem: string): Promise<string> {
    const jobs = (await this.kubectl('get', 'jobs', '-o', 'name')).split('\n')
    const job = jobs.find((name) => name.startsWith(`job.batch/${stem}-`))
    expect(job, jobs.join(' ')).toBeDefined()
    return job ?? ''
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    await waitUntil({ what, limitMs: patienceMs, everyMs: 100 }, isSo)
  }

  /** In the namespace; what it says. */
  async kubectl(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await this.#kubectl(...args)
    expect(exitCode, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0)
    return stdout
  }

  #kubectl(...args: readonly string[]) {
    return this.#cluster.kubectl('-n', this.namespace, ...args)
  }

  /** All that is known where it is not as wanted. */
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

  /** As the administrator of a Database's server. */
  async byHand(name: string, text: string): Promise<readonly Record<string, unknown>[]> {
    return await ask(await this.#administrator(name), text)
  }

  /** Keeps everybody from changing this catalog of a Database's server; at the longest until the test ends. */
  async hold(name: string, catalog: string) {
    const client = await connect({ ...(await this.#administrator(name)), database: 'postgres' })
    onTestFinished(() => client.end())
    await client.query(`BEGIN; LOCK TABLE ${catalog} IN SHARE MODE`)
    const waiting = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE NOT l.granted AND l.relation = '${catalog}'::regclass AND a.backend_type = 'client backend'`
    const isWaitedFor = () =>
      this.until(`somebody to wait for ${catalog}`, async () => {
        // In a transaction the sessions are those that were seen first.
        await client.query('SELECT pg_stat_clear_snapshot()')
        return (await client.query(waiting)).rows.length > 0
      })
    return { isWaitedFor, letGo: () => client.query('COMMIT') }
  }

  /** As an application with the Secret of its DatabaseUser. */
  async asUser(user: string, text: string): Promise<readonly Record<string, unknown>[]> {
    return await ask(await this.#login(user), text)
  }

  /** It writes as this user until the test ends. */
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
    /** What it was told of and is not there. */
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

  /** No name leads to a Service on a local node. */
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
  client.on('error', () => undefined) // Whoever asks hears of it by the rejection.
  await client.connect()
  return client
}
