// How is the database reached that rows are copied from? On one session that ends with the copy, by a login that only reads: what the
// types, casts and policies of that database do while they are read is done by it. The admin's own session is for a replication.
import type { StatementServer } from '../../engine.ts'
import type { LogPosition } from '../../log-position.ts'
import type { PublisherAddress } from '../../replication.ts'
import type { ServerAccess } from '../../server-access.ts'
import { holdMoment, type SlotWish } from '../replication/slot-runner.ts'
import type { SessionClient } from '../session-client.ts'
import type { Statement } from './mark-statements.ts'
import { RunLoginClient, type RunPlace } from './run-login-client.ts'

export interface CopySource {
  readonly session: SessionClient
  readonly database: string
  /** The admin's session. */
  readonly server: StatementServer
  /** As the target finds it. */
  readonly address: Omit<PublisherAddress, 'password'>
  /** Makes a slot, and lets the snapshot of the moment at which it begins be used; answers with that. */
  holdMoment(slot: SlotWish, use: (snapshot: string) => Promise<unknown>): Promise<LogPosition>
  /** Who was at this replication before is let make nothing more: his session ends. */
  takeOver(replication: string): Promise<void>
  /** Never rejects. */
  close(): Promise<void>
}

/** Rejects with an EngineError, or with the signal's reason. */
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

/** An authority that only we know is no help to the target. */
function addressOf({ host, port, dial, tls, ca }: ServerAccess): CopySource['address'] {
  return { ...(dial ?? { host, port }), tls: ca === undefined ? tls : 'bound' }
}

const lockKey = `pg_catalog.hashtextextended('konverge/replication/' || $1, 0)`

/** Waits until he is gone. */
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
