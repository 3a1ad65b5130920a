// Reads a migration's markers over the operator's own sessions, while a worker may write them. Invariant: the read is
// in the transaction that has verified the tables (marker-schema.ts).
import type { DatabaseServer } from '../../engine.ts'
import { EngineError } from '../../engine-error.ts'
import type { RecordedStep } from '../../recorded-step.ts'
import { literal, type Sql, sql } from '../sql-text.ts'
import { followedIn } from './follow-plan.ts'
import { markIn } from './mark-statements.ts'
import { orUntrusted, trustMarks } from './marker-schema.ts'

interface MarkQuestion {
  readonly database: string
  /** As `namespace/name`. */
  readonly migration: string
  /** Role of the session of `server`. */
  readonly admin: string
}

/** Returns the recorded steps. Empty if no migration has run yet. Rejects with an EngineError. */
export async function loadMarks(server: DatabaseServer, ask: MarkQuestion): Promise<readonly RecordedStep[]> {
  const { database, migration, admin } = ask
  try {
    const rows = await server.query({ text: recordOf(migration), database, isLook: true })
    return rows.map((row) => {
      const text = (column: string) => textOrUndefined(row[column])
      const rows = text('rowsCopied')
      return {
        ...markIn(Object.fromEntries(Object.keys(row).map((column) => [column, text(column) ?? null]))),
        startedAt: text('startedAt'),
        finishedAt: text('finishedAt'),
        rowsCopied: rows === undefined ? undefined : Number(rows),
        hasWatermark: text('hasWatermark') === 'true',
        followed: followedIn(text('leftovers')),
      }
    })
  } catch (error) {
    const isThere = !(error instanceof EngineError && ['42P01', '3F000'].includes(error.sqlState ?? ''))
    if (isThere) throw orUntrusted(error, { database, admin })
    return []
  }
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Sent as one message, which is one transaction. */
function recordOf(migration: string): Sql {
  return sql`${trustMarks('read')}; ${readRecord}
   WHERE mark.migration = ${literal(migration)}
   ORDER BY mark.ordinal`
}

const readRecord = sql`
  SELECT mark.name, mark.ordinal, mark.state, mark.checksum, mark.plan, mark.attempts, mark.token,
         mark.superseded_by AS "supersededBy", mark.sql_state AS "sqlState", mark.message, mark.leftovers,
         pg_catalog.to_char(mark.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "startedAt",
         pg_catalog.to_char(mark.finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "finishedAt",
         (SELECT pg_catalog.sum(progress.rows_copied) FROM _konverge.copy_progress AS progress
           WHERE progress.migration = mark.migration AND progress.step = mark.name
             AND progress.checksum = mark.checksum) AS "rowsCopied",
         (SELECT pg_catalog.bool_or(progress.watermark IS NOT NULL)::text FROM _konverge.copy_progress AS progress
           WHERE progress.migration = mark.migration AND progress.step = mark.name
             AND progress.checksum = mark.checksum) AS "hasWatermark"
    FROM _konverge.migration_steps AS mark`
