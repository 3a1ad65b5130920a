// A copy of a server whose files run code as soon as somebody reads its catalogs: it is verified by a process that has neither the store nor keys.
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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
import { newestTool, order, stageOf } from './physical-stage.ts'

const run = promisify(execFile)

/** A better match than the server's own function for what a worker asks, as superuser: it tells `trace` what is in its reach. */
const hostile = (trace: string) => `
  CREATE FUNCTION public.pg_table_size(oid) RETURNS bigint LANGUAGE plpgsql AS $body$ BEGIN
    COPY (SELECT 1) TO PROGRAM 'env >> ${trace}; tr "\\0" "\\n" < /proc/$PPID/environ >> ${trace}; tr "\\0" " " < /proc/$PPID/cmdline >> ${trace}';
    RETURN 1; END $body$;
  UPDATE pg_proc SET pronamespace = 'pg_catalog'::regnamespace
    WHERE proname = 'pg_table_size' AND pronamespace = 'public'::regnamespace`

onPostgresOf(
  (major) => major <= newestTool,
  'a hostile copy of a server',
  (_, version) => {
    it('runs code beside nothing but its own files', async () => {
      const own = await startPostgres({ version })
      await makeDatabase(own)
      const folder = await mkdtemp(join(tmpdir(), 'konverge-hostile-copy-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      await chmod(folder, 0o777)
      const trace = join(folder, 'trace')
      await own.byHand(hostile(trace), { database: 'crm' })
      const stage = await stageOf(own)
      await makePhysicalBackup(order, stage.backupTools, never)

      const asked: WorkOrder = {
        ...{ format: 1, work: 'verify', name: 'shop/nightly-1', copy: 'started', verification },
        store: { kind: 'folder', claim: 'backups' },
      }
      const text = workText(asked)
      const orderFile = join(folder, 'order.json')
      await writeFile(orderFile, text)
      const common = ['--order', orderFile, '--digest', workDigest(text), '--scratch', stage.workFolder]
      const worker = async (step: string, args: readonly string[], environment: Readonly<Record<string, string>>) => {
        const log = join(folder, `${step}-log`)
        const all = ['src/cli/main.ts', 'worker', step, ...common, '--termination-log', log, ...args]
        await run(process.execPath, all, { env: { PATH: process.env['PATH'] ?? '', ...environment } })
        return await readFile(log, 'utf8').catch(() => undefined)
      }
      const credentials = ['--credentials', folder, '--store', stage.storeFolder]
      // What it ends well with says nothing of the backup.
      expect(await worker('fetch', credentials, { AWS_SECRET_ACCESS_KEY: 'the-keys-of-the-store' })).toBeUndefined()
      await expect(readFile(trace)).rejects.toThrow('ENOENT')
      expect(JSON.parse((await worker('prove', [], {})) ?? '{}')).toEqual({ outcome: 'Completed' })
      const seen = await readFile(trace, 'utf8')
      // It did run.
      expect(seen).toContain('LC_TIME=C')
      for (const secret of ['the-keys-of-the-store', 'AWS_', 'PGPASSWORD', stage.storeFolder]) {
        expect(seen).not.toContain(secret)
      }
    })
  },
)
