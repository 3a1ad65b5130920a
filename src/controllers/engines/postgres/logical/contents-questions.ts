// Which statements say what is in a database? One for the catalogs, and one for each table. They run as the admin over what others have
// made, so that nothing in them can call what others have written: rows become text by the types' own output functions, as a cast could be
// anybody's.
import type { DatabaseContents } from '../../database-contents.ts'
import type { TableReading } from '../../logical-engine.ts'
import type { TableName } from '../../replication.ts'
import { commaList, integer, literal, qualified, type Sql, sql } from '../sql-text.ts'

/** One moment of the database for all that follows. */
export const beginFrozen: Sql = sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`

/** The same, for changes of its own, with which it ends. */
export const beginFrozenForOwner: Sql = sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE`

/**
 * Policies that hold for the owner of a table as well would hide its rows from him, and that is an error here. Nobody else is there but
 * autovacuum, which gives way after `deadlock_timeout`, however long that is.
 */
export const liftPolicies: Sql = sql`SET LOCAL lock_timeout TO 0; DO ${literal(sql`DECLARE t pg_catalog.regclass; BEGIN
  FOR t IN SELECT c.oid FROM pg_catalog.pg_class c
    WHERE c.relforcerowsecurity AND pg_catalog.pg_get_userbyid(c.relowner) = CURRENT_USER
  LOOP EXECUTE pg_catalog.format('ALTER TABLE ONLY %s NO FORCE ROW LEVEL SECURITY', t); END LOOP;
END`)}`

/**
 * For a transaction that has begun: it may take as long as it takes, its texts depend on no setting of anybody's, and who counts rows reads them
 * and not an index only. Some settings are not there on every server.
 */
export const frozenSettings: Sql = sql`SET LOCAL statement_timeout TO 0; SET LOCAL idle_in_transaction_session_timeout TO 0;
  SET LOCAL enable_indexonlyscan TO off;
  SET LOCAL row_security TO off; SET LOCAL datestyle TO 'ISO, YMD'; SET LOCAL intervalstyle TO 'iso_8601';
  SET LOCAL timezone TO 'UTC'; SET LOCAL extra_float_digits TO 1; SET LOCAL bytea_output TO 'hex';
  SET LOCAL lc_monetary TO 'C'; SET LOCAL xmlbinary TO 'base64';
  SELECT pg_catalog.set_config(s.name, x.value, true) FROM pg_catalog.pg_settings s JOIN (VALUES
    ('restrict_nonsystem_relation_kind', 'view, foreign-table'), ('transaction_timeout', '0')) x (name, value) ON x.name = s.name`

/** By the whole row, as servers have come to have more columns with their versions. */
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

/** The name of the snapshot, and the facts of the source. */
export const frozenQuestion = `SELECT pg_catalog.pg_export_snapshot() AS snapshot, ${sourceFacts} AS answer ${ofThisDatabase}`

/** The facts of the source, and the size of all databases. */
export const serverQuestion = `SELECT ${sourceFacts} AS answer,
    (SELECT pg_catalog.sum(pg_catalog.pg_database_size(a.oid))::text FROM pg_catalog.pg_database a) AS size ${ofThisDatabase}`

export const ownSchema = (oid: string) => `${oid} IN (SELECT n.oid FROM pg_catalog.pg_namespace n
  WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%')`

/** What belongs to an extension comes with it. */
export const ofNoExtension = (catalog: string, oid: string) => `NOT EXISTS (SELECT FROM pg_catalog.pg_depend e
  WHERE e.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND e.objid = ${oid} AND e.deptype = 'e')`

const relations = (
  kinds: string,
) => `FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
  WHERE c.relkind IN (${kinds}) AND c.relpersistence <> 't' AND ${ownSchema('c.relnamespace')}
    AND ${ofNoExtension('pg_class', 'c.oid')}`

/**
 * As the tool chooses: none that nobody has finished making (`CREATE INDEX CONCURRENTLY`), and none of a table that comes with an
 * extension, whoever made it.
 */
const indexes = `FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
  WHERE (i.indisvalid OR c.relkind = 'p') AND i.indisready AND c.relpersistence <> 't' AND ${ownSchema('c.relnamespace')}
    AND ${ofNoExtension('pg_class', 'c.oid')}`

const inOrder = 'ORDER BY s.nspname COLLATE "C", c.relname COLLATE "C"'

/** The locks that a question takes, on catalogs and their indexes, go with it: a server has no room for many beside those of all tables. */
export function unlocked(question: string): string {
  return `SAVEPOINT one; ${question}; ROLLBACK TO SAVEPOINT one; RELEASE SAVEPOINT one`
}

const sequences = `(SELECT pg_catalog.json_agg(pg_catalog.json_build_object('schema', s.nspname, 'name', c.relname,
      'lastValue', CASE WHEN pg_catalog.has_sequence_privilege(c.oid, 'SELECT, USAGE')
        THEN pg_catalog.pg_sequence_last_value(c.oid)::text END,
      'increment', (SELECT q.seqincrement::text FROM pg_catalog.pg_sequence q WHERE q.seqrelid = c.oid),
      'cycles', (SELECT q.seqcycle FROM pg_catalog.pg_sequence q WHERE q.seqrelid = c.oid)) ${inOrder})
    ${relations("'S'")})`

/** Where sequences stand now: they take no part in snapshots. */
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

/** What the statement above answers; null stands for an empty list. */
export interface CatalogAnswer {
  readonly tables: readonly { readonly schema: string; readonly name: string; readonly sizeBytes: number }[] | null
  readonly sequences: DatabaseContents['sequences'] | null
  readonly extensions: DatabaseContents['extensions'] | null
  readonly largeObjects: string
  readonly objects: DatabaseContents['objects']
}

/** Column `answer`: the tables that the tool locks, as those that have partitions. */
export const tablesQuestion = `SELECT pg_catalog.json_agg(pg_catalog.json_build_object('schema', s.nspname, 'name', c.relname)
    ${inOrder}) AS answer ${relations("'r', 'p'")}`

/**
 * As the tool locks them itself, for as long as it runs. In a transaction that has no snapshot yet it takes none. It waits for less than the second
 * after which a server looks for deadlocks, whose victim whoever changes a table could be.
 */
export function keepStatement(tables: readonly TableName[]): Sql {
  const each = commaList(tables.map(({ schema, name }) => sql`ONLY ${qualified(schema, name)}`))
  return sql`SET LOCAL lock_timeout TO ${integer(keepMs)}; LOCK TABLE ${each} IN ACCESS SHARE MODE; SET LOCAL lock_timeout TO DEFAULT`
}

const keepMs = 500

/**
 * Column `waiting`: how many sessions of the same name wait for a lock: the tool of this session, which waits behind somebody who waits for
 * a table that this session has locked. The sessions of this moment, and not of the first look in the transaction.
 */
export const toolWaitsQuestion = `SELECT pg_catalog.pg_stat_clear_snapshot(); SELECT pg_catalog.count(*)::text AS waiting
  FROM pg_catalog.pg_stat_activity a WHERE a.datname = pg_catalog.current_database()
    AND a.application_name = pg_catalog.current_setting('application_name') AND a.wait_event_type = 'Lock'
    AND a.pid <> pg_catalog.pg_backend_pid()`

/**
 * Columns `rows` and, where asked for, `hash`: the sum of the rows' own hashes, so that their order does not matter and two equal rows do
 * not cancel out. ROW(t.*) stands for the row even where a column has the name `t`. The locks that it takes, on every index of the table too,
 * go with it: a server has no room for those of all tables at once.
 */
export function rowsQuestion(schema: string, table: string, how: TableReading): Sql {
  const from = sql`FROM ONLY ${qualified(schema, table)} t; ROLLBACK TO SAVEPOINT one; RELEASE SAVEPOINT one`
  if (how === 'counted') return sql`SAVEPOINT one; SELECT pg_catalog.count(*)::text AS rows ${from}`
  return sql`SAVEPOINT one; SELECT pg_catalog.count(*)::text AS rows, COALESCE(pg_catalog.sum(${rowHash[how]}), 0)::text AS hash ${from}`
}

const rowText = sql`pg_catalog.textin(pg_catalog.record_out(ROW(t.*)))`

/** Where hash partitions are, servers of all versions have to hash alike. */
const rowHash = {
  hashed: sql`('x' || pg_catalog.substr(pg_catalog.md5(${rowText}), 1, 15))::bit(60)::bigint`,
  compared: sql`pg_catalog.hashtextextended(${rowText} COLLATE pg_catalog."C", 0)`,
} as const
