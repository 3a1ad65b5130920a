// Runs ANALYZE on tables that were just filled, each in its own transaction. Without it, the server would plan the
// first queries for empty tables.
import type { ExternalTools } from '../../../../index.ts'
import type { LogicalCall } from '../../logical-engine.ts'
import { asEngineError, endsSession } from '../failure.ts'
import { applicationName } from '../postgres-driver.ts'
import { SessionClient } from '../session-client.ts'
import { sql } from '../sql-text.ts'

/** Limit for all tables, which are one statement. */
const statementMs = 12 * 3_600_000

/**
 * Autovacuum may be active in a restored table and gives way only after `deadlock_timeout`. Some settings do not exist
 * on every server version.
 */
const unlimited = sql`SELECT pg_catalog.set_config(s.name, '0', false) FROM pg_catalog.pg_settings s
  WHERE s.name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout')`

export async function analyze(call: LogicalCall, clock: ExternalTools['clock']): Promise<void> {
  const { access, database, caller, signal } = call
  try {
    const session = await SessionClient.open(
      { access, database, applicationName: applicationName(caller), clock },
      signal,
    )
    try {
      const limit = { signal, limitMs: statementMs }
      await session.query(unlimited, [], limit)
      await session.query('ANALYZE', [], limit).catch((error: unknown) => {
        // Expressions of extended statistics may fail, as they did in the source. All other restored objects work.
        if (signal.aborted || endsSession(error)) throw error
      })
    } finally {
      await session.close()
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const attempt = `analyze database ${JSON.stringify(database)} on ${access.host}:${access.port}`
    throw asEngineError(error, { attempt, admin: access.username })
  }
}
