// Order of a restore worker. Server, store and credentials are passed separately. Pure data.
import type { Token } from '../../index.ts'
import { type Caller, signed } from '../engines/server-access.ts'
import { type RestoreNames, restoreNames, undoNames } from './restore-names.ts'

export interface RestoreOrder {
  /** Id of the request. A second order with the same id changes nothing. Lower case letters, digits and `_`. */
  readonly requestId: string
  readonly database: RestoredDatabase
  /** Identity of the database to replace; undefined: no database of the name may exist. */
  readonly replaces: DatabaseIdentity | undefined
  readonly source: RestoreSource
}

export interface RestoredDatabase {
  /** Namespace of the Database. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Name on the server. */
  readonly databaseName: string
  readonly owner: string
}

export interface DatabaseIdentity {
  readonly systemIdentifier: string
  readonly databaseOid: number
}

export type RestoreSource =
  /** A backup in a folder of the store; its manifest is all that the restore needs. */
  | {
      readonly kind: 'backup'
      readonly folder: string
      /** Same limit as in the backup. */
      readonly hashUpToBytes: number
      /** Verification queries that run in the copy before the swap. */
      readonly queries: readonly { readonly sql: string; readonly expect: string }[]
      /** Number of parallel jobs of pg_restore, as in the verification. */
      readonly jobs?: number
    }
  /** The database that an earlier request replaced, while it is kept. */
  | { readonly kind: 'former'; readonly replacedBy: string }

export function namesOf({ requestId, database, source }: RestoreOrder): RestoreNames {
  const { databaseName } = database
  return source.kind === 'backup'
    ? restoreNames(databaseName, requestId)
    : undoNames(databaseName, requestId, source.replacedBy)
}

export function callerOf({ namespace, name }: RestoredDatabase): Caller {
  return { kind: 'Database', namespace, name }
}

/** Ownership marker on everything that a restore creates. */
export function tokenOf(database: RestoredDatabase): Token {
  return signed({ uid: database.uid, generation: 1 }, callerOf(database))
}
