// Attempts by requests to the real API server, with an operator in a process of its own. Attempts of logins and of hostile
// servers reach PostgreSQL only; they run against the embedded API server.
import { afterAll, beforeAll, describe } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { OwnRealServer } from '../e2e/real-story-server.ts'
import { installDefinitions } from '../e2e/stores.ts'
import { makePostgresHome, type PostgresHome, removePostgresHome } from '../postgres/postgres-home.ts'
import { PostgresServer } from '../postgres/postgres-server.ts'
import { requestAttempts } from './attempts/cluster-attempts.ts'
import { describeAttempts } from './suite.ts'

describe('an attacker, on the real API server', () => {
  const end = new AsyncDisposableStack()
  let home: PostgresHome
  let postgres: PostgresServer
  let controlPlane: ControlPlane

  beforeAll(async () => {
    home = await makePostgresHome()
    end.defer(() => removePostgresHome(home))
    postgres = await PostgresServer.start(home)
    end.defer(() => postgres.remove())
    controlPlane = await startControlPlane({ kwok: { nodes: 1 }, auditLog: true })
  })
  afterAll(() => end.disposeAsync())

  describeAttempts({
    startServer: async () => {
      const server = new OwnRealServer(controlPlane)
      await installDefinitions(server)
      return server
    },
    postgres: () => postgres,
    version: Number.POSITIVE_INFINITY,
    attempts: requestAttempts,
  })
})
