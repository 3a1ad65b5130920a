// Worker of a backup: it needs only the files that a pod mounts. Uses PostgreSQL's own tools, a folder and a bucket.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { workerBackup } from '../../src/cli/worker-backup.ts'
import { folderOf } from '../../src/controllers/backup/backup-worker.ts'
import { type OrderedStore, type WorkOrder, workDigest, workText } from '../../src/controllers/backup/work-order.ts'
import { type WorkReport, workReportIn } from '../../src/controllers/backup/work-report.ts'
import type { WorkStep } from '../../src/controllers/backup/work-runner.ts'
import type { OrderedDatabase } from '../../src/controllers/migration/worker-order.ts'
import { order as backup, makeDatabase, verification } from '../controllers/backup/backup-stage.ts'
import { fillOrder } from '../controllers/backup/fill-stage.ts'
import { order as physical } from '../controllers/backup/physical-stage.ts'
import { onPostgresOf } from '../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../postgres/postgres-server.ts'
import { bucket, type S3Here, s3ForSuite } from '../s3/on-s3.ts'

/** No tool of this machine can back up a newer version. */
const newestTool = 15

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-worker-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

interface Pod {
  readonly folder: string
  work(
    order: WorkOrder,
    changes?: { readonly digest?: string; readonly step?: WorkStep },
  ): Promise<{ report?: WorkReport; code: number }>
  /** Runs both steps. */
  stepped(order: WorkOrder): Promise<{ report?: WorkReport; code: number }>
}

/** Files of a worker's pod, with the server and the bucket if known. */
async function podOf(server: PostgresServer | undefined, s3?: S3Here): Promise<Pod> {
  const folder = await newFolder()
  const { host, port, username, password } = server?.access() ?? { host: '', port: 0, username: '', password: '' }
  const { credentials } = s3?.access ?? {}
  const files: readonly (readonly [string, string])[] = [
    ...Object.entries({ host, port: String(port), username, password: `${password}\n` }).map(
      ([key, value]) => [`database/${key}`, value] as const,
    ),
    ...(credentials === undefined
      ? []
      : ([
          ['store/accessKeyId', credentials.accessKeyId],
          ['store/secretAccessKey', credentials.secretAccessKey],
        ] as const)),
  ]
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  await mkdir(join(folder, 'scratch'))
  await mkdir(join(folder, 'volume'))
  await mkdir(join(folder, 'data'))
  // As root, the server runs as another user, who needs access to its files.
  for (const open of [folder, join(folder, 'scratch'), join(folder, 'data')]) await chmod(open, 0o711)
  const work: Pod['work'] = async (order, { digest, step } = {}) => {
    const text = workText(order)
    const [path, terminationLog] = [join(folder, 'order.json'), join(folder, 'end')]
    await writeFile(path, text)
    const error: unknown = await workerBackup(
      {
        ...{ works: [order.work], order: path, digest: digest ?? workDigest(text), terminationLog },
        ...(step === 'prove' ? {} : { credentials: folder, store: join(folder, 'volume') }),
        ...{ data: join(folder, 'data'), scratch: join(folder, 'scratch') },
        ...(step === undefined ? {} : { step }),
        environment: {},
        output: { write: () => true },
      },
      new AbortController().signal,
    ).catch((thrown: unknown) => thrown)
    const report = workReportIn(await readFile(terminationLog, 'utf8').catch(() => undefined))
    const code = error === undefined ? 0 : (error as { exitCode: number }).exitCode // Sound: a CommandError.
    return { ...(report && { report }), code }
  }
  const stepped: Pod['stepped'] = async (order) => {
    const fetched = await work(order, { step: 'fetch' })
    return fetched.code === 0 ? await work(order, { step: 'prove' }) : fetched
  }
  return { folder, work, stepped }
}

const database: OrderedDatabase = {
  ...{ name: 'shop/crm', folder: 'database', database: 'crm', maintenanceDatabase: 'postgres', owner: 'crm_owner' },
  ...{ tls: 'disable', hasAuthority: false },
}
const common = (store: OrderedStore) => ({ format: 1, name: 'shop/nightly', store }) as const
const queries = [{ sql: 'SELECT count(*) FROM public.orders', expect: '1000' }]

const orders = (store: OrderedStore): readonly [WorkOrder, WorkOrder, WorkOrder, WorkOrder] => [
  { ...common(store), work: 'backup', database, backup },
  { ...common(store), work: 'verify', restoresOn: database, verification: { ...verification, queries } },
  { ...common(store), work: 'verify', verification },
  { ...common(store), work: 'discard', folder: folderOf(backup) },
]

onPostgresOf(
  (major) => major <= newestTool,
  'the worker of a backup',
  (server, version) => {
    const startS3 = s3ForSuite()

    it('makes, verifies and discards a backup on a volume', async () => {
      await makeDatabase(server())
      const { folder, work } = await podOf(server())
      const [make, restore, read, discard] = orders({ kind: 'folder', claim: 'backups', path: 'prod/a' })
      const made = await work(make)
      expect(made).toMatchObject({ code: 0, report: { outcome: 'Completed' } })
      expect(made.report?.made).toMatchObject({
        artifact: { uri: `pvc://backups/prod/a/${folderOf(backup)}`, format: 'pg_dump/custom' },
        source: { tables: 5, rows: 1604 },
      })
      expect((await work(make)).report?.made).toEqual(made.report?.made)
      expect(await work(restore)).toEqual({ code: 0, report: { outcome: 'Completed' } })
      expect(await work(read)).toEqual({ code: 0, report: { outcome: 'Completed' } })
      expect(await readdir(join(folder, 'scratch'))).toEqual([])
      expect(await work(discard)).toEqual({ code: 0, report: { outcome: 'Completed' } })
      expect(await work(discard)).toEqual({ code: 0, report: { outcome: 'Completed' } })
      expect(await work(read)).toMatchObject({ code: 2, report: { outcome: 'Stopped', reason: 'ManifestRefused' } })
      const files = await readdir(join(folder, 'volume'), { recursive: true, withFileTypes: true })
      expect(files.filter((file) => file.isFile())).toEqual([])
    })

    it('removes leftovers of killed workers, and keeps a backup unchanged', async () => {
      await makeDatabase(server())
      const { folder, work } = await podOf(server())
      const store = { kind: 'folder', claim: 'backups' } as const
      const [make, restore] = orders(store)
      const at = join(folder, 'volume', folderOf(backup))
      const tidy = { backup: backup.backup, folder: folderOf(backup) }
      const order: WorkOrder = { ...common(store), work: 'tidy', restoresOn: database, tidy }
      const left = async () =>
        (await server().byHand(`SELECT datname FROM pg_database WHERE datname LIKE '\\_verify%'`)).length

      await work(make)
      const files = await readdir(at)
      await writeFile(join(at, 'artifact-of-another.dump'), 'cut o')
      expect(await work(order)).toEqual({ code: 0, report: { outcome: 'Completed' } })
      expect((await readdir(at)).toSorted()).toEqual(files.toSorted())
      expect(await work(restore)).toMatchObject({ code: 0 })

      await rm(join(at, 'manifest.json'))
      expect(await work(order)).toEqual({ code: 0, report: { outcome: 'Completed' } })
      expect(await readdir(at).catch(() => [])).toEqual([])
      expect(await left()).toBe(0)
    })

    it('makes, verifies and discards a backup in a bucket', async () => {
      await makeDatabase(server())
      const s3 = await startS3()
      const { work } = await podOf(server(), s3)
      const { region, endpoint, forcePathStyle } = s3.access
      const place = { bucket, prefix: 'prod', region, endpoint, forcePathStyle, hasKeys: true }
      const [make, restore, , discard] = orders({ kind: 's3', ...place })
      expect((await work(make)).report?.made?.artifact.uri).toBe(`s3://${bucket}/prod/${folderOf(backup)}`)
      expect(await work(restore)).toEqual({ code: 0, report: { outcome: 'Completed' } })
      expect(await work(discard)).toEqual({ code: 0, report: { outcome: 'Completed' } })
      expect((await work(restore)).code).toBe(2)
    })

    it('copies a server to a bucket, verifies the copy there, and fills a volume once', async () => {
      await makeDatabase(server())
      const s3 = await startS3()
      const { folder, work, stepped } = await podOf(server(), s3)
      const { region, endpoint, forcePathStyle } = s3.access
      const store = { kind: 's3', bucket, region, endpoint, forcePathStyle, hasKeys: true } as const
      const [proof, fill] = [{ ...verification, queries }, fillOrder(version)]
      const made = await work({ ...common(store), work: 'backup', database, backup: physical })
      expect(made.report?.made?.artifact).toMatchObject({
        uri: `s3://${bucket}/${folderOf(backup)}`,
        format: 'pg_basebackup/tar',
      })
      const proven = await stepped({ ...common(store), work: 'verify', copy: 'started', verification: proof })
      expect(proven).toEqual({ code: 0, report: { outcome: 'Completed' } })
      const filled = await stepped({ ...common(store), work: 'fill', fill })
      expect(filled).toMatchObject({
        code: 0,
        report: { outcome: 'Completed', restored: { providerID: expect.stringMatching(/^pg:/) } },
      })
      expect(await readdir(join(folder, 'data'))).toEqual(['pgdata'])
      const clear = { format: 1, name: 'shop/copy', work: 'clear', clear: fill } as const
      expect(await work(clear)).toEqual(filled)
      const other = { ...fill, requestId: 'r2' }
      expect(await stepped({ ...common(store), work: 'fill', fill: other })).toMatchObject({
        ...{ code: 2, report: { outcome: 'Stopped', reason: 'VolumeInUse' } },
      })
      expect(await work({ ...clear, clear: other })).toEqual({ code: 0, report: { outcome: 'Completed' } })
      expect(await readdir(join(folder, 'scratch'))).toEqual([])
    })

    it('requests a retry while the server is unreachable, and never prints a password', async () => {
      const { work, folder } = await podOf(server())
      await writeFile(join(folder, 'database/port'), '1')
      const [make] = orders({ kind: 'folder', claim: 'backups' })
      const { code, report } = await work(make)
      expect([code, report?.outcome, report?.reason]).toEqual([1, 'Interrupted', 'ServerUnreachable'])
      expect(JSON.stringify(report)).not.toContain(server().access().password)
    })

    it('rejects an order with another digest than the Job’s', async () => {
      const { work } = await podOf(undefined)
      const [make] = orders({ kind: 'folder', claim: 'backups' })
      expect(await work(make, { digest: workDigest('another') })).toEqual({ code: 2 })
    })
  },
)

onPostgresOf(
  (major) => major > newestTool,
  'the worker of a backup of a newer server',
  (server) => {
    it('reports that no tool fits, and that a retry will not help', async () => {
      await makeDatabase(server())
      const { work } = await podOf(server())
      const [make] = orders({ kind: 'folder', claim: 'backups' })
      expect(await work(make)).toMatchObject({ code: 2, report: { outcome: 'Stopped', reason: 'VersionMismatch' } })
    })
  },
)
