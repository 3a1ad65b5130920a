// Where do marks live? In the schema `_konverge` of the database that is migrated, which belongs to who migrates and is nobody else's to
// look into. Made once.
import { type Sql, sql } from '../sql-text.ts'

/** What is there: whose, and whether all of it. One row. */
export const lookAtSchema = sql`
  SELECT n.nspname AS schema, pg_catalog.pg_get_userbyid(n.nspowner) AS owner,
         coalesce(pg_catalog.pg_has_role(n.nspowner, 'USAGE'), true)
           AND coalesce((SELECT bool_and(pg_catalog.pg_has_role(c.relowner, 'USAGE') AND c.relkind IN ('r', 'i', 't'))
                           FROM pg_catalog.pg_class AS c WHERE c.relnamespace = n.oid), true) AS "isOurs",
         (SELECT count(*) = 3 FROM pg_catalog.pg_class AS c
           WHERE c.relnamespace = n.oid AND c.relkind = 'r'
             AND c.relname IN ('migration_steps', 'migration_lease', 'copy_progress')) AS "isWhole"
    FROM (VALUES ('_konverge'::pg_catalog.name)) AS wanted (name)
    LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = wanted.name`

/** Two that make it at once would each find the other's half. */
export const makeSchema: readonly Sql[] = [
  sql`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`,
  sql`SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('konverge/schema', 0))`,
  sql`CREATE SCHEMA IF NOT EXISTS _konverge; REVOKE ALL ON SCHEMA _konverge FROM PUBLIC`,
  sql`CREATE TABLE IF NOT EXISTS _konverge.migration_steps (
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
        PRIMARY KEY (migration, name))`,
  sql`CREATE TABLE IF NOT EXISTS _konverge.migration_lease (
        name text PRIMARY KEY,
        epoch bigint NOT NULL,
        holder text NOT NULL,
        taken_at timestamptz NOT NULL)`,
  sql`CREATE TABLE IF NOT EXISTS _konverge.copy_progress (
        migration text NOT NULL,
        step text NOT NULL,
        checksum text NOT NULL,
        table_name text NOT NULL,
        watermark text,
        rows_copied bigint NOT NULL,
        is_done boolean NOT NULL,
        PRIMARY KEY (migration, step, checksum, table_name))`,
  sql`COMMIT`,
]
