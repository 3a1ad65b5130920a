// Logical backups on real servers with PostgreSQL's own tools. Invariant: a backup holds one snapshot, and its
// verification finds every difference.
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type BackupTools, discardBackup, folderOf, makeBackup } from '../../../src/controllers/backup/backup-worker.ts'
import { type Manifest, manifestText } from '../../../src/controllers/backup/manifest.ts'
import { verifyBackup } from '../../../src/controllers/backup/verification-worker.ts'
import { contentsDifference } from '../../../src/controllers/engines/contents-difference.ts'
import type { FrozenDatabase, LogicalEngine } from '../../../src/controllers/engines/logical-engine.ts'
import { FolderStore } from '../../../src/controllers/stores/folder-store-driver.ts'
import { onEachPostgres, onPostgresOf, startPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { keysOf, never } from '../stores/contents.ts'
import { type BackupStage, backupStage, makeDatabase, order, verification } from './backup-stage.ts'
import { disturbed, flipped } from './disturbance.ts'

/** The tools of this machine cannot dump newer servers. */
const newestTool = 15

async function scratchesOf(server: PostgresServer): Promise<unknown> {
  return server.byHand(`SELECT datname AS name FROM pg_database WHERE datname LIKE '\\_verify%'
    UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE '\\_verify%'`)
}

onPostgresOf(
  (major) => major > newestTool,
  'a logical backup of a newer server',
  (server) => {
    it('reports that the tool is too old for the server, and leaves no files', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      await expect(makeBackup(order, stage.backupTools(), never)).rejects.toMatchObject({
        code: 'VersionMismatch',
        remedy: 'stop',
        message: expect.stringMatching(/^pg_dump 15\.\d+ is too old for a server of version 18; use an image/),
      })
      expect(await stage.left()).toEqual([])
    })

    it('still reads the contents of the database', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const { contents } = await frozenContents(stage, server())
      expect(contents.tables.map(({ name, rows }) => `${name} ${rows}`)).toEqual([
        'Odd "Name" 3',
        'nothing 1',
        'parts_2026 100',
        'people 500',
        'orders 1000',
      ])
    })
  },
)

onEachPostgres('a look at a database', (server) => {
  it.each([
    ["UPDATE orders SET note = 'other' WHERE id = 7", /public\.orders has other rows, though as many \(1000\)/],
    ['UPDATE api.people SET t = name WHERE id = 7', /api\.people has other rows/],
    [`DELETE FROM api."Odd ""Name""" WHERE t = 'same'`, /api\."Odd \\"Name\\"" has 1 rows instead of 3/],
    [`UPDATE api.people SET weight = weight + 1e-15 WHERE id = 1`, /api\.people has other rows/],
    ['DROP INDEX api.people_name_idx', /there are 2 indexes instead of 3/],
    [
      'CREATE TRIGGER t BEFORE UPDATE ON api.parts FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
      /there are 1 own triggers instead of 0/,
    ],
  ])('finds the change that %s makes', async (statement, told) => {
    await makeDatabase(server())
    const stage = await backupStage(server().access())
    const before = await frozenContents(stage, server())
    await server().byHand(statement, { database: 'crm' })
    const after = await frozenContents(stage, server())
    expect(contentsDifference(before.contents, after.contents, { rows: 'hashed' })).toEqual([
      expect.stringMatching(told),
    ])
  })
})

onPostgresOf(
  (major) => major <= newestTool,
  'a logical backup',
  (server, version) => {
    it('restores to the same contents', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const made = await makeBackup(order, stage.backupTools(), never)
      expect(made.kind).toBe('made')
      expect(await keysOf(stage.store)).toEqual([`${made.folder}data-one.dump`, `${made.folder}manifest.json`])
      expect(made.manifest.source).toMatchObject({ database: 'crm', owner: 'crm_owner', majorVersion: version })
      expect(made.manifest.contents).toMatchObject({
        sequences: [
          { schema: 'api', name: 'falling', lastValue: '98', increment: '-2' },
          { schema: 'api', name: 'people_id_seq', lastValue: '500' },
        ],
        objects: { views: 1, functions: 1, types: 1, indexes: 3, 'partitioned tables': 1 },
      })
      expect(await verifyBackup(verification, stage.verificationTools(), never)).toEqual(made.manifest)
      expect(await scratchesOf(server())).toEqual([])
      expect(await stage.left()).toEqual(['data-one.dump', 'manifest.json'])
    })

    it('restores also when the database has indexes that the tool leaves out', async () => {
      await makeDatabase(server())
      const inIt = { database: 'crm' }
      await server().byHand("INSERT INTO orders VALUES (2000, 'same'), (2001, 'same')", inIt)
      // The build fails because of the equal rows. The invalid index remains until it is dropped.
      const index = server().byHand('CREATE UNIQUE INDEX CONCURRENTLY orders_note ON orders (note)', inIt)
      await expect(index).rejects.toThrow(/could not create unique index/)
      const isValid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'orders_note'::regclass"
      expect(await server().byHand(isValid, inIt)).toEqual([{ indisvalid: false }])
      await server().byHand(
        `CREATE TABLE ext.jobs (id int); ALTER EXTENSION pgcrypto ADD TABLE ext.jobs; CREATE INDEX ON ext.jobs (id)`,
        inIt,
      )
      const stage = await backupStage(server().access())
      const made = await makeBackup(order, stage.backupTools(), never)
      expect(made.manifest.contents.objects).toMatchObject({ indexes: 3 })
      const queries = [{ sql: 'SELECT count(*) FROM public.orders', expect: '1002' }]
      expect(await verifyBackup({ ...verification, queries }, stage.verificationTools(), never)).toEqual(made.manifest)
    })

    it('verifies a manifest from before the choice of a hash, and finds a changed row hash', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const { engine } = stage.backupTools()
      const made = await makeBackup(order, stage.backupTools({ engine: hashedBefore(engine) }), never)
      expect(made.manifest.contents.rowHash).toBeUndefined()
      expect(await verifyBackup(verification, stage.verificationTools(), never)).toEqual(made.manifest)
      const [other] = made.manifest.contents.tables.filter(({ rows }) => rows === '500')
      const changed = { ...other, hash: String(BigInt(other?.hash ?? 0) + 1n) }
      const tables = made.manifest.contents.tables.map((table) => (table === other ? changed : table))
      const manifest = { ...made.manifest, contents: { ...made.manifest.contents, tables } } as Manifest // It has the same form.
      await writeFile(join(stage.storeFolder, made.folder, 'manifest.json'), manifestText(manifest))
      await expect(verifyBackup(verification, stage.verificationTools(), never)).rejects.toMatchObject({
        code: 'ManifestMismatch',
        message: expect.stringMatching(/api\.people has other rows, though as many/),
      })
    })

    it('leaves out the rows of excluded tables, and is restored by several jobs in parallel', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const less = { ...order, compression: 0, excludeTables: ['api.people', 'api.parts_2026'] }
      const { manifest } = await makeBackup(less, stage.backupTools(), never)
      expect(manifest.excludedTables).toEqual(less.excludeTables)
      const rows = (name: string) => manifest.contents.tables.find((table) => table.name === name)?.rows
      expect([rows('people'), rows('parts_2026'), rows('orders')]).toEqual(['0', '0', '1000'])
      const queries = [{ sql: 'SELECT count(*) FROM api.people', expect: '0' }]
      await verifyBackup({ ...verification, queries, jobs: 4 }, stage.verificationTools(), never)
      expect(await scratchesOf(server())).toEqual([])
    })

    it('is rejected when an excluded table does not exist', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const wrong = { ...order, excludeTables: ['public.orders', 'public.order', 'api.parts'] }
      await expect(makeBackup(wrong, stage.backupTools(), never)).rejects.toMatchObject({
        ...{ code: 'ExcludedTableMissing', remedy: 'stop' },
        message: expect.stringMatching(/names public\.order, api\.parts, and there is no such table/),
      })
      expect(await stage.left()).toEqual([])
    })

    it('holds one snapshot while other sessions write', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const { engine } = stage.backupTools()
      const disturbing = whenFrozen(engine, () =>
        server().byHand(
          `DELETE FROM orders WHERE id <= 500; UPDATE api.people SET name = 'other';
        SELECT nextval('api.falling')`,
          { database: 'crm' },
        ),
      )
      const made = await makeBackup(order, stage.backupTools({ engine: disturbing }), never)
      expect(made.manifest.contents.tables.find(({ name }) => name === 'orders')?.rows).toBe('1000')
      await verifyBackup(verification, stage.verificationTools(), never)
    })

    it('blocks TRUNCATE of a table that is not counted yet, also when the tool has ended', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const { engine } = stage.backupTools()
      const caller = { kind: 'Backup', namespace: 'shop', name: 'x' }
      const frozen = await engine.freeze({ access: server().access(), database: 'crm', caller, signal: never })
      try {
        const run = await frozen.dump({})
        for await (const _ of run.content);
        const emptying = server().byHand("SET lock_timeout = '200ms'; TRUNCATE orders", { database: 'crm' })
        await expect(emptying).rejects.toThrow(/lock timeout/)
        const { tables } = await frozen.contents({ hashUpToBytes: 1e12 })
        expect(tables.find(({ name }) => name === 'orders')?.rows).toBe('1000')
      } finally {
        await frozen.release()
      }
    })

    it('takes no more locks than the tool does', async () => {
      // The lock table has room for the locks of all tables, but not for those of all indexes.
      const few = { max_locks_per_transaction: '32', max_connections: '12', max_wal_senders: '0' }
      const small = await startPostgres({ version, settings: { ...few, max_worker_processes: '0' } })
      await makeDatabase(small)
      const columns = [...'abcdefgh'].map((name) => `${name} int UNIQUE`).join(', ')
      for (let turn = 0; turn < 8; turn += 1) {
        const tables = Array.from({ length: 20 }, (_, n) => `CREATE TABLE t${turn}_${n} (${columns})`)
        await small.byHand(tables.join('; '), { database: 'crm' })
      }
      const stage = await backupStage(small.access())
      const { manifest } = await makeBackup(order, stage.backupTools(), never)
      expect(manifest.contents.objects).toMatchObject({ indexes: 3 + 160 * 8 })
    })

    it('is made once', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const made = await makeBackup(order, stage.backupTools(), never)
      await writeFile(join(stage.storeFolder, made.folder, 'data-dead.dump'), 'half')
      await writeFile(join(stage.storeFolder, made.folder, 'data-dead.dump.dead.partial'), 'less')
      const again = await makeBackup(order, stage.backupTools({ attempt: 'two' }), never)
      expect(again).toEqual({ ...made, kind: 'present' })
      expect(await stage.left()).toEqual(['data-one.dump', 'manifest.json'])
      await discardBackup(stage.store, made.folder, never)
      expect(await stage.left()).toEqual([])
    })

    it('is made once by two concurrent workers', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const workers = ['one', 'two'].map((attempt) => {
        const store = new FolderStore({ folder: stage.storeFolder, attempt })
        return makeBackup(order, stage.backupTools({ store, attempt }), never).catch((error: unknown) => error)
      })
      await Promise.all(workers)
      const outcome = await makeBackup(order, stage.backupTools({ attempt: 'three' }), never)
      expect(outcome.kind).toBe('present')
      expect(await stage.left()).toEqual([outcome.manifest.artifact.file, 'manifest.json'])
      await verifyBackup(verification, stage.verificationTools(), never)
    })

    it('leaves no files when its tool is killed', async () => {
      await makeDatabase(server())
      // The data exceed the buffer of a pipe.
      await server().byHand('CREATE TABLE bulk AS SELECT sha512(n::text::bytea) FROM generate_series(1, 100000) n', {
        database: 'crm',
      })
      const stage = await backupStage(server().access())
      const { engine } = stage.backupTools()
      const killing = whenFrozen(
        engine,
        async () => undefined,
        async () => {
          await server().byHand(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'crm'
        AND query LIKE 'COPY %'`)
        },
      )
      await expect(makeBackup(order, stage.backupTools({ engine: killing }), never)).rejects.toMatchObject({
        remedy: 'retry',
      })
      expect(await stage.left()).toEqual([])
    })

    it('leaves no files when its database is dropped during the dump, and the next attempt reports NotFound', async () => {
      await makeDatabase(server())
      // The data exceed the buffer of a pipe.
      await server().byHand('CREATE TABLE bulk AS SELECT sha512(n::text::bytea) FROM generate_series(1, 100000) n', {
        database: 'crm',
      })
      const stage = await backupStage(server().access())
      const engine = whenFrozen(
        stage.backupTools().engine,
        async () => undefined,
        () => server().byHand('DROP DATABASE crm WITH (FORCE)'),
      )
      const make = (changes: Partial<BackupTools>) => makeBackup(order, stage.backupTools(changes), never)
      await expect(make({ engine })).rejects.toMatchObject({ code: 'ServerUnreachable', remedy: 'retry' })
      expect(await stage.left()).toEqual([])
      await expect(make({ attempt: 'two' })).rejects.toMatchObject({
        code: 'NotFound',
        message: expect.stringMatching(/database "crm" does not exist/),
      })
      expect(await stage.left()).toEqual([])
    })

    it('is verified also when its database no longer exists', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      await makeBackup(order, stage.backupTools(), never)
      await server().byHand('DROP DATABASE crm WITH (FORCE)')
      await verifyBackup(verification, stage.verificationTools(), never)
      expect(await scratchesOf(server())).toEqual([])
    })

    it('stops and leaves no files when it is aborted', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const stopping = new AbortController()
      const reason = new Error('the worker ends')
      const engine = whenFrozen(
        stage.backupTools().engine,
        async () => undefined,
        async () => stopping.abort(reason),
      )
      await expect(makeBackup(order, stage.backupTools({ engine }), stopping.signal)).rejects.toBe(reason)
      expect(await stage.left()).toEqual([])
    })

    it('is rejected when another database has the name', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const identity = { systemIdentifier: '1', databaseOid: 2 }
      await expect(makeBackup({ ...order, identity }, stage.backupTools(), never)).rejects.toMatchObject({
        code: 'SourceIdentityChanged',
      })
      expect(await stage.left()).toEqual([])
    })

    it('is verified when row-level security applies to the table owner, and keeps the policies', async () => {
      await makeDatabase(server())
      await server().byHand(
        `ALTER TABLE orders ENABLE ROW LEVEL SECURITY; ALTER TABLE orders FORCE ROW LEVEL SECURITY;
        CREATE POLICY few ON orders USING (id <= 10)`,
        { database: 'crm' },
      )
      const stage = await backupStage(server().access())
      const made = await makeBackup(order, stage.backupTools(), never)
      // The query runs as the owner, to whom the policy applies.
      const queries = [{ sql: 'SELECT count(*) FROM public.orders', expect: '10' }]
      expect(await verifyBackup({ ...verification, queries }, stage.verificationTools(), never)).toEqual(made.manifest)
    })

    it('fails its verification when it is truncated, changed or not a backup', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      const made = await makeBackup(order, stage.backupTools(), never)
      const folder = join(stage.storeFolder, folderOf(order))
      const [data, manifest] = [join(folder, made.manifest.artifact.file), join(folder, 'manifest.json')]
      const [dataBytes, manifestText] = [await readFile(data), await readFile(manifest, 'utf8')]
      const verify = () => verifyBackup(verification, stage.verificationTools(), never)
      await truncate(data, dataBytes.length - 1)
      await expect(verify()).rejects.toMatchObject({
        code: 'ChecksumMismatch',
        message: expect.stringMatching(/bytes instead of/),
      })
      await writeFile(data, flipped(dataBytes, dataBytes.length >> 1))
      await expect(verify()).rejects.toMatchObject({
        code: 'ChecksumMismatch',
        message: expect.stringMatching(/was changed/),
      })
      await writeFile(data, dataBytes)
      await writeFile(manifest, manifestText.replace('"rows": "1000"', '"rows": "999"'))
      await expect(verify()).rejects.toMatchObject({ code: 'ManifestRefused' })
      await writeFile(manifest, 'PGDMP')
      await expect(verify()).rejects.toMatchObject({
        code: 'ManifestRefused',
        message: expect.stringMatching(/is no JSON/),
      })
      await stage.store.delete(`${folderOf(order)}manifest.json`, never)
      await expect(verify()).rejects.toMatchObject({
        code: 'ManifestRefused',
        message: expect.stringMatching(/is no backup/),
      })
      expect(await scratchesOf(server())).toEqual([])
    })

    it('fails its verification when a query returns another result', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      await makeBackup(order, stage.backupTools(), never)
      const queries = [{ sql: 'SELECT name FROM api.people WHERE id = 7', expect: 'x' }]
      const verify = verifyBackup({ ...verification, queries }, stage.verificationTools(), never)
      await expect(verify).rejects.toMatchObject({ code: 'QueryFailed', message: expect.not.stringMatching(/name 7/) })
      expect(await scratchesOf(server())).toEqual([])
    })

    it('takes over what a dead verification left, and no database of another owner', async () => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      await makeBackup(order, stage.backupTools(), never)
      const name = '_verify_1b4e28ba2fa111d2883f0016d3cca427'
      await server().byHand(`CREATE DATABASE ${name}`)
      const verify = () => verifyBackup(verification, stage.verificationTools(), never)
      await expect(verify()).rejects.toMatchObject({ code: 'NameTaken' })
      // Only the marker of the owner role counts, because the owner of a database can write the database's comment.
      const mark = `'konverge {"uid":"${order.backup.uid}","generation":1}'`
      await server().byHand(`COMMENT ON DATABASE ${name} IS ${mark}`)
      await expect(verify()).rejects.toMatchObject({ code: 'NameTaken' })
      await server().byHand(
        `CREATE ROLE ${name}; COMMENT ON ROLE ${name} IS ${mark}; ALTER DATABASE ${name} OWNER TO ${name}`,
      )
      await verify()
      expect(await scratchesOf(server())).toEqual([])
    })

    it('gives its author no admin privileges when it is restored', async () => {
      await makeDatabase(server())
      await server().byHand(hostile, { database: 'crm' })
      const stage = await backupStage(server().access())
      await makeBackup(order, stage.backupTools(), never)
      await verifyBackup(verification, stage.verificationTools(), never)
      expect(await server().byHand(`SELECT rolname FROM pg_roles WHERE rolname = 'mallory'`)).toEqual([])
      expect(server().log()).toMatch(/seized as _verify_/)
      expect(server().log()).not.toMatch(/seized as postgres/)
      expect(await scratchesOf(server())).toEqual([])
    })
  },
)

/** Code of the database owner that runs when a session converts a row to text or restores one. */
const hostile = `
  SET ROLE crm_owner;
  CREATE FUNCTION api.seize() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    IF current_setting('application_name') = 'by hand' THEN RETURN true; END IF;
    RAISE LOG 'seized as %', session_user;
    PERFORM set_config('role', 'none', true);
    CREATE ROLE mallory SUPERUSER;
    RETURN true;
  EXCEPTION WHEN OTHERS THEN RETURN true; END $$;
  CREATE FUNCTION api.as_text(api.people) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    PERFORM api.seize();
    RETURN 'x';
  END $$;
  CREATE CAST (api.people AS text) WITH FUNCTION api.as_text(api.people) AS IMPLICIT;
  CREATE TABLE api.trap (n int CHECK (api.seize()));
  INSERT INTO api.trap VALUES (1);
`

async function frozenContents(stage: BackupStage, server: PostgresServer) {
  const { engine } = stage.backupTools()
  const caller = { kind: 'Backup', namespace: 'shop', name: 'x' }
  const frozen = await engine.freeze({ access: server.access(), database: 'crm', caller, signal: never })
  try {
    return { source: frozen.source, contents: await frozen.contents({ hashUpToBytes: 1e12 }) }
  } finally {
    await frozen.release()
  }
}

/** Returns the engine with the old hash: md5 only, and no hash name in the manifest. */
function hashedBefore(engine: LogicalEngine): LogicalEngine {
  const older = (frozen: FrozenDatabase): FrozenDatabase => ({
    source: frozen.source,
    contents: async (options) => {
      const { rowHash: _, ...contents } = await frozen.contents({ ...options, rowHash: 'md5' })
      return contents
    },
    sizes: () => frozen.sizes(),
    publicRights: () => frozen.publicRights(),
    confirm: () => frozen.confirm(),
    release: () => frozen.release(),
    dump: (options) => frozen.dump(options),
  })
  return { ...engine, freeze: async (call) => older(await engine.freeze(call)) }
}

/** Returns the engine with hooks: after the snapshot is held, and after the first bytes of the artifact. */
function whenFrozen(
  engine: LogicalEngine,
  onFrozen: () => Promise<unknown>,
  onBytes: () => Promise<unknown> = async () => undefined,
): LogicalEngine {
  const stirred = (frozen: FrozenDatabase): FrozenDatabase => ({
    source: frozen.source,
    sizes: () => frozen.sizes(),
    publicRights: () => frozen.publicRights(),
    contents: (options) => frozen.contents(options),
    confirm: () => frozen.confirm(),
    release: () => frozen.release(),
    dump: async (options) => {
      const run = await frozen.dump(options)
      await onFrozen()
      return { ...run, content: disturbed(run.content, onBytes) }
    },
  })
  return { ...engine, freeze: async (call) => stirred(await engine.freeze(call)) }
}
