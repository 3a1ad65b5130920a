// Fixture: a Backup as a resource in a cluster in this process with a clock that tests move.
// The Database is reported ready, and a stand-in for a node reports the end of Jobs.
import { onTestFinished } from 'vitest'
import { databaseServerNames } from '../../../constructs/index.ts'
import { Backup, type BackupSpecInput, type BackupStatus } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import { backup } from '../../../src/controllers/backup/backup.ts'
import { folderOf } from '../../../src/controllers/backup/backup-worker.ts'
import { addressOf, type WorkOrder } from '../../../src/controllers/backup/work-order.ts'
import type { WorkReport } from '../../../src/controllers/backup/work-report.ts'
import {
  type Condition,
  findCondition,
  Job,
  type LiveObject,
  Namespace,
  type Resource,
  Secret,
  Service,
  valueAt,
} from '../../../src/index.ts'
import { ownerReferenceTo } from '../../../src/object/ownership.ts'
import { startCluster, type TestCluster } from '../../../src/testing/index.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { secretText } from '../../taint/secret-text.ts'
import { openLabels } from '../open-labels.ts'
import { endJob, endOf } from '../worker/ended-job.ts'
import { orderOfJob } from './order-of-job.ts'

export const home = 'shop'
export const target = { pvc: { claimName: 'backups' } }
const stepMs = 1_000

type Answer = WorkReport | 'works' | 'dies' | 'late'

/** Runs the operator until it is stopped. */
export type Operate = (cluster: TestCluster) => { stop(): Promise<unknown> }

const controllers = () => [backup({ image: 'konverge:test' })]

export class BackupScene {
  readonly cluster: TestCluster
  /** Outcome of the worker of an order. */
  answer: (order: WorkOrder) => Answer = (order) => this.done(order)
  /** Executed orders: `backup`, `verify`, `discard` with the Backup's name. */
  readonly worked: string[] = []
  /** Folders in the store. */
  readonly stored = new Set<string>()
  /** Action before time moves on. */
  beforeStep: () => Promise<void> = async () => {}
  readonly #operate: Operate
  #operator: { stop(): Promise<unknown> }

  private constructor(cluster: TestCluster, operate: Operate) {
    this.cluster = cluster
    this.#operate = operate
    this.#operator = operate(cluster)
  }

  /** Stops with the test. */
  static async start(operate: Operate = (cluster) => cluster.run(...controllers())): Promise<BackupScene> {
    // The fixture handles Jobs.
    const cluster = await startCluster({ definitions: await flagshipDefinitions(), controllers: ['*', '-job'] })
    const scene = new BackupScene(cluster, operate)
    onTestFinished(() => cluster.stop())
    await cluster.create(Namespace, { metadata: { name: home } })
    const values = Object.entries({ host: 'db', port: '5432', username: 'admin', password: secretText('pw') })
    const data = Object.fromEntries(values.map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
    await cluster.create(Secret, { metadata: { name: 'server', namespace: home, labels: openLabels }, data })
    return scene
  }

  /** A Database without controller, whose status is set here. */
  async database(name = 'crm'): Promise<void> {
    const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } }
    await this.cluster.create(Database, { metadata: { name, namespace: home }, spec: { provider } })
    await this.patchStatus(Database, name, {
      ...{ phase: 'Ready', identity: { systemIdentifier: '7', databaseOID: 16384 }, observedGeneration: 1 },
    })
  }

  /** Like `database`, with a server of its own. */
  async ownServer(name = 'crm'): Promise<void> {
    const { adminSecret, clientService } = databaseServerNames(name)
    const values = Object.entries({ host: 'db', port: '5432', username: 'postgres', password: secretText('pw') })
    const data = Object.fromEntries(values.map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
    await this.cluster.create(Secret, { metadata: { name: adminSecret, namespace: home }, data })
    const provider = { inCluster: {} }
    const object = { metadata: { name, namespace: home }, spec: { provider, version: '15' } }
    const ownerReferences = [{ ...ownerReferenceTo(await this.cluster.create(Database, object)) }]
    const metadata = { name: clientService, namespace: home, ownerReferences }
    await this.cluster.create(Service, { metadata, spec: { ports: [{ port: 5432 }] } })
    await this.patchStatus(Database, name, {
      ...{ phase: 'Ready', identity: { systemIdentifier: '7', databaseOID: 16384 }, observedGeneration: 1 },
    })
  }

  async create(name: string, spec: Partial<BackupSpecInput> = {}): Promise<void> {
    const whole = { databaseRef: { name: 'crm' }, target, ...spec }
    await this.cluster.create(Backup, { metadata: { name, namespace: home }, spec: whole })
  }

  async patch(name: string, change: object): Promise<void> {
    await this.cluster.patch(Backup, `${home}/${name}`, change)
  }

  async delete(name: string): Promise<void> {
    await this.cluster.delete(Backup, `${home}/${name}`)
  }

  /** Stops the operator. */
  async sleep(): Promise<void> {
    await this.#operator.stop()
  }

  /** Another process takes over. */
  async restart(): Promise<void> {
    await this.#operator.stop()
    this.#operator = this.#operate(this.cluster)
  }

  async find(name: string): Promise<(LiveObject & { readonly status?: BackupStatus }) | undefined> {
    return (await this.cluster.find(Backup, `${home}/${name}`)) as never // A Backup has this type.
  }

  async status(name: string): Promise<BackupStatus> {
    return (await this.find(name))?.status ?? {}
  }

  /** `True RestoreVerified` */
  async standing(name: string, type: string): Promise<string | undefined> {
    const found = await this.condition(name, type)
    return found && `${found.status} ${found.reason}`
  }

  async condition(name: string, type: string): Promise<Condition | undefined> {
    return findCondition((await this.status(name)).conditions as readonly Condition[] | undefined, type)
  }

  async names(): Promise<readonly string[]> {
    return (await this.cluster.list(Backup, home)).map(({ metadata }) => metadata.name).sort()
  }

  async jobs(): Promise<readonly string[]> {
    return (await this.cluster.list(Job, home)).map(({ metadata }) => metadata.name).sort()
  }

  /** Moves time, and lets the node handle its Jobs. */
  async pass(ms: number, step = stepMs): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += step) {
      await this.beforeStep()
      await this.#seeToJobs()
      await this.cluster.advance(Math.min(step, ms - passedMs))
    }
  }

  /** Moves time to a given time, in steps that are long enough for a year and short enough for each scheduled time. */
  async passUntil(time: string, step = 60_000): Promise<void> {
    await this.pass(Date.parse(time) - this.cluster.clock.now(), step)
  }

  async until(what: string, isSo: () => Promise<boolean>, limitMs = 300_000): Promise<void> {
    for (let passedMs = 0; !(await isSo()); passedMs += stepMs) {
      if (passedMs > limitMs) {
        const found = await this.cluster.list(Backup, home)
        throw new Error(`Waited for ${what}: ${JSON.stringify([found, await this.jobs()], null, 1)}`)
      }
      await this.pass(stepMs)
    }
  }

  async becomes(name: string, type: string, standing: string): Promise<void> {
    await this.until(`${name} to have ${type} ${standing}`, async () => (await this.standing(name, type)) === standing)
  }

  async goes(name: string): Promise<void> {
    await this.until(`${name} to be gone`, async () => (await this.find(name)) === undefined)
  }

  done(order: WorkOrder): WorkReport {
    this.worked.push(`${order.work} ${order.name.slice(home.length + 1)}`)
    if (order.work === 'discard') this.stored.delete(order.folder)
    if (order.work !== 'backup') return { outcome: 'Completed' }
    const folder = folderOf(order.backup)
    this.stored.add(folder)
    const time = new Date(this.cluster.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
    return {
      outcome: 'Completed',
      made: {
        artifact: {
          ...{ uri: addressOf(order.store, folder), bytes: 1_000, sha256: 'ab', manifestSha256: 'cd' },
          ...{ format: 'pg_dump/custom', toolVersion: '15.18' },
        },
        source: {
          ...{ databaseUID: order.backup.database.uid, systemIdentifier: '7', serverVersion: '15.18' },
          ...{ snapshotLSN: '0/1', ...('method' in order.backup ? {} : { tables: 3, rows: 1_600 }) },
        },
        ...{ startedAt: time, completedAt: time },
      },
    }
  }

  async patchStatus(resource: Resource, name: string, status: object): Promise<void> {
    const options = { fieldManager: 'test', subresource: 'status' } as const
    const patch = { type: 'merge', body: JSON.parse(JSON.stringify({ status })) } as const
    const { signal } = new AbortController()
    await this.cluster.client.patch(resource, { namespace: home, name }, patch, options, signal)
  }

  async #seeToJobs(): Promise<void> {
    for (const job of await this.cluster.list(Job, home)) {
      const isOver = valueAt(job, 'status', 'conditions') !== undefined
      if (isOver || valueAt(job, 'spec', 'suspend') === true) continue
      const order = await orderOfJob(this.cluster, job)
      const answer = this.answer(order)
      if (answer === 'works') continue
      await endJob(this.cluster, job, endOf(answer))
    }
  }
}
