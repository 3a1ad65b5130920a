// Names of the three databases of a restore: the live one, the copy, and the former one that the copy replaces.
// Invariant: the names contain the id of the request, so each request is a separate restore. Pure.

import type { Token } from '../../index.ts'
import type { Change } from '../engines/change.ts'
import type { ObservedDatabase, Succession } from '../engines/observed-server.ts'

export interface RestoreNames {
  /** Name that clients use. */
  readonly live: string
  /** Name of the copy before the swap, and of the role that restores it. */
  readonly beside: string
  /** Name of the replaced database after the swap. */
  readonly former: string
}

/** PostgreSQL truncates longer names. */
const longestName = 63

export function restoreNames(live: string, requestId: string): RestoreNames {
  return { live, beside: named(live, 'new', requestId), former: formerName(live, requestId) }
}

/** Names for the rollback of an earlier request: the database that it replaced becomes live again. */
export function undoNames(live: string, requestId: string, undoneRequestId: string): RestoreNames {
  return { live, beside: formerName(live, undoneRequestId), former: formerName(live, requestId) }
}

/** Name of the database that this request replaced. */
export function formerName(live: string, requestId: string): string {
  return named(live, 'old', requestId)
}

function named(live: string, sort: string, requestId: string): string {
  const end = `_${sort}_${requestId}`
  return `${live.slice(0, longestName - end.length)}${end}`
}

export interface Swap {
  readonly names: RestoreNames
  /** As observed; undefined: no database has the name yet. */
  readonly live: ObservedDatabase | undefined
  readonly beside: ObservedDatabase
  readonly token: Token
  readonly succession: Succession
}

/**
 * Swaps the databases in one transaction: each session sees exactly one of them. The replaced database accepts no
 * further connections, because writes to it would be lost. A role that lost its privileges since the backup does not
 * regain them. Both databases lose the template flag, which an owner may have set. DatabaseInUse while a session is in
 * one of them; NotFound if a database is not the observed one.
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

/**
 * Revokes privileges that the live database no longer has, as its Database may have withdrawn consent. DatabaseUsers
 * grant theirs again.
 */
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
