// Source database of a copy. Reads rows on a separate session with a read-only login, because types, casts and policies
// of that database run code during a read. The session lasts as long as the copy. The admin's own session is for
// replication.
import type { StatementServer } from '../../engine.ts'
import type { LogPosition } from '../../log-position.ts'
import type { PublisherAddress } from '../../replication.ts'
import type { ServerAccess } from '../../server-access.ts'
import { type DesiredSlot, holdMoment } from '../replication/slot-runner.ts'
import type { SessionClient } from '../session-client.ts'
import type { Statement } from './mark-statements.ts'
import { RunLoginClient, type RunPlace } from './run-login-client.ts'

export interface CopySource {
  readonly session: SessionClient
  readonly database: string
  /** The admin's session. */
  readonly server: StatementServer
  /** Address as seen from the target. */
  readonly address: Omit<PublisherAddress, 'password'>
  /** Creates a slot, and calls `use` with a snapshot at the slot's start. Returns that position. */
  holdMoment(slot: DesiredSlot, use: (snapshot: string) => Promise<unknown>): Promise<LogPosition>
  /** Terminates the session of the previous worker of this replication, so that it changes nothing more. */
  takeOver(replication: string): Promise<void>
  /** Never rejects. */
  close(): Promise<void>
}

/** Opens the source. Rejects with an EngineError, or with the signal's reason. */
export async function openCopySource(place: RunPlace, role: string, signal: AbortSignal): Promise<CopySource> {
  const login = await RunLoginClient.open(place, signal)
  try {
    const session = await login.letIn(role, 'read')
    return {
      ...{ session, database: place.database, server: login.server, address: addressOf(place.access) },
      holdMoment: (slot, use) => holdMoment({ ...place, signal }, slot, use),
      takeOver: async (replication) => {
        await login.ask(endHolder(replication))
        await login.ask(holdAlone(replication))
      },
      close: () => login.close(),
    }
  } catch (error) {
    await login.close()
    throw error
  }
}

/** The target cannot use a CA that only the operator knows. */
function addressOf({ host, port, dial, tls, ca }: ServerAccess): CopySource['address'] {
  return { ...(dial ?? { host, port }), tls: ca === undefined ? tls : 'bound' }
}

const lockKey = `pg_catalog.hashtextextended('konverge/replication/' || $1, 0)`

/** Waits until the session has ended. */
function endHolder(replication: string): Statement {
  const text = `SELECT pg_catalog.pg_terminate_backend(l.pid, 5000)
    FROM pg_catalog.pg_locks AS l, (SELECT ${lockKey} AS key) AS k
   WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.pid <> pg_catalog.pg_backend_pid()
     AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())
     AND l.classid::bigint = (k.key >> 32) & 4294967295 AND l.objid::bigint = k.key & 4294967295`
  return { text, values: [replication] }
}

function holdAlone(replication: string): Statement {
  return { text: `SELECT pg_catalog.pg_advisory_lock(${lockKey})`, values: [replication] }
}
