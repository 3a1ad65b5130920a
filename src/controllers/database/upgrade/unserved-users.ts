// Who of the users of a database is still without rights in what a restore has put in its place? While it moves users are left as they are, so
// that they would stay without for as long. Pure.
import type { DatabaseUserSpec, DatabaseUserStatus } from '../../../../imports/wire/database-user.ts'
import { findCondition, isBeingDeleted, type Key, keyFor, type LiveObject } from '../../../index.ts'
import { databaseNameOf } from '../logical-database.ts'
import type { DatabaseObject } from '../server-connection.ts'

/** `web`, or `crm/web` of another namespace. */
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

/** Nobody waits for one who goes, or whom somebody has to put right first. */
function isUnserved(user: LiveObject, database: DatabaseObject): boolean {
  const { grantedIn = [], conditions } = (user.status ?? {}) as DatabaseUserStatus // Of its kind.
  if (isBeingDeleted(user) || findCondition(conditions, 'Stalled')?.status === 'True') return false
  if ((user as LiveObject<DatabaseUserSpec>).spec?.suspend === true) return false // Of its kind.
  const known = grantedIn.find((one) => one.database === databaseNameOf(database))
  return known !== undefined && known.databaseOID !== database.status?.identity?.databaseOID
}

/** The Databases that a DatabaseUser names. */
export function databasesOf({ metadata, spec }: LiveObject): readonly Key[] {
  // Sound: the CRD requires the spec.
  const { databases } = spec as DatabaseUserSpec
  return databases.map(({ namespace, name }) => keyFor(namespace ?? metadata.namespace, name))
}
