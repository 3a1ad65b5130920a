// A copy of a server whose files run code when a session reads its catalogs. Invariant: the process that verifies it
// has neither access to the store nor credentials.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { makePhysicalBackup } from '../../../src/controllers/backup/physical-backup-worker.ts'
import { type WorkOrder, workDigest, workText } from '../../../src/controllers/backup/work-order.ts'
import { onPostgresOf, startPostgres } from '../../postgres/on-each-postgres.ts'
import { never } from '../stores/contents.ts'
import { makeDatabase, verification } from './backup-stage.ts'
import { fillOrder, fillStage } from './fill-stage.ts'
import { newestTool, order, stageOf } from './physical-stage.ts'

const run = promisify(execFile)

/** Reads the environment and the arguments of the backend, of its server and of the worker. */
const lookAround = (trace: string) =>
  `( env; p=$PPID; for one in backend server worker; do for file in environ cmdline; do tr "\\0" " " < /proc/$p/$file; done;
  p=$(sed -n "s/^PPid:[^0-9]*//p" /proc/$p/status); done ) >> ${trace} 2>&1 || true`

/**
 * Overloads a server function with a better match for the worker's query, as superuser. It writes what it can reach to
 * `trace`.
 */
const hostile = (trace: string) => `
  CREATE FUNCTION public.pg_table_size(oid) RETURNS bigint LANGUAGE plpgsql AS $body$ BEGIN
    COPY (SELECT 1) TO PROGRAM '${lookAround(trace)}';
    RETURN 1; END $body$;
  UPDATE pg_proc SET pronamespace = 'pg_catalog'::regnamespace
    WHERE proname = 'pg_table_size' AND pronamespace = 'public'::regnamespace`

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-hostile-copy-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o777)
  return folder
}

/** Runs one step of a worker as a process; resolves with its termination message. */
async function workerOf(asked: WorkOrder, folder: string, places: readonly string[]) {
  const text = workText(asked)
  const orderFile = join(folder, 'order.json')
  await writeFile(orderFile, text)
  const common = ['--order', orderFile, '--digest', workDigest(text), ...places]
  return async (step: string, args: readonly string[], environment: Readonly<Record<string, string>>) => {
    const log = join(folder, `${step}-log`)
    const all = ['src/cli/main.ts', 'worker', step, ...common, '--termination-log', log, ...args]
    await run(process.execPath, all, { env: { PATH: process.env['PATH'] ?? '', ...environment } })
    return await readFile(log, 'utf8').catch(() => undefined)
  }
}

async function expectHarmless(trace: string, storeFolder: string): Promise<void> {
  const seen = await readFile(trace, 'utf8')
  // The hostile code ran, and saw the worker.
  expect(seen).toContain('LC_TIME=C')
  expect(seen).toContain('worker prove --order')
  for (const secret of ['the-keys-of-the-store', 'the-password-of-the-admin', 'AWS_', 'PGPASSWORD', storeFolder]) {
    expect(seen).not.toContain(secret)
  }
}

onPostgresOf(
  (major) => major <= newestTool,
  'a hostile copy of a server',
  (_, version) => {
    it('a verification runs the code of a copy with access to its own files only', async () => {
      const own = await startPostgres({ version })
      await makeDatabase(own)
      const folder = await openFolder()
      const trace = join(folder, 'trace')
      await own.byHand(hostile(trace), { database: 'crm' })
      const stage = await stageOf(own)
      await makePhysicalBackup(order, stage.backupTools, never)

      const asked: WorkOrder = {
        ...{ format: 1, work: 'verify', name: 'shop/nightly-1', copy: 'started', verification },
        store: { kind: 'folder', claim: 'backups' },
      }
      const worker = await workerOf(asked, folder, ['--scratch', stage.workFolder])
      const credentials = ['--credentials', folder, '--store', stage.storeFolder]
      // Its successful result says nothing about the backup.
      expect(await worker('fetch', credentials, { AWS_SECRET_ACCESS_KEY: 'the-keys-of-the-store' })).toBeUndefined()
      await expect(readFile(trace)).rejects.toThrow('ENOENT')
      expect(JSON.parse((await worker('prove', [], {})) ?? '{}')).toEqual({ outcome: 'Completed' })
      await expectHarmless(trace, stage.storeFolder)
    })

    it('a restore runs the code of a copy with access to the volume only', async () => {
      const own = await startPostgres({ version })
      const folder = await openFolder()
      const trace = join(folder, 'trace')
      const stage = await fillStage(own, async (server) => {
        await makeDatabase(server)
        await server.byHand(hostile(trace), { database: 'crm' })
      })
      const asked: WorkOrder = {
        ...{ format: 1, work: 'fill', name: 'shop/copy', fill: fillOrder(version) },
        store: { kind: 'folder', claim: 'backups' },
      }
      const [scratch, credentials] = [join(folder, 'scratch'), join(folder, 'credentials')]
      await mkdir(scratch)
      await mkdir(join(credentials, 'database'), { recursive: true })
      await writeFile(join(credentials, 'database', 'password'), 'the-password-of-the-admin')
      const worker = await workerOf(asked, folder, ['--scratch', scratch, '--data', stage.volume])
      const keys = ['--credentials', credentials, '--store', stage.storeFolder]
      expect(await worker('fetch', keys, { AWS_SECRET_ACCESS_KEY: 'the-keys-of-the-store' })).toBeUndefined()
      await expect(readFile(trace)).rejects.toThrow('ENOENT')
      expect(await stage.left()).toEqual([expect.stringMatching(/^konverge-restore-/)])
      await rm(credentials, { recursive: true })
      expect(JSON.parse((await worker('prove', [], {})) ?? '{}')).toMatchObject({ outcome: 'Completed' })
      await expectHarmless(trace, stage.storeFolder)
      expect([await stage.left(), await readdir(scratch)]).toEqual([['pgdata'], []])
    })
  },
)
