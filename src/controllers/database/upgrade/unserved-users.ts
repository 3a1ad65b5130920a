// Users of a database without rights in a restored database. During a move users are not reconciled, so they would stay
// without rights. Pure.
import type { DatabaseUserSpec, DatabaseUserStatus } from '../../../../imports/wire/database-user.ts'
import { findCondition, isBeingDeleted, type Key, keyFor, type LiveObject } from '../../../index.ts'
import { databaseNameOf } from '../logical-database.ts'
import type { DatabaseObject } from '../server-connection.ts'

/** Returns e.g. `web`, or `crm/web` for another namespace. */
export function unservedUsers(database: DatabaseObject, users: readonly LiveObject[]): readonly string[] {
  const { namespace, name } = database.metadata
  const key = keyFor(namespace, name)
  return users
    .filter((user) => databasesOf(user).includes(key) && isUnserved(user, database))
    .map(({ metadata }) =>
      metadata.namespace === namespace ? metadata.name : `${metadata.namespace}/${metadata.name}`,
    )
    .toSorted()
}

/** Ignores users that are being deleted, suspended or stalled. */
function isUnserved(user: LiveObject, database: DatabaseObject): boolean {
  const { grantedIn = [], conditions } = (user.status ?? {}) as DatabaseUserStatus // A DatabaseUser.
  if (isBeingDeleted(user) || findCondition(conditions, 'Stalled')?.status === 'True') return false
  if ((user as LiveObject<DatabaseUserSpec>).spec?.suspend === true) return false // A DatabaseUser.
  const known = grantedIn.find((one) => one.database === databaseNameOf(database))
  return known !== undefined && known.databaseOID !== database.status?.identity?.databaseOID
}

/** Returns the Databases that a DatabaseUser names. */
export function databasesOf({ metadata, spec }: LiveObject): readonly Key[] {
  // Sound: the CRD requires the spec.
  const { databases } = spec as DatabaseUserSpec
  return databases.map(({ namespace, name }) => keyFor(namespace ?? metadata.namespace, name))
}
