// The sample database of `konverge dev` serves an application, by the printed command line. It does so again after a
// restart from the persisted folder, also at another address if the previous one is in use.
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { RunningKonverge } from './running-konverge.ts'

const psql = '/usr/bin/psql'
const limitMs = 600_000

it('accepts a login of an application, and keeps its data across a restart', { timeout: limitMs }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'konverge-dev-database-'))
  chmodSync(folder, 0o711) // As root, PostgreSQL runs as another user.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const start = async (...more: readonly string[]) => {
    const run = new RunningKonverge(['dev', ...more], { TMPDIR: folder })
    onTestFinished(() => run.kill())
    await run.says('All are Ready')
    await run.says('Ctrl-C ends everything')
    return run
  }

  const persist = ['--persist', join(folder, 'kept')]
  const first = await start(...persist)
  const asAdmin = 'CREATE TABLE kept (answer int); SET ROLE orders_owner; CREATE TABLE own (answer int)'
  await ask(first, 'orders-postgres-admin', asAdmin)
  expect(await ask(first, 'orders-app-db', 'INSERT INTO own VALUES (42) RETURNING answer, current_user')).toEqual([
    { answer: 42, current_user: 'orders_app' },
  ])
  await expect(ask(first, 'orders-app-db', 'SELECT FROM kept')).rejects.toThrow('permission denied for table kept')
  const count = 'SELECT count(*)::int AS orders FROM orders'
  expect(await ask(first, 'orders-app-db', count)).toEqual([{ orders: 1000 }])
  await byPrintedLine(first)
  expect(await first.end('SIGINT')).toBe(0)

  const other = await start()
  const second = await start(...persist)
  expect(await ask(second, 'orders-app-db', 'SELECT answer FROM own')).toEqual([{ answer: 42 }])
  await expect(ask(other, 'orders-app-db', 'SELECT answer FROM own')).rejects.toThrow('relation "own" does not exist')
  expect(await second.end('SIGINT')).toBe(0)
  expect(await other.end('SIGINT')).toBe(0)
  expect([first.stderr, second.stderr, other.stderr]).toEqual(['', '', ''])
})

/** Runs a query as the user of the Secret, at the address that the program prints. */
async function ask(run: RunningKonverge, secret: string, text: string): Promise<readonly unknown[]> {
  const { username, password } = await valuesOf(run, secret)
  const [, host] = /hostaddr=([\d.]+)/.exec(run.stdout) ?? []
  const client = new Client({ host, user: username, password, database: 'orders', ssl: { rejectUnauthorized: false } })
  client.on('error', () => undefined) // The caller gets the error by the rejection.
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function valuesOf(run: RunningKonverge, secret: string): Promise<Readonly<Record<string, string>>> {
  const { text } = await run.ask({ method: 'GET', path: `/api/v1/namespaces/shop/secrets/${secret}` })
  const data: Readonly<Record<string, string>> = JSON.parse(text).data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]))
}

/** Runs the printed command line, with kubectl's output in place of kubectl. */
async function byPrintedLine(run: RunningKonverge): Promise<void> {
  if (!existsSync(psql)) return
  const [, suffix = ''] = /psql "\$\(.*\)(&.*)"/.exec(run.stdout) ?? []
  const { uri } = await valuesOf(run, 'orders-app-db')
  const { stdout } = await promisify(execFile)(psql, [`${uri}${suffix}`, '-Atc', 'SELECT answer FROM own'])
  expect(stdout).toBe('42\n')
}
