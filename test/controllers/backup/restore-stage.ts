// Fixture: a database of a Database that was backed up and changed since, and the order to restore it.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadManifest } from '../../../src/controllers/backup/artifact-loader.ts'
import { makeBackup } from '../../../src/controllers/backup/backup-worker.ts'
import { type Manifest, manifestText, newManifest } from '../../../src/controllers/backup/manifest.ts'
import type { RestoreOrder } from '../../../src/controllers/backup/restore-order.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { startPostgres } from '../../postgres/on-each-postgres.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { never } from '../stores/contents.ts'
import { type BackupStage, backupStage, order, verification } from './backup-stage.ts'

/** No tool of this machine can back up newer versions; its backups can be restored to them. */
const newestTool = 15

const { uid } = order.database
const database = { namespace: 'shop', name: 'crm', uid, databaseName: 'crm', owner: 'crm_owner' }
const { folder, queries, hashUpToBytes } = verification

/** Restore into a new database. */
export const anew: RestoreOrder = {
  requestId: 'r1',
  database,
  replaces: undefined,
  source: { kind: 'backup', folder, queries, hashUpToBytes },
}

export interface RestoreStage extends BackupStage {
  readonly server: PostgresServer
  /** Restore in place of the current database. */
  inPlace(changes?: Partial<RestoreOrder>): Promise<RestoreOrder>
  /** Another manifest, as the owner of the store could write it. */
  reseal(to: (manifest: Manifest) => Omit<Manifest, 'form'>): Promise<void>
}

type Make = (server: PostgresServer) => Promise<void>

/** With a backup of `crm` in its store. `access`: connection of the worker to the server. */
export async function restoreStage(
  server: PostgresServer,
  access: ServerAccess,
  make: Make = makeSmallDatabase,
): Promise<RestoreStage> {
  const stage = await backupStage(access)
  const folder = join(stage.storeFolder, verification.folder)
  await mkdir(folder, { recursive: true })
  for (const [file, bytes] of await saved(make)) await writeFile(join(folder, file), bytes)
  return {
    ...stage,
    server,
    inPlace: async (changes) => ({ ...anew, replaces: await identityOf(server), ...changes }),
    reseal: async (to) => {
      const { manifest } = await loadManifest(stage.store, verification.folder, never)
      await writeFile(join(folder, 'manifest.json'), manifestText(newManifest(to(manifest))))
    },
  }
}

type Files = readonly (readonly [name: string, bytes: Buffer])[]

/** A backup needs a server, so all tests of a file share its files. */
const artifacts = new Map<Make, Files>()

async function saved(make: Make): Promise<Files> {
  const known = artifacts.get(make)
  if (known !== undefined) return known
  const source = await startPostgres({ version: newestTool })
  await make(source)
  const stage = await backupStage(source.access())
  const { folder } = await makeBackup(order, stage.backupTools(), never)
  const from = join(stage.storeFolder, folder)
  const files = await Promise.all(
    (await readdir(from)).map(async (name) => [name, await readFile(join(from, name))] as const),
  )
  artifacts.set(make, files)
  return files
}

/** State of a Database, some time after its backup. */
export async function makeLive(server: PostgresServer, make: Make = makeSmallDatabase): Promise<void> {
  await removeAll(server)
  await make(server)
  const mark = JSON.stringify({ uid, generation: 1, holder: 'Database shop/crm' })
  await server.byHand(`COMMENT ON ROLE crm_owner IS 'konverge ${mark}'; COMMENT ON DATABASE crm IS 'konverge ${mark}'`)
  await server.byHand("DELETE FROM orders WHERE id > 7; INSERT INTO orders VALUES (-1, 'sentinel')", {
    database: 'crm',
  })
}

/** Small enough for many runs. */
export async function makeSmallDatabase(server: PostgresServer): Promise<void> {
  await server.byHand('CREATE ROLE crm_owner')
  await server.byHand('CREATE DATABASE crm OWNER crm_owner TEMPLATE template0')
  await server.byHand(smallDatabase, { database: 'crm' })
}

const smallDatabase = `CREATE SCHEMA ext; CREATE EXTENSION pgcrypto SCHEMA ext; CREATE SCHEMA api AUTHORIZATION crm_owner;
  SET ROLE crm_owner;
  CREATE TABLE public.orders (id int PRIMARY KEY, note text);
  INSERT INTO public.orders SELECT n, repeat('x', n % 50) FROM generate_series(1, 1000) n;
  CREATE TABLE api.people (id bigint GENERATED ALWAYS AS IDENTITY, name text);
  INSERT INTO api.people (name) VALUES ('a'), ('b')`

/** Removes what earlier tests, or workers that died in them, left. */
export async function removeAll(server: PostgresServer): Promise<void> {
  for (const name of await databasesOf(server)) await server.byHand(`DROP DATABASE "${name}" WITH (FORCE)`)
  for (const name of await rolesOf(server)) await server.byHand(`DROP ROLE "${name}"`)
}

export async function databasesOf(server: PostgresServer): Promise<readonly string[]> {
  const rows = await server.byHand("SELECT datname AS name FROM pg_database WHERE datname LIKE 'crm%' ORDER BY 1")
  return rows.map(({ name }) => String(name))
}

export async function rolesOf(server: PostgresServer): Promise<readonly string[]> {
  const rows = await server.byHand("SELECT rolname AS name FROM pg_roles WHERE rolname LIKE 'crm%' ORDER BY 1")
  return rows.map(({ name }) => String(name))
}

export async function identityOf(server: PostgresServer, name = 'crm') {
  const [row] = await server.byHand(
    `SELECT system_identifier::text AS system, (SELECT oid::int FROM pg_database WHERE datname = '${name}') AS oid
    FROM pg_control_system()`,
  )
  return { systemIdentifier: String(row?.['system']), databaseOid: Number(row?.['oid']) }
}

/** Relevant end state of a run. */
export async function sightOf(server: PostgresServer) {
  const rows = await server.byHand(`SELECT d.datname, pg_get_userbyid(d.datdba) AS owner, d.datallowconn AS open,
    d.datacl::text AS acl, shobj_description(d.oid, 'pg_database') AS comment
    FROM pg_database d WHERE d.datname LIKE 'crm%' ORDER BY 1`)
  const live = await server.byHand(
    `SELECT count(*)::int AS orders, bool_or(id = -1) AS sentinel,
      (SELECT count(*)::int FROM pg_class c WHERE c.relowner <> 'crm_owner'::regrole AND c.relnamespace IN ('api'::regnamespace, 'public'::regnamespace)) AS strange
    FROM orders`,
    { database: 'crm' },
  )
  return { databases: rows, roles: await rolesOf(server), live: live[0] }
}
