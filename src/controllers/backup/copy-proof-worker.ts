// Verifies that all data in a server copy can be read. It reads every row of every database by statements that call no
// code of other authors. Then it runs the verification queries on the backed-up database, as its owner.
import type { DatabaseContents } from '../engines/database-contents.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import type { LogicalEngine } from '../engines/logical-engine.ts'
import type { Caller, ServerAccess } from '../engines/server-access.ts'
import { BackupError } from './backup-error.ts'
import { askQueries, type ProofQuery } from './query-runner.ts'

export interface CopyProof {
  /** Access to the copy as its superuser. */
  readonly access: ServerAccess
  readonly caller: Caller
  /** Current name of the backed-up database. */
  readonly database: string
  readonly owner: string
  readonly identity: { readonly systemIdentifier: string; readonly databaseOid: number }
  readonly queries: readonly ProofQuery[]
  readonly hashUpToBytes: number
  readonly signal: AbortSignal
}

/**
 * Returns the contents of that database. If there are queries, its owner may log in afterwards.
 * Throws SourceIdentityChanged, QueryFailed and errors of the server.
 */
export async function proveCopy(
  { access, caller, database, owner, identity, queries, hashUpToBytes, signal }: CopyProof,
  { engine, logical }: { readonly engine: DatabaseEngine; readonly logical: LogicalEngine },
): Promise<DatabaseContents> {
  const admin = engine.server(access, { caller, signal })
  const names = await admin.query({ text: databaseNames, isLook: true })
  let contents: DatabaseContents | undefined
  for (const { name } of names) {
    const frozen = await logical.freeze({ access, database: String(name), caller, signal })
    try {
      const found = await frozen.contents({ hashUpToBytes })
      if (name !== database) continue
      contents = found
      const isSame = frozen.source.systemIdentifier === identity.systemIdentifier
      if (!isSame || frozen.source.databaseOid !== identity.databaseOid) throw notInCopy(database)
    } finally {
      await frozen.release()
    }
  }
  if (contents === undefined) throw notInCopy(database)
  if (queries.length > 0) {
    // Queries may call any code of the owner, so they run as the owner.
    await admin.change([{ kind: 'alterRole', role: owner, attributes: mayBeAsked }])
    await askQueries(queries, database, engine.server({ ...access, username: owner }, { caller, signal }))
  }
  return contents
}

// The limit is -2 if DROP DATABASE was interrupted, or still ran when the copy ended. Such a database accepts no
// connection and has no readable data.
const databaseNames = `SELECT datname AS name FROM pg_catalog.pg_database
  WHERE datallowconn AND NOT datistemplate AND datconnlimit <> -2`
const mayBeAsked = { canLogin: true, connectionLimit: -1, validUntil: null, isSuperuser: false } as const

export function notInCopy(database: string): BackupError {
  const message = `the database ${JSON.stringify(database)} that was saved is not in the copy of its server`
  return new BackupError({ code: 'SourceIdentityChanged', message, remedy: 'stop' })
}
