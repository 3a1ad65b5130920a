// SQL statements of each kind of change. Pure: they can be shown and tested without a server.
import type { Change } from '../change.ts'
import { EngineError } from '../engine-error.ts'
import { contentStatements, databaseStatements } from './database-statements.ts'
import { globalStatements } from './globals/globals-statements.ts'
import { defaultGrantStatements, grantStatements } from './grant-statements.ts'
import { publicRightsStatements } from './public-rights-statements.ts'
import { replicationStatements } from './replication/replication-statements.ts'
import { roleStatements } from './role-statements.ts'
import type { SessionFacts } from './session-facts.ts'
import type { Sql } from './sql-text.ts'

/**
 * Names that are no roles even in double quotes: `"public"` means all roles, and `SET ROLE "none"` returns to the
 * admin. No role can have such a name, so a change that names one would do something else. Source: PostgreSQL, gram.y
 * (RoleSpec) and check_role.
 */
const reservedRoles: readonly unknown[] = ['public', 'none']
const roleFields: ReadonlySet<string> = new Set(['role', 'member', 'owner', 'creator', 'grantee', 'grantors', 'roles'])

/**
 * Returns the statements. Throws StatementFailed for a value that SQL cannot express, and for a reserved name in place
 * of a role's name.
 */
export function changeStatements(change: Change, facts: SessionFacts): readonly Sql[] {
  rejectReserved(change)
  switch (change.kind) {
    case 'createRole':
    case 'alterRole':
    case 'renameRole':
    case 'markRole':
    case 'joinRole':
    case 'grantMembership':
    case 'revokeMembership':
    case 'setRoleSetting':
    case 'resetRoleSetting':
    case 'expectRole':
    case 'dropRole':
      return roleStatements(change, facts)
    case 'setDatabaseOwner':
    case 'markDatabase':
    case 'expectDatabase':
    case 'limitConnections':
    case 'allowConnections':
    case 'resetTemplate':
    case 'hardenDatabase':
    case 'renameDatabase':
      return databaseStatements(change)
    case 'grant':
    case 'revoke':
    case 'revokeOption':
      return grantStatements(change)
    case 'grantDefault':
    case 'revokeDefault':
      return defaultGrantStatements(change)
    case 'setPublicRights':
    case 'takePublicDefault':
      return publicRightsStatements(change)
    case 'createReplicator':
    case 'dropReplicator':
    case 'createPublication':
    case 'dropPublication':
    case 'createSubscription':
    case 'redirectSubscription':
    case 'dropSubscription':
      return replicationStatements(change)
    case 'copyRole':
    case 'copySetting':
    case 'resetSettings':
    case 'copyDatabaseGrant':
    case 'noteRoles':
    case 'setOwner':
      return globalStatements(change)
    default:
      return contentStatements(change)
  }
}

function rejectReserved(change: Change): void {
  const isRenamed = change.kind === 'renameRole' || change.kind === 'reassignOwned'
  const names = Object.entries(change)
    .filter(([field]) => roleFields.has(field) || (isRenamed && field === 'to'))
    .flatMap(([, value]) => value)
  const reserved = names.find((name) => reservedRoles.includes(name))
  if (reserved === undefined) return
  const message = `the name ${JSON.stringify(reserved)} is reserved in PostgreSQL and no role's; give the role another one`
  throw new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
}
