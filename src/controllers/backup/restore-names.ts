// Under which names are the three that a restore has to do with? What everybody knows, the copy that is made beside it, and what had the
// name before. The id of the request is in the names, so that another request is another restore. Pure.

import type { Token } from '../../index.ts'
import type { Change } from '../engines/change.ts'
import type { ObservedDatabase, Succession } from '../engines/observed-server.ts'

export interface RestoreNames {
  /** That everybody knows. */
  readonly live: string
  /** What is to take the place; also the role that restores it. */
  readonly beside: string
  /** What was live before. */
  readonly former: string
}

/** PostgreSQL cuts longer ones off. */
const longestName = 63

export function restoreNames(live: string, requestId: string): RestoreNames {
  return { live, beside: named(live, 'new', requestId), former: formerName(live, requestId) }
}

/** Takes back what an earlier request did: what was live before it takes the place again. */
export function undoNames(live: string, requestId: string, undoneRequestId: string): RestoreNames {
  return { live, beside: formerName(live, undoneRequestId), former: formerName(live, requestId) }
}

/** What was live before this request. */
export function formerName(live: string, requestId: string): string {
  return named(live, 'old', requestId)
}

function named(live: string, sort: string, requestId: string): string {
  const end = `_${sort}_${requestId}`
  return `${live.slice(0, longestName - end.length)}${end}`
}

export interface Swap {
  readonly names: RestoreNames
  /** As it was found; undefined: nothing has the name yet. */
  readonly live: ObservedDatabase | undefined
  readonly beside: ObservedDatabase
  readonly token: Token
  readonly succession: Succession
}

/**
 * One transaction: every session sees exactly one of the two. The replaced database takes no connections from here on, because writes to it
 * would be lost. A role that lost its rights since does not get them back with the former database. Neither database stays a
 * template, which its owner may have made it. DatabaseInUse while a session is in one of them; NotFound when one is another than was observed.
 */
export function swapChanges({ names, live, beside, token, succession }: Swap): readonly Change[] {
  const away: readonly Change[] =
    live === undefined
      ? []
      : [
          { kind: 'renameDatabase', database: names.live, to: names.former },
          { kind: 'expectDatabase', database: names.former, oid: live.oid },
          { kind: 'allowConnections', database: names.former, allows: false },
          { kind: 'resetTemplate', database: names.former },
        ]
  return [
    ...away,
    { kind: 'renameDatabase', database: names.beside, to: names.live },
    { kind: 'expectDatabase', database: names.live, oid: beside.oid },
    { kind: 'markDatabase', database: names.live, token, succession },
    { kind: 'resetTemplate', database: names.live },
    ...rightsLostSince(live, beside, names.live),
    { kind: 'allowConnections', database: names.live, allows: true },
  ]
}

/** The consent of the Database may have been withdrawn meanwhile. A DatabaseUser that is to have rights is given them again. */
function rightsLostSince(
  live: ObservedDatabase | undefined,
  { holders }: ObservedDatabase,
  name: string,
): readonly Change[] {
  if (live === undefined) return []
  const held = new Set(live.holders.map(({ role }) => role))
  return holders
    .filter(({ role, privileges }) => !held.has(role) && privileges.length > 0)
    .map(({ role, privileges }) => ({
      ...{ kind: 'revoke', role, on: 'Database', schema: '', table: '', names: [name] },
      privileges,
    }))
}
