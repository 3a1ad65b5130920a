// Attempts of tenants, editors and logins against the embedded API server and every version of PostgreSQL.
import { EmbeddedStoryServer } from '../e2e/embedded-story-server.ts'
import { onEachPostgres } from '../postgres/on-each-postgres.ts'
import { clusterAttempts } from './attempts/cluster-attempts.ts'
import { describeAttempts } from './suite.ts'

onEachPostgres('an attacker', (postgres, version) => {
  describeAttempts({ startServer: EmbeddedStoryServer.start, postgres, version, attempts: clusterAttempts })
})
