// What has to be changed in a copy of a server before it is another Database's? Its database gets the name and the owner that the Database
// has, both say whose they are, and nobody comes in by the password that the copied server's administrator had. Pure.
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
  /** Of the new administrator's password. */
  readonly verifier: string
}

export interface FillingChanges {
  /** In one transaction, on the server. */
  readonly onServer: readonly Change[]
  /** Then, in the database. */
  readonly inDatabase: readonly Change[]
}

/** What has to be looked at first. */
export function fillingQuestion({ database, manifest: { source } }: Filled): ServerQuestion {
  return {
    databases: [...new Set([source.database, database.databaseName])],
    roles: [...new Set([source.owner, database.owner, databaseAdmin])].map((name) => ({ name })),
  }
}

/** Throws SourceIdentityChanged or NameTaken for a copy that cannot be made the Database's. */
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

/** A role that we made as an owner gets the new name; of another one, who may be a person, the database is taken over. */
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
    // What a superuser owns may be the server's own.
    inDatabase: former?.isSuperuser === true ? [] : [{ kind: 'reassignOwned', role: from, to }],
  }
}

function taken(what: 'database' | 'role', name: string, saved: string): BackupError {
  const message = `the copy of the server has a ${what} ${name} already, besides the database ${saved} that was saved; give the Database another spec.databaseName`
  return new BackupError({ code: 'NameTaken', message, remedy: 'stop' })
}
