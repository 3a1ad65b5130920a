// PostgreSQL implementation of the engine, one for all controllers of a process. Controllers share the sessions of a
// server and credential. Each namespace has its own breaker, because a tenant can terminate its own sessions, which
// must not block other tenants.
import { createHash } from 'node:crypto'
import type { ExternalTools } from '../../../index.ts'
import type { DatabaseEngine } from '../engine.ts'
import type { Caller, ServerAccess } from '../server-access.ts'
import { PostgresServer } from './postgres-server.ts'
import { operatorAnswerBytes, SessionClient } from './session-client.ts'
import { SessionProvisioner, type Visitor } from './session-provisioner.ts'

export function postgresEngine(tools: ExternalTools): DatabaseEngine {
  const provisioners = new Map<string, SessionProvisioner>()
  tools.atStop(async () => {
    await Promise.all([...provisioners.values()].map((sessions) => sessions.close()))
  })
  const sessionsOf = (access: ServerAccess, caller: Caller): SessionProvisioner => {
    const key = keyOf(access)
    const known = provisioners.get(key)
    if (known !== undefined) return known
    let majorVersion: number | undefined
    const sessions = new SessionProvisioner({
      clock: tools.clock,
      maintenanceDatabase: access.maintenanceDatabase,
      open: async (database, signal) => {
        const session = await SessionClient.open(
          {
            ...{ access, database, applicationName: applicationName(caller), clock: tools.clock },
            ...{ answerBytes: operatorAnswerBytes, majorVersion },
          },
          signal,
        )
        // The first session is in the maintenance database, which no tenant owns.
        majorVersion = session.facts.majorVersion
        return session
      },
      onEmpty: () => provisioners.delete(key),
    })
    provisioners.set(key, sessions)
    return sessions
  }
  return {
    server: (access, { caller, signal }) =>
      new PostgresServer({
        access,
        clock: tools.clock,
        endpoint: tools.endpoint(`postgres/${access.host}:${access.port}`, caller.namespace),
        sessions: () => sessionsOf(access, caller),
        applicationName: applicationName(caller),
        visitor: visitorOf(caller),
        signal,
      }),
    visit: (access, { caller, signal }) => sessionsOf(access, caller).visit(visitorOf(caller), signal),
  }
}

/** The server truncates longer names. */
const maxApplicationName = 63

/** Returns `konverge/<kind>/<namespace>/<name>`. */
export function applicationName({ kind, namespace, name }: Caller): string {
  return `konverge/${kind}/${namespace}/${name}`.slice(0, maxApplicationName)
}

function visitorOf({ kind, namespace, name }: Caller): Visitor {
  return { name: `${kind}/${namespace}/${name}`, namespace }
}

/** Returns a key of all values that distinguish sessions. A digest, because it includes a password. */
function keyOf({ host, port, dial, socket, username, password, tls, ca }: ServerAccess): string {
  const parts = [host, port, dial?.host, dial?.port, socket, username, password, tls, ca]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}
