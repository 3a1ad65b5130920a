// Which SQL carries out a list of changes, in order? Pure: shown and tested without a server.
import type { Change } from '../change.ts'
import { contentStatements, databaseStatements } from './database-statements.ts'
import { globalStatements } from './globals/globals-statements.ts'
import { defaultGrantStatements, grantStatements } from './grant-statements.ts'
import { publicRightsStatements } from './public-rights-statements.ts'
import { replicationStatements } from './replication/replication-statements.ts'
import { roleStatements } from './role-statements.ts'
import type { SessionFacts } from './session-facts.ts'
import type { Sql } from './sql-text.ts'

export function changeStatements(change: Change, facts: SessionFacts): readonly Sql[] {
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
