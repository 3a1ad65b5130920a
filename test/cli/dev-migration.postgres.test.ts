// Migration by a worker process, as by a pod in a cluster. Uses `konverge dev`: the operator, the local node and a real
// PostgreSQL in a pod.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Migration } from '../../imports/wire/migration.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { RunningKonverge } from './running-konverge.ts'

const limitMs = 240_000
const migrations = '/apis/data.konverge.dev/v1alpha1/namespaces/shop/migrations'

type MigrationStatus = NonNullable<NonNullable<(typeof Migration)['types']>['status']>

const steps = [
  { name: 'bills', sql: 'CREATE TABLE bills (id int PRIMARY KEY, cents int NOT NULL)' },
  { name: 'fill', sql: 'INSERT INTO bills SELECT n, n * 100 FROM generate_series(1, 500) AS n' },
  {
    name: 'by-cents',
    sql: 'CREATE INDEX CONCURRENTLY bills_cents ON bills (cents)',
    transaction: false,
    verify: { sql: "SELECT indisvalid FROM pg_index WHERE indexrelid = 'bills_cents'::regclass", expect: 't' },
  },
]

it('a worker carries the Migration out, and reports why it stops', { timeout: limitMs }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'konverge-dev-migration-'))
  chmodSync(folder, 0o711) // As root, PostgreSQL runs as another user.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const run = new RunningKonverge(['dev'], { TMPDIR: folder })
  onTestFinished(() => run.kill())
  await run.says('Ctrl-C ends everything')

  const create = async (name: string, spec: object) => {
    const body = {
      ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Migration', metadata: { name, namespace: 'shop' } },
      spec: { databaseRef: { name: 'orders' }, ...spec },
    }
    const { status, text } = await run.ask({ method: 'POST', path: migrations, body })
    expect(status, text).toBe(201)
  }
  const statusOf = async (name: string): Promise<MigrationStatus> => {
    const { text } = await run.ask({ method: 'GET', path: `${migrations}/${name}` })
    return JSON.parse(text).status ?? {}
  }
  const becomes = async (name: string, phase: string) => {
    let seen: MigrationStatus = {}
    const wait = { what: `${name} to be ${phase}`, everyMs: 200 }
    await waitUntil(wait, async () => {
      seen = await statusOf(name)
      return seen.phase === phase
    }).catch((error: unknown) => {
      throw new Error(`${name} is not ${phase}: ${JSON.stringify(seen, null, 1)}`, { cause: error })
    })
    return seen
  }

  await create('v1', { steps })
  expect(await becomes('v1', 'Completed')).toMatchObject({ progress: '3/3' })
  await create('v2', { steps: [{ name: 'wrong', sql: 'INSERT INTO bills VALUES (1, 1)' }] })
  const failed = await becomes('v2', 'Failed')
  expect(failed.steps?.[0]).toMatchObject({ state: 'Failed', sqlState: '23505' })
  const stalled = failed.conditions?.find(({ type }) => type === 'Stalled')
  // The message must not contain values of the row.
  expect(stalled?.message).toBe('step wrong: 23505 duplicate key value violates unique constraint "bills_pkey"')
  expect(await run.end('SIGINT')).toBe(0)
  expect(run.stderr).toBe('')
})
