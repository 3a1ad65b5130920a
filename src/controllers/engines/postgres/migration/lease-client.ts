// Client of the lease table, on the administrator's session. Invariant: the lease is read and written in a transaction
// that has verified the marker tables (marker-schema.ts). Creates missing ones first.
import { EngineError } from '../../engine-error.ts'
import { sql } from '../sql-text.ts'
import { lockHolder, nextEpoch } from './mark-statements.ts'
import {
  completeMarks,
  findSchema,
  lockSchema,
  type MarkedPlace,
  makeSchema,
  orUntrusted,
  trustMarks,
} from './marker-schema.ts'
import type { RunLoginClient } from './run-login-client.ts'

export interface LeaseClaim {
  readonly lock: string
  readonly holder: string
}

/** Returns the new epoch. Rejects with an EngineError: UntrustedMarks. */
export async function claimLease(session: RunLoginClient, claim: LeaseClaim, marked: MarkedPlace): Promise<string> {
  return transaction(session, marked, async () => {
    await session.say(lockSchema)
    const [found] = (await session.say(findSchema)).rows
    if (found?.['isThere'] !== 't') await session.say(makeSchema)
    if (found?.['isWhole'] !== 't') await session.say(completeMarks)
    await session.say(trustMarks('write'))
    return (await session.ask(nextEpoch(claim.lock, claim.holder))).rows[0]?.['epoch'] ?? ''
  })
}

/** Returns the holder. Undefined if there are no markers yet. Rejects like `claimLease`. */
export async function leaseHolder(
  session: RunLoginClient,
  lock: string,
  marked: MarkedPlace,
): Promise<string | undefined> {
  try {
    return await transaction(session, marked, async () => {
      await session.say(trustMarks('read'))
      return (await session.ask(lockHolder(lock))).rows[0]?.['holder'] ?? undefined
    })
  } catch (error) {
    if (error instanceof EngineError && ['42P01', '3F000'].includes(error.sqlState ?? '')) return undefined
    throw error
  }
}

async function transaction<T>(session: RunLoginClient, marked: MarkedPlace, work: () => Promise<T>): Promise<T> {
  await session.say(sql`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`)
  try {
    const result = await work()
    await session.say(sql`COMMIT`)
    return result
  } catch (error) {
    // The server rolls back the transaction of a lost session.
    await session.say(sql`ROLLBACK`).catch(() => undefined)
    throw orUntrusted(error, marked)
  }
}
