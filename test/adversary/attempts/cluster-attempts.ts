// All attempts that need a cluster and a database server, in order of execution.
import type { Attempt } from '../attempt.ts'
import { editorAttempts } from './editor.ts'
import { hostileServerAttempts } from './hostile-server.ts'
import { loginAttempts } from './logins.ts'
import { sharedServerAttempts } from './shared-server.ts'
import { tenantAttempts } from './tenant.ts'
import { tenantDatabaseAttempts } from './tenant-databases.ts'
import { tenantMigrationAttempts } from './tenant-migrations.ts'
import { tenantSchemaAttempts } from './tenant-schemas.ts'

/** Attempts by requests to the API server. */
export const requestAttempts: readonly Attempt[] = [
  ...tenantAttempts,
  ...tenantSchemaAttempts,
  ...tenantDatabaseAttempts,
  ...tenantMigrationAttempts,
  ...editorAttempts,
]

export const clusterAttempts: readonly Attempt[] = [
  ...requestAttempts,
  ...sharedServerAttempts,
  ...loginAttempts,
  ...hostileServerAttempts,
]
