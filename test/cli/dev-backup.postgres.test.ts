// Backup and verification by worker processes, as by pods in a cluster. Uses `konverge dev`: the operator, the local
// node, a volume and a real PostgreSQL in a pod.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { waitUntil } from '../control-plane/wait-until.ts'
import { RunningKonverge } from './running-konverge.ts'

const limitMs = 300_000
const group = '/apis/data.konverge.dev/v1alpha1/namespaces/shop'
const ours = 'data.konverge.dev/v1alpha1'

interface Told {
  readonly status?: {
    readonly phase?: string
    readonly artifact?: { readonly bytes: number }
    readonly source?: { readonly rows: number }
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
  }
}

it('workers make and verify a backup, and its deletion removes its artifact', { timeout: limitMs }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'konverge-dev-backup-'))
  chmodSync(folder, 0o711) // As root, PostgreSQL runs as another user.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const run = new RunningKonverge(['dev', '--no-samples'], { TMPDIR: folder })
  onTestFinished(() => run.kill())
  await run.says('Ctrl-C ends everything')

  const create = async (path: string, body: object) => {
    const { status, text } = await run.ask({ method: 'POST', path, body })
    expect(status, text).toBe(201)
  }
  const own = (kind: string, name: string, spec: object) => ({ apiVersion: ours, kind, metadata: { name }, spec })
  const find = async (path: string): Promise<Told | undefined> => {
    const { status, text } = await run.ask({ method: 'GET', path })
    return status === 404 ? undefined : JSON.parse(text)
  }
  const has = async (path: string, type: string, word: string) => {
    let seen: Told | undefined
    const wait = { what: `${path} to have ${type} ${word}`, limitMs: 180_000, everyMs: 200 }
    await waitUntil(wait, async () => {
      seen = await find(path)
      return seen?.status?.conditions?.find((known) => known.type === type)?.status === word
    }).catch((error: unknown) => {
      throw new Error(`${path}: ${JSON.stringify(seen, null, 1)}`, { cause: error })
    })
    return seen
  }

  await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
  // A version that this machine's pg_dump can back up.
  const last = { deletionPolicy: 'Snapshot', snapshotTarget: { pvc: { claimName: 'backups', path: 'last' } } }
  await create(`${group}/databases`, own('Database', 'crm', { version: '15', provider: { inCluster: {} }, ...last }))
  await create('/api/v1/namespaces/shop/persistentvolumeclaims', {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'backups' } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  const fill = 'CREATE TABLE bills AS SELECT n AS id FROM generate_series(1, 500) AS n'
  await create(
    `${group}/migrations`,
    own('Migration', 'v1', { databaseRef: { name: 'crm' }, steps: [{ name: 'fill', sql: fill }] }),
  )
  await has(`${group}/migrations/v1`, 'Completed', 'True')

  const verify = { queries: [{ sql: 'SELECT count(*) FROM public.bills', expect: '500' }] }
  const target = { pvc: { claimName: 'backups', path: 'crm' } }
  await create(
    `${group}/backups`,
    own('Backup', 'once', { databaseRef: { name: 'crm' }, target, verify, artifactPolicy: 'Delete' }),
  )
  const proven = await has(`${group}/backups/once`, 'Verified', 'True')
  expect(proven?.status).toMatchObject({ phase: 'Completed', artifact: { bytes: expect.any(Number) } })
  expect(proven?.status?.source?.rows).toBeGreaterThanOrEqual(500)

  await run.ask({ method: 'DELETE', path: `${group}/backups/once` })
  const goes = (path: string) =>
    waitUntil(
      { what: `${path} to be gone`, limitMs: 180_000, everyMs: 200 },
      async () => (await find(path)) === undefined,
    )
  await goes(`${group}/backups/once`)

  // The volume is deleted with the server; the last backup remains.
  const volume = '/api/v1/namespaces/shop/persistentvolumeclaims/data-crm-postgres-0'
  expect(await find(volume)).toBeDefined()
  await run.ask({ method: 'DELETE', path: `${group}/databases/crm` })
  await goes(`${group}/databases/crm`)
  await goes(volume)
  const { text } = await run.ask({ method: 'GET', path: `${group}/backups` })
  const left: { items: readonly (Told & { metadata: { name: string } })[] } = JSON.parse(text)
  expect(left.items.map(({ metadata }) => metadata.name)).toEqual([expect.stringMatching(/^crm-final-/)])
  expect(left.items[0]?.status).toMatchObject({ phase: 'Completed', source: { rows: proven?.status?.source?.rows } })
  expect(await run.end('SIGINT')).toBe(0)
  expect(run.stderr).toBe('')
})
