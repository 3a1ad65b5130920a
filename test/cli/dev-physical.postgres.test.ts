// Bootstrap of a Database from the copy of another one's server, by worker processes as by pods in a cluster. Uses
// `konverge dev`: the operator, the local node, volumes, a bucket, and real PostgreSQLs in pods.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { BackupStatus } from '../../imports/wire/backup.ts'
import type { DatabaseStatus } from '../../imports/wire/database.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { openLabels } from '../controllers/open-labels.ts'
import { bucket, s3ForSuite } from '../s3/on-s3.ts'
import { RunningKonverge } from './running-konverge.ts'

const limitMs = 300_000
const shop = '/api/v1/namespaces/shop'
const group = '/apis/data.konverge.dev/v1alpha1/namespaces/shop'

type Told = { readonly status?: BackupStatus & DatabaseStatus }

class Cluster {
  readonly #run: RunningKonverge

  constructor(run: RunningKonverge) {
    this.#run = run
  }

  async create(path: string, body: object): Promise<void> {
    const { status, text } = await this.#run.ask({ method: 'POST', path, body })
    expect(status, text).toBe(201)
  }

  async own(kind: string, name: string, spec: object): Promise<void> {
    const apiVersion = 'data.konverge.dev/v1alpha1'
    await this.create(`${group}/${kind.toLowerCase()}s`, { apiVersion, kind, metadata: { name }, spec })
  }

  async find(path: string): Promise<Told | undefined> {
    const { status, text } = await this.#run.ask({ method: 'GET', path })
    return status === 404 ? undefined : JSON.parse(text)
  }

  async has(path: string, type: string, standing: string): Promise<NonNullable<Told['status']>> {
    let seen: Told | undefined
    const wait = { what: `${path} to have ${type} ${standing}`, limitMs: 240_000, everyMs: 200 }
    await waitUntil(wait, async () => {
      seen = await this.find(path)
      const found = seen?.status?.conditions?.find((known) => known.type === type)
      return found !== undefined && `${found.status} ${found.reason}`.startsWith(standing)
    }).catch((error: unknown) => {
      throw new Error(`${path}: ${JSON.stringify(seen, null, 1)}`, { cause: error })
    })
    return seen?.status ?? {}
  }
}

describe('a Database that begins with the copy of a server', () => {
  const startS3 = s3ForSuite()

  it('has all data of its source, and is independent of it', { timeout: 2 * limitMs }, async () => {
    const s3 = await startS3()
    const folder = mkdtempSync(join(tmpdir(), 'konverge-dev-physical-'))
    chmodSync(folder, 0o711) // As root, PostgreSQL runs as another user.
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    const run = new RunningKonverge(['dev', '--no-samples'], { TMPDIR: folder })
    onTestFinished(() => run.kill())
    await run.says('Ctrl-C ends everything')
    const cluster = new Cluster(run)
    await cluster.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
    const { credentials, region, endpoint, forcePathStyle } = s3.access
    await cluster.create(`${shop}/secrets`, {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', labels: openLabels }, stringData: credentials },
    })
    await cluster.create(`${shop}/persistentvolumeclaims`, {
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'backups' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })

    // A version that this machine's tools can copy.
    const server = { version: '15', provider: { inCluster: {} } }
    await cluster.own('Database', 'crm', server)
    const fill = 'CREATE TABLE bills AS SELECT n AS id FROM generate_series(1, 500) AS n'
    await cluster.own('Migration', 'v1', { databaseRef: { name: 'crm' }, steps: [{ name: 'fill', sql: fill }] })
    await cluster.has(`${group}/migrations/v1`, 'Completed', 'True')

    const method = 'Physical'
    const s3Target = { s3: { bucket, region, endpoint, forcePathStyle, credentialsSecretRef: { name: 'keys' } } }
    await cluster.own('Backup', 'copied', { databaseRef: { name: 'crm' }, method, target: s3Target })
    const { folder: path = '' } = await cluster.has(`${group}/backups/copied`, 'Verified', 'True RestoreVerified')

    // Sources by the name of the Backup, and only by its place in the bucket.
    const sources = {
      'by-name': { backupRef: { name: 'copied' } },
      'by-place': { location: { target: s3Target, path, method } },
    }
    for (const [name, restoreFrom] of Object.entries(sources)) {
      await cluster.own('Database', name, { ...server, bootstrap: { restoreFrom } })
    }
    const pvc = { pvc: { claimName: 'backups' } }
    for (const name of Object.keys(sources)) {
      const { restore, identity, providerID } = await cluster.has(`${group}/databases/${name}`, 'Ready', 'True InSync')
      expect(restore).toMatchObject({ requestID: 'bootstrap', phase: 'Completed', method })
      expect(providerID).toBe(`pg://${identity?.systemIdentifier}/${identity?.databaseOID}`)
      // The database accepts writes and backups, and has all rows of its source.
      const sql = `INSERT INTO bills VALUES (501)`
      await cluster.own('Migration', name, { databaseRef: { name }, steps: [{ name: 'more', sql }] })
      await cluster.has(`${group}/migrations/${name}`, 'Completed', 'True')
      const verify = { queries: [{ sql: 'SELECT count(*) FROM public.bills', expect: '501' }] }
      await cluster.own('Backup', name, { databaseRef: { name }, target: pvc, verify })
      await cluster.has(`${group}/backups/${name}`, 'Verified', 'True RestoreVerified')
    }
    expect(await run.end('SIGINT')).toBe(0)
    expect(run.stderr).toBe('')
  })
})
