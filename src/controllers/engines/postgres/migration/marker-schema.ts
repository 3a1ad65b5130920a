// Schema `_konverge` of a migrated database, which holds the applied markers of its migrations. Invariant: a session of
// the admin reads or writes a marker only in a transaction that has verified the schema and its tables. They belong to
// the admin and are plain, so that no code of another role runs.
import { EngineError } from '../../engine-error.ts'
import { identifier, literal, type Sql, sql } from '../sql-text.ts'

/** Two concurrent creators would each find the other's half. */
export const lockSchema = sql`SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('konverge/schema', 0))`

/** One row: `isThere`, and `isWhole` if all tables exist. */
export const findSchema = sql`SELECT pg_catalog.to_regnamespace('_konverge') IS NOT NULL AS "isThere",
  (SELECT pg_catalog.count(*) = 3 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = '_konverge' AND c.relname IN ('migration_steps', 'migration_lease', 'copy_progress')) AS "isWhole"`

/** Fails if another role has created the schema meanwhile. */
export const makeSchema = sql`CREATE SCHEMA _konverge; REVOKE ALL ON SCHEMA _konverge FROM PUBLIC`

/** Creates missing tables. */
const makeTables = sql`
  CREATE TABLE IF NOT EXISTS _konverge.migration_steps (
    migration text NOT NULL,
    name text NOT NULL,
    ordinal integer NOT NULL,
    state text NOT NULL CHECK (state IN ('Running', 'Applied', 'Adopted', 'Undone', 'Failed', 'UndoFailed')),
    checksum text NOT NULL,
    plan text NOT NULL,
    attempts integer NOT NULL,
    token text NOT NULL,
    superseded_by text,
    sql_state text,
    message text,
    leftovers text,
    epoch bigint NOT NULL,
    started_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (migration, name));
  CREATE TABLE IF NOT EXISTS _konverge.migration_lease (
    name text PRIMARY KEY,
    epoch bigint NOT NULL,
    holder text NOT NULL,
    taken_at timestamptz NOT NULL);
  CREATE TABLE IF NOT EXISTS _konverge.copy_progress (
    migration text NOT NULL,
    step text NOT NULL,
    checksum text NOT NULL,
    table_name text NOT NULL,
    watermark text,
    rows_copied bigint NOT NULL,
    is_done boolean NOT NULL,
    PRIMARY KEY (migration, step, checksum, table_name))`

/** Tables with their columns, by the types' names in the catalogs. */
const tables = sql`(VALUES
  ('migration_steps', 'migration text, name text, ordinal int4, state text, checksum text, plan text, attempts int4, token text, superseded_by text, sql_state text, message text, leftovers text, epoch int8, started_at timestamptz, finished_at timestamptz'),
  ('migration_lease', 'name text, epoch int8, holder text, taken_at timestamptz'),
  ('copy_progress', 'migration text, step text, checksum text, table_name text, watermark text, rows_copied int8, is_done bool'))`

const names = sql`_konverge.migration_steps, ONLY _konverge.migration_lease, ONLY _konverge.copy_progress`

/** Fails if a table is missing. */
function lockTables(mode: Sql): Sql {
  return sql`LOCK TABLE ONLY ${names} IN ${mode} MODE`
}

/**
 * Restored markers belong to the role that restored them. Plain tables become the admin's; others stay unchanged and
 * untrusted. A change of a table's owner runs no code.
 */
export function adoptMarks(restorer: string): Sql {
  const block = sql`DECLARE taken pg_catalog.text; BEGIN
    IF (SELECT pg_catalog.count(*) <> 3 ${ofTables} WHERE c.relkind = 'r') THEN RETURN; END IF;
    ${lockTables(sql`ACCESS EXCLUSIVE`)};
    IF ${faultOf(literal(restorer))} IS NOT NULL THEN RETURN; END IF;
    ALTER SCHEMA _konverge OWNER TO CURRENT_USER;
    ALTER TABLE _konverge.migration_steps OWNER TO CURRENT_USER;
    ALTER TABLE _konverge.migration_lease OWNER TO CURRENT_USER;
    ALTER TABLE _konverge.copy_progress OWNER TO CURRENT_USER;
    FOR taken IN ${grantsToOthers} LOOP EXECUTE taken; END LOOP;
  END`
  return sql`DO ${literal(block)}`
}

/**
 * First reason not to trust the markers. Null: there is none, or there are no markers. Compares the owner's name,
 * because pg_has_role is too broad. It is true of every role for a superuser, and of a database's owner for an admin
 * who is its member.
 */
function faultOf(owner: Sql): Sql {
  return sql`(SELECT f.fault FROM (
    SELECT 1 AS at, 'schema _konverge belongs to ' || pg_catalog.pg_get_userbyid(n.nspowner) AS fault
      FROM pg_catalog.pg_namespace n WHERE n.nspname = '_konverge' AND pg_catalog.pg_get_userbyid(n.nspowner) <> ${owner}
    UNION ALL SELECT 2, 'schema _konverge: table ' || c.relname || ' belongs to ' || pg_catalog.pg_get_userbyid(c.relowner)
      ${ofTables} WHERE pg_catalog.pg_get_userbyid(c.relowner) <> ${owner}
    UNION ALL SELECT 3, 'schema _konverge: table ' || c.relname || ' has ' || CASE ${structure} END ${ofTables}) f
    WHERE f.fault IS NOT NULL ORDER BY f.at, f.fault LIMIT 1)`
}

const ofTables = sql`FROM ${tables} AS wanted (name, columns)
  JOIN pg_catalog.pg_namespace n ON n.nspname = '_konverge'
  JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.name`

/** Each could run code of the role that created it. Source: PostgreSQL, all catalogs that refer to a relation. */
const structure = sql`
  WHEN c.relkind <> 'r' OR c.relpersistence <> 'p' OR c.reloftype <> 0 OR c.relispartition THEN 'another kind than a table'
  WHEN c.relam <> (SELECT m.oid FROM pg_catalog.pg_am m WHERE m.amname = 'heap') THEN 'an access method of its own'
  WHEN wanted.columns IS DISTINCT FROM (SELECT pg_catalog.string_agg(a.attname || ' ' || y.typname, ', ' ORDER BY a.attnum)
      FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON y.oid = a.atttypid AND y.typnamespace = 'pg_catalog'::pg_catalog.regnamespace
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) THEN 'another set of columns'
  WHEN EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
      AND (a.atthasdef OR a.attgenerated <> '' OR a.attidentity <> '')) THEN 'a default or generated column'
  WHEN EXISTS (SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid = c.oid) THEN 'a trigger'
  WHEN EXISTS (SELECT FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid) THEN 'a rule'
  WHEN c.relrowsecurity OR c.relforcerowsecurity OR EXISTS (SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid = c.oid)
    THEN 'a policy'
  WHEN EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE c.oid IN (h.inhrelid, h.inhparent)) THEN 'a parent or a child'
  WHEN EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE c.oid IN (k.conrelid, k.confrelid)
      AND (k.contype NOT IN ('c', 'n', 'p') OR EXISTS (SELECT FROM pg_catalog.pg_depend d
        WHERE d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND d.objid = k.oid AND d.refobjid <> c.oid
          AND d.refobjid <> c.relnamespace))) THEN 'another constraint'
  WHEN EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND (NOT i.indisprimary OR i.indexprs IS NOT NULL
      OR i.indpred IS NOT NULL OR EXISTS (SELECT FROM pg_catalog.pg_opclass o
        WHERE o.oid = ANY (i.indclass::pg_catalog.oid[]) AND o.opcnamespace <> 'pg_catalog'::pg_catalog.regnamespace))) THEN 'another index'
  WHEN EXISTS (SELECT FROM pg_catalog.pg_statistic_ext s WHERE s.stxrelid = c.oid) THEN 'a statistics object'
  WHEN EXISTS (SELECT FROM pg_catalog.aclexplode(c.relacl) x
      WHERE x.grantee <> c.relowner AND x.privilege_type IN ('TRIGGER', 'REFERENCES')) THEN 'a grant of TRIGGER or REFERENCES'`

/** Statements that revoke the privileges of roles other than the owner. */
const grantsToOthers = sql`
  SELECT pg_catalog.format('REVOKE ALL ON %s FROM %s', g.place, CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::pg_catalog.regrole::text END)
    FROM (SELECT 'SCHEMA _konverge' AS place, n.nspowner AS owner, x.grantee
            FROM pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) x WHERE n.nspname = '_konverge'
          UNION SELECT 'TABLE _konverge.' || c.relname, c.relowner, x.grantee ${ofTables}, pg_catalog.aclexplode(c.relacl) x) g
   WHERE g.grantee <> g.owner`

/** SQLSTATE that only konverge raises: PostgreSQL has no class KV. */
const untrustedState = 'KV001'

const checkBlock = sql`DECLARE fault pg_catalog.text := ${faultOf(sql`CURRENT_USER`)}; BEGIN
    IF fault IS NOT NULL THEN RAISE EXCEPTION USING ERRCODE = ${literal(untrustedState)}, MESSAGE = fault; END IF;
  END`
const checkMarks = sql`DO ${literal(checkBlock)}`

/** Creates missing tables in a schema that passes the check. */
export const completeMarks = sql`${checkMarks}; ${makeTables}`

/**
 * Begins a transaction's use of the markers: nothing that it checks can change until the transaction ends. Fails with
 * `untrustedState`, or with the error of a missing table.
 */
export function trustMarks(use: 'read' | 'write'): Sql {
  return sql`${checkMarks}; ${lockTables(use === 'read' ? sql`ACCESS SHARE` : sql`ROW EXCLUSIVE`)}; ${checkMarks}`
}

export interface MarkedPlace {
  readonly database: string
  /** Role name of the admin. */
  readonly admin: string
}

/** Converts the error of a failed check to UntrustedMarks, with its remedy. Returns other errors unchanged. */
export function orUntrusted(error: unknown, { database, admin }: MarkedPlace): unknown {
  if (!(error instanceof EngineError) || error.sqlState !== untrustedState) return error
  const fault = error.message.slice(error.message.indexOf('schema _konverge'))
  const role = identifier(admin)
  const message =
    `database ${JSON.stringify(database)}: ${fault}. Marks are trusted in plain tables of ${admin} only, so none was read or written. ` +
    `If they are yours, run ALTER SCHEMA _konverge OWNER TO ${role}, and ALTER TABLE … OWNER TO ${role} for its tables. ` +
    'If not, run DROP SCHEMA _konverge CASCADE; every step then counts as not applied'
  const code = 'UntrustedMarks'
  return new EngineError({ code, message, remedy: 'stop', retryAfterMs: 600_000, sqlState: untrustedState })
}
