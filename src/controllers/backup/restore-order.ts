// What is to be restored, and where to? All that a worker is told; which server, store and credentials come to it apart. Pure data.
import type { Token } from '../../index.ts'
import { type Caller, signed } from '../engines/server-access.ts'
import { type RestoreNames, restoreNames, undoNames } from './restore-names.ts'

export interface RestoreOrder {
  /** Whoever asks again under the same id asks for nothing more. Lower case letters, digits and `_`. */
  readonly requestId: string
  readonly database: RestoredDatabase
  /** The database that was there when it was asked for, and no other, is replaced; undefined: there has to be none. */
  readonly replaces: DatabaseIdentity | undefined
  readonly source: RestoreSource
}

export interface RestoredDatabase {
  /** Of the Database. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** On the server. */
  readonly databaseName: string
  readonly owner: string
}

export interface DatabaseIdentity {
  readonly systemIdentifier: string
  readonly databaseOid: number
}

export type RestoreSource =
  /** A folder of the store with a manifest in it: all that is needed of a backup. */
  | {
      readonly kind: 'backup'
      readonly folder: string
      /** As when it was made. */
      readonly hashUpToBytes: number
      /** Asked of what was restored, before anybody sees it. */
      readonly queries: readonly { readonly sql: string; readonly expect: string }[]
      /** How many parts are restored at once, as when it was proven. */
      readonly jobs?: number
    }
  /** The database that an earlier request has replaced, as long as it is kept. */
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

/** Everything that a restore makes bears the mark of the Database. */
export function tokenOf(database: RestoredDatabase): Token {
  return signed({ uid: database.uid, generation: 1 }, callerOf(database))
}
