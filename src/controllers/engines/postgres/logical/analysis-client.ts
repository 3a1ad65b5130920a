// How does a server learn what is in tables that were filled just now? By ANALYZE, each table in a transaction of its own. Nobody else would
// ask for it before their first queries come, which would be planned for tables that are empty.
import type { ExternalTools } from '../../../../index.ts'
import type { LogicalCall } from '../../logical-engine.ts'
import { asEngineError, endsSession } from '../failure.ts'
import { applicationName } from '../postgres-driver.ts'
import { SessionClient } from '../session-client.ts'
import { sql } from '../sql-text.ts'

/** All tables, by one statement. */
const statementMs = 12 * 3_600_000

/** Autovacuum, which may be at work in what was restored, gives way only after `deadlock_timeout`. Some settings are not there on every server. */
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
        // What people compute for their statistics may fail, and did so where it was saved: all else that is restored works.
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
