// Physical backups of whole servers, on real servers with PostgreSQL's own tools. Invariant: verification starts the
// copy, reads it, and finds every defect.
import { chown, mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { machinePostgres } from '../../../src/cli/dev/machine-postgres.ts'
import { discardBackup } from '../../../src/controllers/backup/backup-worker.ts'
import { makePhysicalBackup, type PhysicalTools } from '../../../src/controllers/backup/physical-backup-worker.ts'
import { readPhysicalBackup } from '../../../src/controllers/backup/physical-verification-worker.ts'
import { verifyBackup } from '../../../src/controllers/backup/verification-worker.ts'
import { onPostgresOf, startPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { noDisks, smallDisk } from '../../postgres/small-disk.ts'
import { keysOf, never } from '../stores/contents.ts'
import { makeDatabase, verification } from './backup-stage.ts'
import { disturbed, flipped } from './disturbance.ts'
import { type Files, filesOf, newestTool, order, stageOf, verifyPhysicalBackup } from './physical-stage.ts'

async function slotsOf(server: PostgresServer): Promise<unknown> {
  return server.byHand('SELECT slot_name FROM pg_replication_slots')
}

onPostgresOf(
  (major) => major <= newestTool,
  'a physical backup',
  (server, version) => {
    it('starts again with all its contents', async () => {
      await makeDatabase(server())
      const stage = await stageOf(server())
      const made = await makePhysicalBackup(order, stage.backupTools, never)
      expect(await keysOf(stage.store)).toEqual([`${made.folder}copy-one.tar`, `${made.folder}manifest.json`])
      expect(made.manifest).toMatchObject({
        source: { database: 'crm', owner: 'crm_owner', majorVersion: version },
        artifact: { format: 'pg_basebackup/tar', packing: 'gzip' },
        copy: { timeline: 1, admin: 'postgres', files: expect.any(Number) },
      })
      expect(made.manifest.copy.endPosition).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)
      const { manifest, contents } = await verifyPhysicalBackup(verification, stage.proofTools, never)
      expect(manifest).toEqual(made.manifest)
      expect(contents.tables.map(({ name, rows }) => `${name} ${rows}`)).toEqual([
        'Odd "Name" 3',
        'nothing 1',
        'parts_2026 100',
        'people 500',
        'orders 1000',
      ])
      expect((await makePhysicalBackup(order, { ...stage.backupTools, attempt: 'two' }, never)).kind).toBe('present')
      expect(await slotsOf(server())).toEqual([])
      expect(await stage.left()).toEqual(['copy-one.tar', 'manifest.json'])
      await discardBackup(stage.store, made.folder, never)
      expect(await stage.left()).toEqual([])
    })

    it.each(['zstd', 'none'] as const)('is compressed by %s', async (method) => {
      await makeDatabase(server())
      const stage = await stageOf(server())
      await makePhysicalBackup({ ...order, packing: { method } }, stage.backupTools, never)
      await readPhysicalBackup(verification.folder, stage.proofTools, never)
      expect((await verifyPhysicalBackup(verification, stage.proofTools, never)).manifest.artifact.packing).toBe(method)
    })

    it('is complete and holds the writes until its end, whatever is written meanwhile', async () => {
      await makeDatabase(server())
      const stage = await stageOf(server())
      const writer = await server().connect({ database: 'crm' })
      let isOver = false
      let written = 1_000
      const writing = (async () => {
        while (!isOver) await writer.query(`INSERT INTO public.orders VALUES (${++written}, repeat('y', 5000))`)
        await writer.end()
      })()
      await makePhysicalBackup(order, stage.backupTools, never)
      isOver = true
      await writing
      const { contents } = await verifyPhysicalBackup({ ...verification, queries: [] }, stage.proofTools, never)
      const rows = Number(contents.tables.find(({ name }) => name === 'orders')?.rows)
      expect(rows).toBeGreaterThanOrEqual(1_000)
      expect(rows).toBeLessThanOrEqual(written)
    })

    it('is verified although another database of the server was dropped halfway', async () => {
      await makeDatabase(server())
      await server().byHand('CREATE DATABASE cut_off')
      // DROP DATABASE leaves this state when it is interrupted.
      await server().byHand(`UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'cut_off'`)
      onTestFinished(async () => {
        await server().byHand('DROP DATABASE cut_off')
      })
      await expect(server().connect({ database: 'cut_off' })).rejects.toThrow('invalid database')
      const stage = await stageOf(server())
      await makePhysicalBackup(order, stage.backupTools, never)
      const { contents } = await verifyPhysicalBackup(verification, stage.proofTools, never)
      expect(contents.tables.map(({ name }) => name)).toContain('orders')
    })

    it("runs none of the commands that the server's settings name", async () => {
      const own = await startPostgres({ version })
      await makeDatabase(own)
      const trace = join(tmpdir(), `konverge-trace-${own.port}`)
      onTestFinished(() => rm(trace, { force: true }))
      await own.byHand(`ALTER SYSTEM SET shared_preload_libraries TO 'nowhere'`)
      await own.byHand(`ALTER SYSTEM SET archive_mode TO on`)
      await own.byHand(`ALTER SYSTEM SET archive_command TO 'touch ${trace}'`)
      await own.byHand(`ALTER SYSTEM SET listen_addresses TO '*'`)
      const stage = await stageOf(own)
      await makePhysicalBackup(order, stage.backupTools, never)
      await verifyPhysicalBackup(verification, stage.proofTools, never)
      await expect(readFile(trace)).rejects.toThrow('ENOENT')
    })

    it('runs the queries of the verification as the owner, who has no other privileges', async () => {
      await makeDatabase(server())
      const stage = await stageOf(server())
      await makePhysicalBackup(order, stage.backupTools, never)
      const sql = `SELECT current_user || ' ' || session_user || ' ' || current_setting('is_superuser')`
      const asked = { ...verification, queries: [{ sql, expect: 'crm_owner crm_owner off' }] }
      await verifyPhysicalBackup(asked, stage.proofTools, never)
      const other = { ...verification, queries: [{ sql: 'SELECT 1', expect: '2' }] }
      await expect(verifyPhysicalBackup(other, stage.proofTools, never)).rejects.toMatchObject({ code: 'QueryFailed' })
      expect(await stage.left()).toEqual(['copy-one.tar', 'manifest.json'])
    })

    it.each([
      [
        'was cut off',
        ({ artifact, bytes }: Files) => truncate(artifact, bytes.length - 1),
        { code: 'ChecksumMismatch', message: /bytes instead of/ },
      ],
      [
        'has another bit',
        ({ artifact, bytes }: Files) => writeFile(artifact, flipped(bytes, bytes.length >> 1)),
        { code: 'ChecksumMismatch', message: /was changed/ },
      ],
      [
        'is of a version that this machine has not',
        ({ seal, manifest }: Files) => seal({ source: { ...manifest.source, majorVersion: 99 } }),
        { code: 'VersionMismatch', message: /cannot start the files of a server of version 99; use an image/ },
      ],
      [
        'was cut off before it was sealed',
        ({ replace, bytes }: Files) => replace(gzipSync(gunzipSync(bytes).subarray(0, 100_000))),
        { code: 'ManifestRefused', message: /it was cut off/ },
      ],
      [
        'lacks the log that it takes to recover',
        ({ change }: Files) =>
          change(async (data) => {
            for (const name of await readdir(join(data, 'pg_wal')))
              await rm(join(data, 'pg_wal', name), { recursive: true })
          }),
        { code: 'RestoreFailed', message: /pg_verifybackup failed/ },
      ],
      [
        'has a page that was damaged before it was sealed',
        ({ change, manifest }: Files) =>
          change(async (data) => {
            const file = await open(join(data, 'base', String(manifest.source.databaseOid), '1259'), 'r+')
            await file.write(Buffer.from('damaged'), 0, 7, 5_000)
            await file.close()
          }),
        { code: 'RestoreFailed', message: /pg_verifybackup failed.*checksum mismatch/ },
      ],
      [
        'has a file more that leads out',
        ({ change }: Files) => change((data) => writeFile(join(data, 'x'), ''), ['--transform', 's,x$,../../../evil,']),
        { code: 'ManifestRefused', message: /leads out of the folder/ },
      ],
    ])('that %s is rejected with one sentence, and no files are left', async (_what, damage, { code, message }) => {
      await makeDatabase(server())
      const stage = await stageOf(server())
      const { folder, manifest } = await makePhysicalBackup(order, stage.backupTools, never)
      const at = join(stage.storeFolder, folder)
      await damage(await filesOf(at, manifest))
      const stored = await readdir(at)
      await expect(verifyPhysicalBackup(verification, stage.proofTools, never)).rejects.toMatchObject({
        ...{ code, remedy: 'stop' },
        message: expect.stringMatching(message),
      })
      expect(await stage.left()).toEqual(stored.sort())
    })

    it('is not accepted as a logical backup, nor a logical backup as a physical one', async () => {
      await makeDatabase(server())
      const stage = await stageOf(server())
      await makePhysicalBackup(order, stage.backupTools, never)
      await expect(verifyBackup(verification, stage.verificationTools(), never)).rejects.toMatchObject({
        code: 'ManifestRefused',
        message: expect.stringMatching(/is of a whole server, method Physical/),
      })
    })

    it('leaves no files when its server is killed, and can be retried', async () => {
      const own = await startPostgres({ version })
      await makeDatabase(own)
      const stage = await stageOf(own)
      const tools = { ...stage.backupTools, engine: withFirstBytes(stage.backupTools.engine, () => own.kill()) }
      await expect(makePhysicalBackup(order, tools, never)).rejects.toMatchObject({ remedy: 'retry' })
      expect(await stage.left()).toEqual([])
      await own.start()
      expect((await makePhysicalBackup(order, stage.backupTools, never)).kind).toBe('made')
    })

    it('stops and leaves no files when it is aborted', async () => {
      await makeDatabase(server())
      const stage = await stageOf(server())
      const stopping = new AbortController()
      const engine = withFirstBytes(stage.backupTools.engine, async () => stopping.abort(new Error('enough')))
      await expect(makePhysicalBackup(order, { ...stage.backupTools, engine }, stopping.signal)).rejects.toThrow(
        'enough',
      )
      expect(await stage.left()).toEqual([])
    })

    it('reports when the login may not copy a server', async () => {
      await makeDatabase(server())
      await server().byHand('DROP ROLE IF EXISTS clerk')
      await server().byHand(`CREATE ROLE clerk LOGIN PASSWORD 'pw'`)
      const stage = await stageOf(server())
      const access = { ...server().access(), username: 'clerk', password: 'pw' }
      await expect(makePhysicalBackup(order, { ...stage.backupTools, access }, never)).rejects.toMatchObject({
        code: 'InsufficientPrivilege',
      })
    })

    it('reports when the database is not the one to back up', async () => {
      await makeDatabase(server())
      const stage = await stageOf(server())
      const identity = { systemIdentifier: '1', databaseOid: 1 }
      await expect(makePhysicalBackup({ ...order, identity }, stage.backupTools, never)).rejects.toMatchObject({
        code: 'SourceIdentityChanged',
      })
    })

    it('is rejected when the server has files in other places', async () => {
      const own = await startPostgres({ version })
      await makeDatabase(own)
      const place = await mkdtemp(join(tmpdir(), 'konverge-place-'))
      onTestFinished(() => rm(place, { recursive: true, force: true }))
      const { isRoot, user } = machinePostgres()
      if (isRoot && user !== undefined) await chown(place, user.uid, user.gid)
      await own.byHand(`CREATE TABLESPACE other LOCATION '${place}'`)
      const stage = await stageOf(own)
      await expect(makePhysicalBackup(order, stage.backupTools, never)).rejects.toMatchObject({
        ...{ code: 'TablespacesRefused', remedy: 'stop' },
      })
      expect(await stage.left()).toEqual([])
    })

    it('reports when the volume has no space for the verification', async ({ skip }) => {
      await makeDatabase(server())
      const small = await smallDisk('8m')
      if (small === undefined) return skip(noDisks)
      const stage = await stageOf(server(), small)
      await makePhysicalBackup(order, stage.backupTools, never)
      await expect(verifyPhysicalBackup(verification, stage.proofTools, never)).rejects.toMatchObject({
        ...{ code: 'WorkFolderFull', remedy: 'retry' },
      })
      expect(await readdir(small)).toEqual([])
    })
  },
)

onPostgresOf(
  (major) => major > newestTool,
  'a physical backup of a newer server',
  (server, version) => {
    it('reports that the tool is too old, and leaves no files', async () => {
      await makeDatabase(server())
      const stage = await stageOf(server())
      await expect(makePhysicalBackup(order, stage.backupTools, never)).rejects.toMatchObject({
        ...{ code: 'VersionMismatch', remedy: 'stop' },
        message: expect.stringMatching(
          `^pg_basebackup 15\\.\\d+ is too old for a server of version ${version}; use an image`,
        ),
      })
      expect(await stage.left()).toEqual([])
      expect(await slotsOf(server())).toEqual([])
    })
  },
)

/** Returns the engine with a hook that runs after the first bytes of the copy. */
function withFirstBytes(engine: PhysicalTools['engine'], then: () => Promise<unknown>): PhysicalTools['engine'] {
  return {
    ...engine,
    hold: async (call) => {
      const held = await engine.hold(call)
      return {
        ...{ source: held.source, sizeBytes: held.sizeBytes, release: () => held.release() },
        copy: async () => {
          const { content, toolVersion } = await held.copy()
          return { toolVersion, content: disturbed(content, then) }
        },
      }
    },
  }
}
