// How far is a migration, as its database knows? Read with the operator's own sessions, in one statement and without a lock, while a
// worker may be at it.
import type { DatabaseServer } from '../../engine.ts'
import { EngineError } from '../../engine-error.ts'
import type { RecordedStep } from '../../recorded-step.ts'
import { followedIn } from './follow-plan.ts'
import { markIn } from './mark-statements.ts'

interface MarkQuestion {
  readonly database: string
  /** `namespace/name` */
  readonly migration: string
}

/** None where no migration has run yet. Rejects with an EngineError. */
export async function loadMarks(server: DatabaseServer, ask: MarkQuestion): Promise<readonly RecordedStep[]> {
  const { database, migration } = ask
  try {
    const rows = await server.query({ text: readRecord, values: [migration], database, isLook: true })
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
    if (isThere) throw error
    return []
  }
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

const readRecord = `
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
    FROM _konverge.migration_steps AS mark
   WHERE mark.migration = $1
   ORDER BY mark.ordinal`
