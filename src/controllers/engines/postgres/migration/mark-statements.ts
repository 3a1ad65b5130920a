// SQL that reads and writes applied markers, the lease and the progress of copies. Invariant: all names are qualified,
// and values are parameters.
import { EngineError } from '../../engine-error.ts'
import type { MarkState, StepAttempt, StepFailure, StepMark } from '../../migration-target.ts'
import type { QueryAnswer } from '../session-client.ts'

export interface Statement {
  readonly text: string
  readonly values: readonly (string | number | boolean | null)[]
}

/** `isTaken` is `t` if the lock was free. `server` identifies the server, whatever its address. */
export function takeLock(lock: string): Statement {
  const text = `SELECT (SELECT c.system_identifier FROM pg_catalog.pg_control_system() AS c) AS server,
                       pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended($1, 0)) AS "isTaken"`
  return { text, values: [`konverge/migration/${lock}`] }
}

export function lockHolder(lock: string): Statement {
  return { text: 'SELECT holder FROM _konverge.migration_lease WHERE name = $1', values: [lock] }
}

/** From now on, a worker with an older epoch cannot commit. */
export function nextEpoch(lock: string, holder: string): Statement {
  const text = `INSERT INTO _konverge.migration_lease AS lease (name, epoch, holder, taken_at)
                VALUES ($1, 1, $2, pg_catalog.now())
                ON CONFLICT (name) DO UPDATE SET epoch = lease.epoch + 1, holder = EXCLUDED.holder, taken_at = EXCLUDED.taken_at
                RETURNING epoch`
  return { text, values: [lock, holder] }
}

/** No row: another worker has taken over. Locks the row, and with it the next epoch, until the transaction ends. */
export function fence(lock: string, epoch: string): Statement {
  const text = `SELECT pg_catalog.pg_current_xact_id()::text AS transaction
                  FROM _konverge.migration_lease WHERE name = $1 AND epoch = $2::bigint FOR UPDATE`
  return { text, values: [lock, epoch] }
}

export function readMarks(migration: string): Statement {
  const text = `SELECT name, ordinal, state, checksum, plan, attempts, token, superseded_by AS "supersededBy",
                       sql_state AS "sqlState", message
                  FROM _konverge.migration_steps WHERE migration = $1 ORDER BY ordinal`
  return { text, values: [migration] }
}

export function marksIn({ rows }: QueryAnswer): readonly StepMark[] {
  return rows.map(markIn)
}

export function markIn(row: QueryAnswer['rows'][number]): StepMark {
  return {
    name: row['name'] ?? '',
    ordinal: Number(row['ordinal']),
    state: stateOf(row['state']),
    checksum: row['checksum'] ?? '',
    plan: row['plan'] ?? '',
    attempts: Number(row['attempts']),
    token: row['token'] ?? '',
    supersededBy: row['supersededBy'] ?? undefined,
    failure: row['message'] == null ? undefined : { sqlState: row['sqlState'] ?? undefined, message: row['message'] },
  }
}

const states: readonly MarkState[] = ['Running', 'Applied', 'Adopted', 'Undone', 'Failed', 'UndoFailed']

function stateOf(text: string | null | undefined): MarkState {
  const state = states.find((candidate) => candidate === text)
  if (state !== undefined) return state
  const message = `a mark of a step is in the unknown state ${JSON.stringify(text)}`
  throw new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}

export interface MarkOptions {
  readonly migration: string
  readonly epoch: string
}

/** No row: the step is already applied, and the caller did not know it. */
export function writeIntent(
  attempt: StepAttempt,
  leftovers: string | null,
  { migration, epoch }: MarkOptions,
): Statement {
  const { step, ordinal, checksum, plan, token, attempt: attempts } = attempt
  const text = `INSERT INTO _konverge.migration_steps AS mark
                  (migration, name, ordinal, state, checksum, plan, attempts, token, leftovers, epoch, started_at)
                VALUES ($1, $2, $3, 'Running', $4, $5, $6, $7, $8, $9, pg_catalog.now())
                ON CONFLICT (migration, name) DO UPDATE
                  SET ordinal = EXCLUDED.ordinal, state = EXCLUDED.state, checksum = EXCLUDED.checksum, plan = EXCLUDED.plan,
                      attempts = EXCLUDED.attempts, token = EXCLUDED.token, leftovers = EXCLUDED.leftovers,
                      epoch = EXCLUDED.epoch, started_at = EXCLUDED.started_at, finished_at = NULL,
                      superseded_by = NULL, sql_state = NULL, message = NULL
                WHERE mark.state NOT IN ('Applied', 'Adopted')
            RETURNING name`
  return { text, values: [migration, step.name, ordinal, checksum, plan, attempts, token, leftovers, epoch] }
}

/** Returns the transaction's id. No row: the step was not running. */
export function writeDone(name: string, state: 'Applied' | 'Adopted', { migration, epoch }: MarkOptions): Statement {
  const text = `UPDATE _konverge.migration_steps
                   SET state = $3, epoch = $4, finished_at = pg_catalog.now(), leftovers = NULL
                 WHERE migration = $1 AND name = $2 AND state = 'Running'
             RETURNING pg_catalog.pg_current_xact_id()::text AS transaction`
  return { text, values: [migration, name, state, epoch] }
}

export function writeSuperseded(names: readonly string[], by: string, migration: string): Statement {
  const text = `UPDATE _konverge.migration_steps SET superseded_by = $3
                 WHERE migration = $1 AND name IN (SELECT pg_catalog.json_array_elements_text($2::json))`
  return { text, values: [migration, JSON.stringify(names), by] }
}

/** Steps that the undone step had superseded are valid again. */
export function writeUndone(name: string, { migration, epoch }: MarkOptions): Statement {
  const text = `UPDATE _konverge.migration_steps
                   SET state = CASE name WHEN $2 THEN 'Undone' ELSE state END,
                       superseded_by = CASE name WHEN $2 THEN superseded_by END,
                       finished_at = CASE name WHEN $2 THEN pg_catalog.now() ELSE finished_at END, epoch = $3
                 WHERE migration = $1 AND (name = $2 OR superseded_by = $2)
             RETURNING pg_catalog.pg_current_xact_id()::text AS transaction`
  return { text, values: [migration, name, epoch] }
}

/**
 * Keeps the marker of a step that another worker has completed meanwhile. Keeps the checksum too: an attempt may fail
 * before its intent, because of leftovers of an earlier text. That earlier text is the one that may have taken effect.
 */
export function writeFailure(
  { step, plan, token }: StepAttempt,
  { sqlState, message }: StepFailure,
  { migration, epoch }: MarkOptions,
): Statement {
  const text = `UPDATE _konverge.migration_steps
                   SET state = 'Failed', plan = $3, token = $4, sql_state = $5, message = $6, epoch = $7, finished_at = pg_catalog.now()
                 WHERE migration = $1 AND name = $2 AND state IN ('Running', 'Failed')`
  return { text, values: [migration, step.name, plan, token, sqlState ?? null, message, epoch] }
}

export interface UndoFailureOptions extends MarkOptions {
  readonly token: string
}

export function writeUndoFailure(
  name: string,
  { sqlState, message }: StepFailure,
  { migration, epoch, token }: UndoFailureOptions,
): Statement {
  const text = `UPDATE _konverge.migration_steps
                   SET state = 'UndoFailed', token = $3, sql_state = $4, message = $5, epoch = $6, finished_at = pg_catalog.now()
                 WHERE migration = $1 AND name = $2`
  return { text, values: [migration, name, token, sqlState ?? null, message, epoch] }
}

export function readLeftovers(name: string, migration: string): Statement {
  const text = `SELECT leftovers FROM _konverge.migration_steps WHERE migration = $1 AND name = $2 AND leftovers IS NOT NULL`
  return { text, values: [migration, name] }
}

export function readAllLeftovers(migration: string): Statement {
  const text = `SELECT name, checksum, leftovers FROM _konverge.migration_steps
                 WHERE migration = $1 AND leftovers IS NOT NULL ORDER BY name`
  return { text, values: [migration] }
}

export function forgetLeftovers(name: string, migration: string): Statement {
  const text = `UPDATE _konverge.migration_steps SET leftovers = NULL WHERE migration = $1 AND name = $2`
  return { text, values: [migration, name] }
}

/** Resets the number of attempts: an interrupted step that makes progress may continue. */
export function forgetInterruptions(step: string, migration: string): Statement {
  const text = `UPDATE _konverge.migration_steps SET attempts = 1
                 WHERE migration = $1 AND name = $2 AND state = 'Running' AND attempts > 1`
  return { text, values: [migration, step] }
}

export function forgetProgress(step: string, keptChecksum: string | null, migration: string): Statement {
  const text = `DELETE FROM _konverge.copy_progress WHERE migration = $1 AND step = $2 AND checksum IS DISTINCT FROM $3`
  return { text, values: [migration, step, keptChecksum] }
}
