// Can all that is in a copy of a server be read? Every row of every database, by statements that call nothing that others have written; then
// questions are asked of the database that was saved, as its owner.
import type { DatabaseContents } from '../engines/database-contents.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import type { LogicalEngine } from '../engines/logical-engine.ts'
import type { Caller, ServerAccess } from '../engines/server-access.ts'
import { BackupError } from './backup-error.ts'
import { askQueries, type ProofQuery } from './query-runner.ts'

export interface CopyProof {
  /** The copy, as its superuser. */
  readonly access: ServerAccess
  readonly caller: Caller
  /** That was saved, as it is called here. */
  readonly database: string
  readonly owner: string
  readonly identity: { readonly systemIdentifier: string; readonly databaseOid: number }
  readonly queries: readonly ProofQuery[]
  readonly hashUpToBytes: number
  readonly signal: AbortSignal
}

/** Of that database. Its owner may log in afterwards, where there were questions. Throws SourceIdentityChanged, QueryFailed, and what a server says. */
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
    // What is asked may call whatever the owner has written, and is asked as him.
    await admin.change([{ kind: 'alterRole', role: owner, attributes: mayBeAsked }])
    await askQueries(queries, database, engine.server({ ...access, username: owner }, { caller, signal }))
  }
  return contents
}

// Where DROP DATABASE was cut off, or went on as the copy ended, the limit is -2: nobody gets in, and there is nothing to be read.
const databaseNames = `SELECT datname AS name FROM pg_catalog.pg_database
  WHERE datallowconn AND NOT datistemplate AND datconnlimit <> -2`
const mayBeAsked = { canLogin: true, connectionLimit: -1, validUntil: null, isSuperuser: false } as const

export function notInCopy(database: string): BackupError {
  const message = `the database ${JSON.stringify(database)} that was saved is not in the copy of its server`
  return new BackupError({ code: 'SourceIdentityChanged', message, remedy: 'stop' })
}
