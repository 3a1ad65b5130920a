// Fixture: a server with a database, a store in a folder, and the tools of a worker.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { systemSecrets } from '../../../src/base/random.ts'
import { type BackupOrder, type BackupTools, folderOf } from '../../../src/controllers/backup/backup-worker.ts'
import type { VerificationOrder, VerificationTools } from '../../../src/controllers/backup/verification-worker.ts'
import { postgresLogicalEngine } from '../../../src/controllers/engines/postgres/logical/logical-driver.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import { FolderStore } from '../../../src/controllers/stores/folder-store-driver.ts'
import { engineHere } from '../../postgres/engine-here.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'

const places = { versions: '/usr/lib/postgresql', folders: [] }

export const order: BackupOrder = {
  backup: { uid: '1b4e28ba-2fa1-11d2-883f-0016d3cca427', namespace: 'shop', name: 'nightly-1' },
  database: { name: 'crm', uid: '2c4e28ba-2fa1-11d2-883f-0016d3cca427', databaseName: 'crm' },
  slotMs: Date.parse('2026-03-29T02:30:00Z'),
  specHash: 'ab',
  hashUpToBytes: 1e12,
}

export const verification: VerificationOrder = {
  backup: order.backup,
  folder: folderOf(order),
  queries: [{ sql: 'SELECT count(*) FROM public.orders', expect: '1000' }],
  hashUpToBytes: order.hashUpToBytes,
}

export interface BackupStage {
  readonly store: FolderStore
  readonly storeFolder: string
  readonly workFolder: string
  backupTools(changes?: Partial<BackupTools>): BackupTools
  verificationTools(changes?: Partial<VerificationTools>): VerificationTools
  /** All files of the store and of the work folder. */
  left(): Promise<readonly string[]>
}

export async function backupStage(access: ServerAccess, attempt = 'one'): Promise<BackupStage> {
  const [storeFolder, workFolder] = await Promise.all([newFolder('store'), newFolder('work')])
  const store = new FolderStore({ folder: storeFolder, attempt })
  const logical = postgresLogicalEngine({ clock: systemClock, places, workFolder })
  const { engine } = engineHere()
  return {
    store,
    storeFolder,
    workFolder,
    backupTools: (changes) => ({ store, engine: logical, access, clock: systemClock, attempt, ...changes }),
    verificationTools: (changes) => ({
      ...{ store, engine, logical, access, secrets: systemSecrets, workFolder, clock: systemClock },
      ...changes,
    }),
    left: async () => [...(await filesIn(storeFolder)), ...(await filesIn(workFolder))],
  }
}

async function newFolder(what: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `konverge-${what}-`))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()
}

/** A database with objects of all kinds. */
export async function makeDatabase(server: PostgresServer): Promise<void> {
  await server.byHand('DROP DATABASE IF EXISTS crm WITH (FORCE)')
  await server.byHand('DROP ROLE IF EXISTS crm_owner')
  await server.byHand('CREATE ROLE crm_owner')
  await server.byHand('CREATE DATABASE crm OWNER crm_owner TEMPLATE template0')
  await server.byHand(database, { database: 'crm' })
}

const database = `
  CREATE SCHEMA api AUTHORIZATION crm_owner;
  CREATE SCHEMA ext;
  GRANT USAGE ON SCHEMA ext TO crm_owner;
  CREATE EXTENSION pgcrypto SCHEMA ext;
  SET ROLE crm_owner;
  CREATE TYPE api.mood AS ENUM ('sad', 'glad');
  CREATE TABLE api.people (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, t text, mood api.mood,
    born timestamptz, paid numeric(12, 3), photo bytea, weight float8, tags text[], more jsonb);
  INSERT INTO api.people (name, t, mood, born, paid, photo, weight, tags, more)
    SELECT 'name ' || n, NULL, 'glad', timestamptz '2026-01-01' + n * interval '1 hour', n / 7.0, ext.digest(n::text, 'sha256'),
      n / 3.0, ARRAY['a', n::text], jsonb_build_object('n', n) FROM generate_series(1, 500) n;
  RESET ROLE;
  CREATE TABLE public.orders (id int PRIMARY KEY, note text);
  ALTER TABLE public.orders OWNER TO crm_owner;
  SET ROLE crm_owner;
  INSERT INTO public.orders SELECT n, repeat('x', n % 50) FROM generate_series(1, 1000) n;
  CREATE TABLE api."Odd ""Name""" (t text);
  INSERT INTO api."Odd ""Name""" VALUES ('same'), ('same'), (NULL);
  CREATE TABLE api.parts (day date, n int) PARTITION BY RANGE (day);
  CREATE TABLE api.parts_2026 PARTITION OF api.parts FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
  INSERT INTO api.parts SELECT date '2026-01-01' + n, n FROM generate_series(0, 99) n;
  CREATE TABLE api.nothing ();
  INSERT INTO api.nothing DEFAULT VALUES;
  CREATE SEQUENCE api.falling INCREMENT -2 MAXVALUE 100 START 100;
  SELECT nextval('api.falling'), nextval('api.falling');
  CREATE VIEW api.glad AS SELECT name FROM api.people WHERE mood = 'glad';
  CREATE FUNCTION api.one() RETURNS int LANGUAGE sql AS 'SELECT 1';
  CREATE INDEX ON api.people (name);
`
