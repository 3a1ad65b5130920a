// Decides which changes assign a server copy to another Database. The database gets the Database's name and owner, and
// both get ownership markers. The password of the copied server's administrator stops working. Pure.
import { databaseAdmin } from '../../../constructs/index.ts'
import { ownerAttributes } from '../database/logical-database.ts'
import type { Change } from '../engines/change.ts'
import type { ServerQuestion } from '../engines/engine.ts'
import type { ServerObservation } from '../engines/observed-server.ts'
import { BackupError } from './backup-error.ts'
import { notInCopy } from './copy-proof-worker.ts'
import type { PhysicalManifest } from './physical-manifest.ts'
import { type RestoredDatabase, tokenOf } from './restore-order.ts'

export interface Filled {
  readonly requestId: string
  readonly database: RestoredDatabase
  readonly manifest: Pick<PhysicalManifest, 'source'>
  /** SCRAM verifier of the new administrator's password. */
  readonly verifier: string
}

export interface FillingChanges {
  /** Changes on the server, in one transaction. */
  readonly onServer: readonly Change[]
  /** Subsequent changes in the database. */
  readonly inDatabase: readonly Change[]
}

/** Returns the databases and roles to observe first. */
export function fillingQuestion({ database, manifest: { source } }: Filled): ServerQuestion {
  return {
    databases: [...new Set([source.database, database.databaseName])],
    roles: [...new Set([source.owner, database.owner, databaseAdmin])].map((name) => ({ name })),
  }
}

/** Throws SourceIdentityChanged or NameTaken if the copy cannot become the Database's. */
export function fillingChanges(filled: Filled, observed: ServerObservation): FillingChanges {
  const { requestId, database, manifest, verifier } = filled
  const { source } = manifest
  const { databaseName: name, owner } = database
  const found = observed.databases.find((one) => one.name === source.database)
  if (found?.oid !== source.databaseOid || observed.server.systemIdentifier !== source.systemIdentifier) {
    throw notInCopy(source.database)
  }
  const isNamed = source.database === name
  if (!isNamed && observed.databases.some((one) => one.name === name)) throw taken('database', name, source.database)
  const token = tokenOf(database)
  const owning = ownerChanges(filled, observed)
  return {
    onServer: [
      ...(isNamed ? [] : [{ kind: 'renameDatabase', database: source.database, to: name } as const]),
      ...owning.onServer,
      { kind: 'markRole', role: owner, token },
      { kind: 'markDatabase', database: name, token, succession: { request: requestId } },
      { kind: 'alterRole', role: databaseAdmin, attributes: { ...mayLogin, verifier } },
    ],
    inDatabase: owning.inDatabase,
  }
}

const mayLogin = { canLogin: true, connectionLimit: -1, validUntil: null } as const

/** Renames an owner role that konverge made. Another owner may be a person, and loses the database to a new role. */
function ownerChanges(
  { database, manifest: { source } }: Filled,
  { databases, roles }: ServerObservation,
): FillingChanges {
  const { owner: to, databaseName } = database
  const from = databases.find((one) => one.name === source.database)?.owner ?? source.owner
  if (from === to) return { onServer: [], inDatabase: [] }
  if (roles.some(({ name }) => name === to)) throw taken('role', to, source.database)
  const former = roles.find(({ name }) => name === from)
  const isOnlyOwner = from === `${source.database}_owner` && former?.canLogin === false && !former.isSuperuser
  if (isOnlyOwner) return { onServer: [{ kind: 'renameRole', role: from, to }], inDatabase: [] }
  return {
    onServer: [
      { kind: 'createRole', role: to, token: tokenOf(database), attributes: ownerAttributes },
      { kind: 'setDatabaseOwner', database: databaseName, owner: to },
    ],
    // Objects of a superuser may be the server's own.
    inDatabase: former?.isSuperuser === true ? [] : [{ kind: 'reassignOwned', role: from, to }],
  }
}

function taken(what: 'database' | 'role', name: string, saved: string): BackupError {
  const message = `the copy of the server has a ${what} ${name} already, besides the database ${saved} that was saved; give the Database another spec.databaseName`
  return new BackupError({ code: 'NameTaken', message, remedy: 'stop' })
}
