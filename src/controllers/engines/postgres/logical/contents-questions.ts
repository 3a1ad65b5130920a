// Statements that read the contents of a database: one for the catalogs, and one for each table. Invariant: they run as
// the admin, and call no code of other roles. Rows become text by the types' output functions, because a cast could be
// user-defined.
import type { DatabaseContents } from '../../database-contents.ts'
import type { TableReading } from '../../logical-engine.ts'
import type { TableName } from '../../replication.ts'
import { commaList, integer, literal, qualified, type Sql, sql } from '../sql-text.ts'

/** One snapshot for all following statements. */
export const beginFrozen: Sql = sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`

/** Like `beginFrozen`, for a transaction that makes changes and rolls them back. */
export const beginFrozenForOwner: Sql = sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE`

/**
 * FORCE ROW LEVEL SECURITY would hide rows from the owner, which is an error here. Only autovacuum can hold a lock; it
 * gives way after `deadlock_timeout`, so there is no lock timeout.
 */
export const liftPolicies: Sql = sql`SET LOCAL lock_timeout TO 0; DO ${literal(sql`DECLARE t pg_catalog.regclass; BEGIN
  FOR t IN SELECT c.oid FROM pg_catalog.pg_class c
    WHERE c.relforcerowsecurity AND pg_catalog.pg_get_userbyid(c.relowner) = CURRENT_USER
  LOOP EXECUTE pg_catalog.format('ALTER TABLE ONLY %s NO FORCE ROW LEVEL SECURITY', t); END LOOP;
END`)}`

/**
 * Settings inside a transaction: no time limits, text output independent of user settings, and counts that read the
 * table, not only an index. Some settings do not exist on every server version.
 */
export const frozenSettings: Sql = sql`SET LOCAL statement_timeout TO 0; SET LOCAL idle_in_transaction_session_timeout TO 0;
  SET LOCAL enable_indexonlyscan TO off;
  SET LOCAL row_security TO off; SET LOCAL datestyle TO 'ISO, YMD'; SET LOCAL intervalstyle TO 'iso_8601';
  SET LOCAL timezone TO 'UTC'; SET LOCAL extra_float_digits TO 1; SET LOCAL bytea_output TO 'hex';
  SET LOCAL lc_monetary TO 'C'; SET LOCAL xmlbinary TO 'base64';
  SELECT pg_catalog.set_config(s.name, x.value, true) FROM pg_catalog.pg_settings s JOIN (VALUES
    ('restrict_nonsystem_relation_kind', 'view, foreign-table'), ('transaction_timeout', '0')) x (name, value) ON x.name = s.name`

/** Reads the whole row, because the columns differ between server versions. */
const localeProvider = `(SELECT pg_catalog.jsonb_strip_nulls(CASE o.row ->> 'datlocprovider'
    WHEN 'i' THEN pg_catalog.jsonb_build_object('kind', 'icu', 'rules', o.row ->> 'daticurules',
      'locale', COALESCE(o.row ->> 'datlocale', o.row ->> 'daticulocale'))
    WHEN 'b' THEN pg_catalog.jsonb_build_object('kind', 'builtin', 'locale', o.row ->> 'datlocale')
    ELSE pg_catalog.jsonb_build_object('kind', 'libc') END) FROM (SELECT pg_catalog.to_jsonb(d) AS row) o)`

const sourceFacts = `pg_catalog.jsonb_build_object(
    'database', d.datname, 'owner', pg_catalog.pg_get_userbyid(d.datdba),
    'encoding', pg_catalog.pg_encoding_to_char(d.encoding), 'collate', d.datcollate, 'ctype', d.datctype,
    'localeProvider', ${localeProvider},
    'systemIdentifier', (SELECT c.system_identifier::text FROM pg_catalog.pg_control_system() c),
    'databaseOid', d.oid::bigint,
    'serverVersion', pg_catalog.split_part(pg_catalog.current_setting('server_version'), ' ', 1),
    'majorVersion', pg_catalog.current_setting('server_version_num')::int / 10000,
    'logPosition', pg_catalog.pg_current_wal_lsn()::text,
    'sizeBytes', pg_catalog.pg_database_size(d.oid))`

const ofThisDatabase = 'FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()'

/** Name of the snapshot, and the properties of the source. */
export const frozenQuestion = `SELECT pg_catalog.pg_export_snapshot() AS snapshot, ${sourceFacts} AS answer ${ofThisDatabase}`

/** Properties of the source, and the size of all databases. */
export const serverQuestion = `SELECT ${sourceFacts} AS answer,
    (SELECT pg_catalog.sum(pg_catalog.pg_database_size(a.oid))::text FROM pg_catalog.pg_database a) AS size ${ofThisDatabase}`

export const ownSchema = (oid: string) => `${oid} IN (SELECT n.oid FROM pg_catalog.pg_namespace n
  WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%')`

/** Excludes members of extensions. */
export const ofNoExtension = (catalog: string, oid: string) => `NOT EXISTS (SELECT FROM pg_catalog.pg_depend e
  WHERE e.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND e.objid = ${oid} AND e.deptype = 'e')`

const relations = (
  kinds: string,
) => `FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
  WHERE c.relkind IN (${kinds}) AND c.relpersistence <> 't' AND ${ownSchema('c.relnamespace')}
    AND ${ofNoExtension('pg_class', 'c.oid')}`

/**
 * The selection of pg_dump: excludes invalid indexes (of an interrupted `CREATE INDEX CONCURRENTLY`), and all indexes
 * of an extension's table.
 */
const indexes = `FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
  WHERE (i.indisvalid OR c.relkind = 'p') AND i.indisready AND c.relpersistence <> 't' AND ${ownSchema('c.relnamespace')}
    AND ${ofNoExtension('pg_class', 'c.oid')}`

const inOrder = 'ORDER BY s.nspname COLLATE "C", c.relname COLLATE "C"'

/**
 * Releases the locks that a question takes on catalogs and their indexes. The lock table has little room besides the
 * locks of all tables.
 */
export function unlocked(question: string): string {
  return `SAVEPOINT one; ${question}; ROLLBACK TO SAVEPOINT one; RELEASE SAVEPOINT one`
}

const sequences = `(SELECT pg_catalog.json_agg(pg_catalog.json_build_object('schema', s.nspname, 'name', c.relname,
      'lastValue', CASE WHEN pg_catalog.has_sequence_privilege(c.oid, 'SELECT, USAGE')
        THEN pg_catalog.pg_sequence_last_value(c.oid)::text END,
      'increment', (SELECT q.seqincrement::text FROM pg_catalog.pg_sequence q WHERE q.seqrelid = c.oid),
      'cycles', (SELECT q.seqcycle FROM pg_catalog.pg_sequence q WHERE q.seqrelid = c.oid)) ${inOrder})
    ${relations("'S'")})`

/** Current positions of sequences, which are not part of snapshots. */
export const sequencesQuestion = `SELECT ${sequences} AS answer`

export const catalogQuestion = `SELECT pg_catalog.json_build_object(
  'tables', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('schema', s.nspname, 'name', c.relname,
      'sizeBytes', pg_catalog.pg_table_size(c.oid)) ${inOrder}) ${relations("'r'")}),
  'sequences', ${sequences},
  -- As they were made: one that requires another one comes after it.
  'extensions', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('name', x.extname, 'version', x.extversion,
      'schema', s.nspname) ORDER BY x.oid)
    FROM pg_catalog.pg_extension x JOIN pg_catalog.pg_namespace s ON s.oid = x.extnamespace),
  'largeObjects', (SELECT pg_catalog.count(*)::text FROM pg_catalog.pg_largeobject_metadata),
  'objects', pg_catalog.json_build_object(
    'views', (SELECT pg_catalog.count(*) ${relations("'v', 'm'")}),
    'indexes', (SELECT pg_catalog.count(*) ${indexes}),
    'partitioned tables', (SELECT pg_catalog.count(*) ${relations("'p'")}),
    'foreign tables', (SELECT pg_catalog.count(*) ${relations("'f'")}),
    'constraints', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_constraint c
      WHERE c.contype <> 'n' AND ${ownSchema('c.connamespace')} AND ${ofNoExtension('pg_class', 'c.conrelid')}
        AND ${ofNoExtension('pg_type', 'c.contypid')}),
    'functions', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_proc p
      WHERE ${ownSchema('p.pronamespace')} AND ${ofNoExtension('pg_proc', 'p.oid')}),
    -- Those that a trigger of a partitioned table has made at its partitions are internal up to 14 only.
    'own triggers', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
      WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND ${ownSchema('c.relnamespace')} AND ${ofNoExtension('pg_class', 'c.oid')}),
    'policies', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_policy),
    'types', (SELECT pg_catalog.count(*) FROM pg_catalog.pg_type t
      WHERE (t.typtype IN ('e', 'd', 'r') OR EXISTS (SELECT FROM pg_catalog.pg_class c
          WHERE c.oid = t.typrelid AND c.relkind = 'c'))
        AND ${ownSchema('t.typnamespace')} AND ${ofNoExtension('pg_type', 't.oid')}))) AS answer`

/** Answer of the statement above. Null means an empty list. */
export interface CatalogAnswer {
  readonly tables: readonly { readonly schema: string; readonly name: string; readonly sizeBytes: number }[] | null
  readonly sequences: DatabaseContents['sequences'] | null
  readonly extensions: DatabaseContents['extensions'] | null
  readonly largeObjects: string
  readonly objects: DatabaseContents['objects']
}

/** Column `answer`: the tables that pg_dump locks, including partitioned tables. */
export const tablesQuestion = `SELECT pg_catalog.json_agg(pg_catalog.json_build_object('schema', s.nspname, 'name', c.relname)
    ${inOrder}) AS answer ${relations("'r', 'p'")}`

/**
 * Takes the locks that pg_dump takes, for its duration. In a transaction without a snapshot it does not take one. It
 * waits for less than `deadlock_timeout` (1 s), so that no client that changes a table becomes a deadlock victim.
 */
export function keepStatement(tables: readonly TableName[]): Sql {
  const each = commaList(tables.map(({ schema, name }) => sql`ONLY ${qualified(schema, name)}`))
  return sql`SET LOCAL lock_timeout TO ${integer(keepMs)}; LOCK TABLE ${each} IN ACCESS SHARE MODE; SET LOCAL lock_timeout TO DEFAULT`
}

const keepMs = 500

/**
 * Column `waiting`: number of sessions of this name that wait for a lock. It is the session's own pg_dump, queued
 * behind a client that waits for a table locked by this session. Clears the statistics snapshot to read current
 * sessions.
 */
export const toolWaitsQuestion = `SELECT pg_catalog.pg_stat_clear_snapshot(); SELECT pg_catalog.count(*)::text AS waiting
  FROM pg_catalog.pg_stat_activity a WHERE a.datname = pg_catalog.current_database()
    AND a.application_name = pg_catalog.current_setting('application_name') AND a.wait_event_type = 'Lock'
    AND a.pid <> pg_catalog.pg_backend_pid()`

/**
 * Columns `rows` and, if requested, `hash`: the sum of row hashes, so that order does not matter and equal rows do not
 * cancel out. ROW(t.*) means the row even if a column is named `t`. Releases its locks on the table and its indexes,
 * because the lock table has no room for those of all tables.
 */
export function rowsQuestion(schema: string, table: string, how: TableReading): Sql {
  const from = sql`FROM ONLY ${qualified(schema, table)} t; ROLLBACK TO SAVEPOINT one; RELEASE SAVEPOINT one`
  if (how === 'counted') return sql`SAVEPOINT one; SELECT pg_catalog.count(*)::text AS rows ${from}`
  return sql`SAVEPOINT one; SELECT pg_catalog.count(*)::text AS rows, COALESCE(pg_catalog.sum(${rowHash[how]}), 0)::text AS hash ${from}`
}

const rowText = sql`pg_catalog.textin(pg_catalog.record_out(ROW(t.*)))`

/** Servers of all versions have to hash alike, because hash partitioning depends on it. */
const rowHash = {
  hashed: sql`('x' || pg_catalog.substr(pg_catalog.md5(${rowText}), 1, 15))::bit(60)::bigint`,
  compared: sql`pg_catalog.hashtextextended(${rowText} COLLATE pg_catalog."C", 0)`,
} as const
