// What is there of a user on its server, and what can differ from the wish? The words that the plan, its carrying out and the status
// share.
import type { ExternalChange, Token } from '../../index.ts'
import type { Change } from '../engines/change.ts'
import type { LoginVerdict } from '../engines/engine.ts'
import type { GrantPlan } from '../engines/grants.ts'
import type { ObservedDatabase, ObservedRole, ServerFacts } from '../engines/observed-server.ts'

/** What is there of it. */
export interface ObservedUser {
  readonly server: ServerFacts
  readonly group: ObservedRole
  /** Those of the two that are there. */
  readonly logins: readonly ObservedRole[]
  /** Which all of them have to be marked with. */
  readonly token: Token
  /** Of every database in which it has rights by grants: how they compare with the wish. */
  readonly grants: Readonly<Record<string, GrantPlan>>
  /** Databases whose privileges could not be observed. Absent: none. */
  readonly unread?: readonly UnreadDatabase[]
  /** Databases that are not wished, and in which it has something nonetheless. */
  readonly elsewhere: readonly Elsewhere[]
  /** How a login went, if one was tried. */
  readonly verdict?: LoginVerdict
  /** The hash of the credential that is wished, if it has proved to be the server's. */
  readonly provenHash?: string
}

export interface UnreadDatabase {
  readonly database: string
  /** Why. */
  readonly message: string
}

/** What it has in a database that is not wished. */
export interface Elsewhere {
  readonly database: ObservedDatabase
  /** So many objects. */
  readonly owned: number
  /** What takes its rights there. */
  readonly revocations: readonly Change[]
}

/** One difference, and what puts it right. */
export interface RoleDifference extends ExternalChange {
  readonly reason: RoleDifferenceReason
  /**
   * Changes of one place are one transaction. `server` goes first, `ended` once the sessions of `ends` are gone, then every database,
   * and `last` the roles that nothing depends on any more.
   */
  readonly steps: readonly Step[]
  /** Sessions of this role are ended once the server's changes are made. */
  readonly ends?: string
  /** Why nothing puts it right, and what to do. */
  readonly obstacle?: string
}

export type Step =
  | { readonly at: 'server' | 'ended' | 'last'; readonly changes: readonly Change[] }
  | { readonly at: 'database'; readonly database: string; readonly changes: readonly Change[] }

export type RoleDifferenceReason =
  | 'GroupAttributes'
  | 'GroupMemberships'
  | 'LoginMissing'
  | 'LoginAttributes'
  | 'LoginMemberships'
  | 'LoginSettings'
  | 'LoginRetired'
  | 'PasswordDiffers'
  | 'GrantMissing'
  | 'GrantExtra'
  | 'DatabaseClosed'

/** What `role` owns becomes `to`'s, and it loses its rights. */
export function handOver(role: string, to: string): readonly Change[] {
  return [{ kind: 'reassignOwned', role, to }, ...disown(role)]
}

/** It loses its rights, and what it still owns goes. */
export function disown(role: string): readonly Change[] {
  return [{ kind: 'dropOwned', role }]
}
