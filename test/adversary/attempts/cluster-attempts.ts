// All attempts that need a cluster and a database server, in the order in which they are made.
import type { Attempt } from '../attempt.ts'
import { editorAttempts } from './editor.ts'
import { hostileServerAttempts } from './hostile-server.ts'
import { loginAttempts } from './logins.ts'
import { sharedServerAttempts } from './shared-server.ts'
import { tenantAttempts } from './tenant.ts'
import { tenantDatabaseAttempts } from './tenant-databases.ts'
import { tenantMigrationAttempts } from './tenant-migrations.ts'
import { tenantSchemaAttempts } from './tenant-schemas.ts'

export const clusterAttempts: readonly Attempt[] = [
  ...tenantAttempts,
  ...tenantSchemaAttempts,
  ...tenantDatabaseAttempts,
  ...tenantMigrationAttempts,
  ...editorAttempts,
  ...sharedServerAttempts,
  ...loginAttempts,
  ...hostileServerAttempts,
]
