// Runs the verification queries on a restored database, and compares their answers.
import type { DatabaseServer } from '../engines/engine.ts'
import { BackupError } from './backup-error.ts'

export interface ProofQuery {
  readonly sql: string
  readonly expect: string
}

/** `server`: logged in as a role without further privileges. Throws QueryFailed. */
export async function askQueries(
  queries: readonly ProofQuery[],
  database: string,
  server: Pick<DatabaseServer, 'query'>,
): Promise<void> {
  for (const { sql: text, expect } of queries) {
    const [row] = await server.query({ text, database })
    const answer = row === undefined ? undefined : Object.values(row)[0]
    if (answer !== expect) throw otherAnswer(text, expect)
  }
}

/** The message omits the answer, which may be private data (I11). */
function otherAnswer(text: string, expect: string): BackupError {
  const message = `the query ${JSON.stringify(text.slice(0, 200))} did not answer ${JSON.stringify(expect)} after the restore`
  return new BackupError({ code: 'QueryFailed', message, remedy: 'stop' })
}
