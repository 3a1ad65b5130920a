// How does a server learn what is in tables that were filled just now? By ANALYZE, each table in a transaction of its own. Nobody else would
// ask for it before their first queries come, which would be planned for tables that are empty.
import type { ExternalTools } from '../../../../index.ts'
import type { LogicalCall } from '../../logical-engine.ts'
import { asEngineError } from '../failure.ts'
import { applicationName } from '../postgres-driver.ts'
import { SessionClient } from '../session-client.ts'

/** All tables, by one statement. */
const statementMs = 12 * 3_600_000

export async function analyze(call: LogicalCall, clock: ExternalTools['clock']): Promise<void> {
  const { access, database, caller, signal } = call
  try {
    const session = await SessionClient.open(
      { access, database, applicationName: applicationName(caller), clock },
      signal,
    )
    try {
      const limit = { signal, limitMs: statementMs }
      await session.query('SET statement_timeout TO 0', [], limit)
      await session.query('ANALYZE', [], limit)
    } finally {
      await session.close()
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const attempt = `analyze database ${JSON.stringify(database)} on ${access.host}:${access.port}`
    throw asEngineError(error, { attempt, admin: access.username })
  }
}
