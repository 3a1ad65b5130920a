// Observed roles of a user and their differences from the desired state, shared by plan, driver and status.
import type { ExternalChange, Token } from '../../index.ts'
import type { Change } from '../engines/change.ts'
import type { LoginVerdict } from '../engines/engine.ts'
import type { GrantPlan } from '../engines/grants.ts'
import type { ObservedDatabase, ObservedRole, ServerFacts } from '../engines/observed-server.ts'

/** Observed roles and privileges. */
export interface ObservedUser {
  readonly server: ServerFacts
  readonly group: ObservedRole
  /** Existing ones of the two login roles. */
  readonly logins: readonly ObservedRole[]
  /** Token that all of them must bear. */
  readonly token: Token
  /** Comparison with the desired privileges, by database. */
  readonly grants: Readonly<Record<string, GrantPlan>>
  /** Databases whose privileges could not be observed. Absent: none. */
  readonly unread?: readonly UnreadDatabase[]
  /** Databases that are not desired, and in which it has privileges or objects. */
  readonly elsewhere: readonly Elsewhere[]
  /** Result of a login test, if there was one. */
  readonly verdict?: LoginVerdict
  /** Hash of the desired credential, if the server is verified to have it. */
  readonly provenHash?: string
}

export interface UnreadDatabase {
  readonly database: string
  /** Cause of the failure. */
  readonly message: string
}

/** Privileges and objects in a database that is not desired. */
export interface Elsewhere {
  readonly database: ObservedDatabase
  /** Number of owned objects. */
  readonly owned: number
  /** Changes that revoke its privileges there. */
  readonly revocations: readonly Change[]
}

/** One difference, and the changes that correct it. */
export interface RoleDifference extends ExternalChange {
  readonly reason: RoleDifferenceReason
  /**
   * Changes of one place are one transaction. Order: `server`; `ended`, after the sessions of `ends` are gone; all
   * databases; `last`, for roles without dependents.
   */
  readonly steps: readonly Step[]
  /** Role whose sessions end after the server's changes. */
  readonly ends?: string
  /** Reason that prevents the correction, and the remedy. */
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

/** Transfers objects of `role` to `to`, and revokes its privileges. */
export function handOver(role: string, to: string): readonly Change[] {
  return [{ kind: 'reassignOwned', role, to }, ...disown(role)]
}

/** Revokes its privileges and drops its objects. */
export function disown(role: string): readonly Change[] {
  return [{ kind: 'dropOwned', role }]
}
