// Which SQL makes a slot whose first change comes right behind a snapshot? The slot is made while everybody writes, which may take as long
// as the transactions that are under way; only the snapshot is taken while nobody does, in one message, so that whoever sends it keeps
// nobody waiting when he dies over it. Pure.
import type { TableName } from '../../replication.ts'
import { commaList, integer, qualified, type Sql, sql } from '../sql-text.ts'

/** So long may writers be kept waiting by one try: less than the second after which a server looks for deadlocks, whose victim one of them could be. */
export const quietMs = 500

/** As long as a transaction may last that was under way when the slot was asked for. */
export const slotWaitMs = 10 * 60_000

/** Its session waits for transactions, for nobody who is gone, and tells no commit before it is on the disk. */
export const slotSettings: Sql = sql`SET statement_timeout TO ${integer(slotWaitMs)}; SET lock_timeout TO 0;
  SET client_connection_check_interval TO '5s'; SET synchronous_commit TO local`

/** $1: a temporary slot. Whoever had it has been followed by us. */
export const endHolder = `SELECT pg_catalog.pg_terminate_backend(s.active_pid, 5000)
  FROM pg_catalog.pg_replication_slots s WHERE s.slot_name = $1 AND s.temporary AND s.active_pid IS NOT NULL`

/** $1: a slot. */
export const dropSlot = `SELECT pg_catalog.pg_drop_replication_slot(s.slot_name)
  FROM pg_catalog.pg_replication_slots s WHERE s.slot_name = $1 AND s.database = pg_catalog.current_database()`

/** $1: a slot; $2: where it begins. Unlike the one above it is no other one of that name. */
export const dropSlotAt = `${dropSlot} AND s.confirmed_flush_lsn IS NOT DISTINCT FROM $2::pg_catalog.pg_lsn`

/** $1: a slot that goes with its session. */
export const makeTemporarySlot = `SELECT FROM pg_catalog.pg_create_logical_replication_slot($1, 'pgoutput', true)`

/** A vacuum that runs by itself gives way to whoever has waited for this long; only superusers may say so. */
export const vacuumGivesWay = `SELECT pg_catalog.set_config('deadlock_timeout', '200ms', false)
  FROM pg_catalog.pg_roles r WHERE r.rolname = current_user AND r.rolsuper`

/**
 * Begins a transaction whose snapshot is of a moment in which nobody wrote to the tables, and answers with the place in the log of that
 * moment. The locks go with the savepoint, the snapshot stays.
 */
export function quietMoment(tables: readonly TableName[]): Sql {
  const list = commaList(tables.map(({ schema, name }) => sql`ONLY ${qualified(schema, name)}`))
  const lock = tables.length === 0 ? sql`` : sql`LOCK TABLE ${list} IN SHARE MODE;`
  return sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SAVEPOINT quiet;
  SET LOCAL lock_timeout TO ${integer(quietMs)}; SET LOCAL statement_timeout TO ${integer(quietMs)}; ${lock}
  SELECT pg_catalog.pg_current_wal_insert_lsn()::text AS position; ROLLBACK TO SAVEPOINT quiet; RELEASE SAVEPOINT quiet`
}

/** For other sessions, as long as this transaction lasts. */
export const exportSnapshot = 'SELECT pg_catalog.pg_export_snapshot() AS snapshot'

/** A commit, so that everything before it is on the disk. $1: whose. */
export const flush = `SELECT pg_catalog.pg_logical_emit_message(true, $1, '')`

/** $1: a slot; $2: what comes before it is not sent. */
export const advanceSlot = `SELECT a.end_lsn::text AS position
  FROM pg_catalog.pg_replication_slot_advance($1::name, $2::pg_catalog.pg_lsn) a`

/**
 * $1: the temporary slot; $2: ours, which lasts. To advance a slot is remembered on the disk at some time, to copy one at once. No row: the
 * publication is gone, and with it whoever wanted the slot.
 */
export const keepSlot = `SELECT (pg_catalog.pg_copy_logical_replication_slot($1::name, $2::name, false)).slot_name
  FROM pg_catalog.pg_publication p WHERE p.pubname = $2::name`
