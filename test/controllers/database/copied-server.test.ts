// Databases whose server bootstraps from the copy of another one. Cluster and clock are in this process; the test
// reports the results of the workers.
import { describe, expect, it, onTestFinished } from 'vitest'
import { Backup } from '../../../imports/wire/backup.ts'
import { Database, type DatabaseStatus } from '../../../imports/wire/database.ts'
import type { WorkReport } from '../../../src/controllers/backup/work-report.ts'
import { database } from '../../../src/controllers/database/database.ts'
import { postgresEngine } from '../../../src/controllers/engines/postgres/postgres-driver.ts'
import {
  findCondition,
  Job,
  type LiveObject,
  Namespace,
  PersistentVolumeClaim,
  type Resource,
  Secret,
  StatefulSet,
  valueAt,
} from '../../../src/index.ts'
import { startCluster, type TestCluster } from '../../../src/testing/index.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { secretText } from '../../taint/secret-text.ts'
import { orderOfJob } from '../backup/order-of-job.ts'
import { endJob, endOf } from '../worker/ended-job.ts'

const home = 'shop'
const claim = 'data-crm-postgres-0'
const target = { pvc: { claimName: 'backups' } }
const bootstrap = { restoreFrom: { backupRef: { name: 'copied' } } }
const filled: WorkReport = { outcome: 'Completed', restored: { providerID: 'pg://7/16384' } }
const broken: WorkReport = { outcome: 'Stopped', reason: 'ChecksumMismatch', message: 'the artifact was changed' }

class Scene {
  readonly cluster: TestCluster
  #operator: { stop(): Promise<void> }

  private constructor(cluster: TestCluster) {
    this.cluster = cluster
    this.#operator = this.#live()
  }

  static async start(): Promise<Scene> {
    // The test manages the Jobs.
    const cluster = await startCluster({ definitions: await flagshipDefinitions(), controllers: ['*', '-job'] })
    onTestFinished(() => cluster.stop())
    await cluster.create(Namespace, { metadata: { name: home } })
    return new Scene(cluster)
  }

  /** Another process takes over. */
  async restart(): Promise<void> {
    await this.#operator.stop()
    this.#operator = this.#live()
  }

  async database(spec: object = {}): Promise<void> {
    const whole = { version: '15', provider: { inCluster: { storage: { size: '2Gi' } } }, bootstrap, ...spec }
    await this.cluster.create(Database, { metadata: { name: 'crm', namespace: home }, spec: whole })
  }

  /** A complete Backup that no controller reconciles. */
  async backup(name: string, method: string, serverVersion = '15.18'): Promise<void> {
    const spec = { databaseRef: { name: 'other' }, method, target }
    await this.cluster.create(Backup, { metadata: { name, namespace: home }, spec })
    const artifact = { uri: 'x', bytes: 1, sha256: 'a', manifestSha256: 'b', format: 'f', toolVersion: '15' }
    const source = { databaseUID: 'u', systemIdentifier: '7', serverVersion, snapshotLSN: '0/1' }
    const status = { phase: 'Completed', folder: `${name}/`, artifact, source }
    await this.cluster.client.patch(
      Backup,
      { namespace: home, name },
      { type: 'merge', body: { status } },
      { fieldManager: 'test', subresource: 'status' },
      new AbortController().signal,
    )
  }

  async find(resource: Resource, name: string): Promise<LiveObject | undefined> {
    return await this.cluster.find(resource, `${home}/${name}`)
  }

  async status(): Promise<DatabaseStatus> {
    return ((await this.find(Database, 'crm'))?.status ?? {}) as DatabaseStatus // The CRD has this form.
  }

  async standing(type: string): Promise<string | undefined> {
    const found = findCondition((await this.status()).conditions, type)
    return found && `${found.status} ${found.reason}`
  }

  async jobs(): Promise<readonly LiveObject[]> {
    return await this.cluster.list(Job, home)
  }

  async until<Found>(what: string, find: () => Promise<Found | undefined | false>): Promise<Found> {
    for (let passed = 0; passed < 300; passed += 1) {
      const found = await find()
      if (found !== undefined && found !== false) return found
      await this.cluster.advance(1_000)
    }
    throw new Error(`Waited for ${what}: ${JSON.stringify([await this.status(), await this.jobs()], null, 1)}`)
  }

  async worker(work: string): Promise<LiveObject> {
    return await this.until(`a worker that is to ${work}`, async () =>
      (await this.jobs()).find((job) => job.metadata.name.startsWith(`crm-${work}-`)),
    )
  }

  async becomes(type: string, standing: string): Promise<void> {
    await this.until(`${type} ${standing}`, async () => (await this.standing(type)) === standing)
  }

  #live(): { stop(): Promise<void> } {
    return this.cluster.run(database(postgresEngine, { image: 'konverge:test' }))
  }
}

describe('a Database that bootstraps from the copy of a server', () => {
  it('gets its server when its volume is filled', async () => {
    const scene = await Scene.start()
    await scene.backup('copied', 'Physical')
    await scene.database()
    const job = await scene.worker('fill')
    expect(await scene.find(Secret, 'crm-postgres-admin')).toBeDefined()
    expect(await scene.find(StatefulSet, 'crm-postgres')).toBeUndefined()
    const volume = await scene.find(PersistentVolumeClaim, claim)
    expect(volume).toMatchObject({
      metadata: { labels: { 'data.konverge.dev/database': 'crm' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
    })
    expect(volume?.metadata.ownerReferences).toBeUndefined()
    expect(valueAt(job, 'spec', 'template', 'spec')).toMatchObject({
      securityContext: { runAsUser: 999, fsGroup: 999, supplementalGroups: [65532] },
      volumes: expect.arrayContaining([
        { name: 'data', persistentVolumeClaim: { claimName: claim } },
        { name: 'store', persistentVolumeClaim: { claimName: 'backups' } },
      ]),
    })
    expect(await orderOfJob(scene.cluster, job)).toMatchObject({
      work: 'fill',
      fill: { requestId: 'bootstrap', claim, version: 15, folder: 'copied/', database: { databaseName: 'crm' } },
    })
    await scene.becomes('Ready', 'False Restoring')
    expect(await scene.status()).toMatchObject({ phase: 'Restoring', restore: { method: 'Physical' } })

    await scene.restart()
    await endJob(scene.cluster, job, endOf(filled))
    const server = await scene.until('the server', () => scene.find(StatefulSet, 'crm-postgres'))
    expect(valueAt(server, 'spec', 'replicas')).toBe(1)
    await scene.becomes('Restored', 'True RestoreCompleted')
    expect((await scene.find(PersistentVolumeClaim, claim))?.metadata.uid).toBe(volume?.metadata.uid)
    await scene.until('the worker to be gone', async () => (await scene.jobs()).length === 0)
  })

  it('fails when its Backup is gone, and may then bootstrap from another', async () => {
    const scene = await Scene.start()
    await scene.backup('copied', 'Physical')
    await scene.backup('dumped', 'Logical')
    await scene.database()
    await endJob(scene.cluster, await scene.worker('fill'), endOf(broken))
    const clearing = await scene.worker('clear')
    expect(await orderOfJob(scene.cluster, clearing)).toMatchObject({ clear: { requestId: 'bootstrap', claim } })
    await scene.restart()
    await endJob(scene.cluster, clearing, endOf({ outcome: 'Completed' }))
    await scene.becomes('Restored', 'False ChecksumMismatch')
    await scene.becomes('Stalled', 'True ChecksumMismatch')
    expect(await scene.find(StatefulSet, 'crm-postgres')).toBeUndefined()

    const restore = { requestID: 'r1', from: { backupRef: { name: 'dumped' } } }
    await scene.cluster.patch(Database, `${home}/crm`, { spec: { restore } })
    await scene.until('the server, which comes first now', () => scene.find(StatefulSet, 'crm-postgres'))
    expect((await scene.status()).restore).toMatchObject({ requestID: 'r1', method: 'Logical' })
  })

  it('is complete when the last worker died after its work was done', async () => {
    const scene = await Scene.start()
    await scene.backup('copied', 'Physical')
    await scene.database()
    await endJob(scene.cluster, await scene.worker('fill'), endOf({ ...broken, reason: 'Killed' }))
    await endJob(scene.cluster, await scene.worker('clear'), endOf(filled))
    await scene.becomes('Restored', 'True RestoreCompleted')
    await scene.until('the server', () => scene.find(StatefulSet, 'crm-postgres'))
  })

  it('has no server before its bootstrap source is known', async () => {
    const scene = await Scene.start()
    await scene.database()
    await scene.becomes('Ready', 'False BackupMissing')
    expect(await scene.find(StatefulSet, 'crm-postgres')).toBeUndefined()
    await scene.backup('copied', 'Logical')
    await scene.until('the server', () => scene.find(StatefulSet, 'crm-postgres'))
  })

  it('rejects files of another version, and creates nothing', async () => {
    const scene = await Scene.start()
    await scene.backup('copied', 'Physical', '14.2')
    await scene.database()
    await scene.becomes('Ready', 'False VersionMismatch')
    await scene.becomes('Restored', 'Unknown VersionMismatch')
    expect(await scene.find(PersistentVolumeClaim, claim)).toBeUndefined()
    expect(await scene.jobs()).toEqual([])
  })

  it('leaves an existing volume alone, and continues when it is gone', async () => {
    const scene = await Scene.start()
    await scene.backup('copied', 'Physical')
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
    await scene.cluster.create(PersistentVolumeClaim, { metadata: { name: claim, namespace: home }, spec })
    const data = { password: btoa(secretText('pw')) }
    const annotations = { 'konverge.dev/adopt': 'Database/crm' }
    const metadata = { name: 'crm-postgres-admin', namespace: home, annotations }
    await scene.cluster.create(Secret, { metadata, data })
    await scene.database()
    await scene.becomes('Ready', 'False VolumeInUse')
    expect(await scene.jobs()).toEqual([])
    expect((await scene.find(PersistentVolumeClaim, claim))?.metadata.labels).toBeUndefined()
    await scene.cluster.delete(PersistentVolumeClaim, `${home}/${claim}`)
    await scene.worker('fill')
  })

  it('clears its volume before it is removed', async () => {
    const scene = await Scene.start()
    await scene.backup('copied', 'Physical')
    await scene.database()
    await scene.worker('fill')
    await scene.becomes('Ready', 'False Restoring')
    await scene.cluster.delete(Database, `${home}/crm`)
    const clearing = await scene.worker('clear')
    expect(await scene.find(Database, 'crm')).toBeDefined()
    await endJob(scene.cluster, clearing, endOf({ outcome: 'Completed' }))
    await scene.until('the Database to be gone', async () => (await scene.find(Database, 'crm')) === undefined)
    expect(await scene.find(PersistentVolumeClaim, claim)).toBeDefined()
  })
})
