// SQL that creates a slot whose first change follows a snapshot directly. The slot is created while clients write,
// which may take as long as transactions in progress. Only the snapshot blocks writers, in one message, so that a dead
// sender blocks them no longer. Pure.
import type { TableName } from '../../replication.ts'
import { commaList, integer, qualified, type Sql, sql } from '../sql-text.ts'

/**
 * Maximum time that one attempt blocks writers: less than deadlock_timeout (1 s), so that no writer becomes a deadlock
 * victim.
 */
export const quietMs = 500

/** Maximum duration of a transaction that was in progress when the slot was requested. */
export const slotWaitMs = 10 * 60_000

/**
 * The session waits for transactions without a lock limit, detects a lost client, and flushes each commit to the local
 * disk.
 */
export const slotSettings: Sql = sql`SET statement_timeout TO ${integer(slotWaitMs)}; SET lock_timeout TO 0;
  SET client_connection_check_interval TO '5s'; SET synchronous_commit TO local`

/** $1: a temporary slot. This worker has replaced its holder. */
export const endHolder = `SELECT pg_catalog.pg_terminate_backend(s.active_pid, 5000)
  FROM pg_catalog.pg_replication_slots s WHERE s.slot_name = $1 AND s.temporary AND s.active_pid IS NOT NULL`

/** $1: a slot. */
export const dropSlot = `SELECT pg_catalog.pg_drop_replication_slot(s.slot_name)
  FROM pg_catalog.pg_replication_slots s WHERE s.slot_name = $1 AND s.database = pg_catalog.current_database()`

/** $1: a slot; $2: its start. Unlike `dropSlot`, keeps another slot of that name. */
export const dropSlotAt = `${dropSlot} AND s.confirmed_flush_lsn IS NOT DISTINCT FROM $2::pg_catalog.pg_lsn`

/** $1: a slot that ends with its session. */
export const makeTemporarySlot = `SELECT FROM pg_catalog.pg_create_logical_replication_slot($1, 'pgoutput', true)`

/** Autovacuum gives way to a session that has waited this long. Only superusers may set it. */
export const vacuumGivesWay = `SELECT pg_catalog.set_config('deadlock_timeout', '200ms', false)
  FROM pg_catalog.pg_roles r WHERE r.rolname = current_user AND r.rolsuper`

/**
 * Begins a transaction with a snapshot without concurrent writers on the tables, and returns its log position. The
 * rollback to the savepoint releases the locks; the snapshot stays.
 */
export function quietMoment(tables: readonly TableName[]): Sql {
  const list = commaList(tables.map(({ schema, name }) => sql`ONLY ${qualified(schema, name)}`))
  const lock = tables.length === 0 ? sql`` : sql`LOCK TABLE ${list} IN SHARE MODE;`
  return sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SAVEPOINT quiet;
  SET LOCAL lock_timeout TO ${integer(quietMs)}; SET LOCAL statement_timeout TO ${integer(quietMs)}; ${lock}
  SELECT pg_catalog.pg_current_wal_insert_lsn()::text AS position; ROLLBACK TO SAVEPOINT quiet; RELEASE SAVEPOINT quiet`
}

/** Exports the snapshot to other sessions, until this transaction ends. */
export const exportSnapshot = 'SELECT pg_catalog.pg_export_snapshot() AS snapshot'

/** A commit, which flushes everything before it to disk. $1: prefix of the message. */
export const flush = `SELECT pg_catalog.pg_logical_emit_message(true, $1, '')`

/** $1: a slot; $2: changes before this position are not sent. */
export const advanceSlot = `SELECT a.end_lsn::text AS position
  FROM pg_catalog.pg_replication_slot_advance($1::name, $2::pg_catalog.pg_lsn) a`

/**
 * $1: the temporary slot; $2: the permanent one. Copying a slot is durable immediately, advancing one is not. No row:
 * the publication no longer exists, so the replication was removed.
 */
export const keepSlot = `SELECT (pg_catalog.pg_copy_logical_replication_slot($1::name, $2::name, false)).slot_name
  FROM pg_catalog.pg_publication p WHERE p.pubname = $2::name`
