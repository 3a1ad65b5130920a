// Roles that may connect to a database without a DatabaseUser. The owner of a database can grant CONNECT to any role of
// the server, so a guest's access can outlive the consent. The operator reports such roles, and administrators decide
// about them. Pure.
import { nameList } from '../../index.ts'
import type { ObservedDatabase } from '../engines/observed-server.ts'

/** Most roles in one message; an Event holds 1,024 characters. */
const namedRoles = 8

/** Returns unmanaged roles, including those whose comment only resembles an ownership marker. */
export function unmanagedRoles({ unmanaged, holders }: ObservedDatabase): readonly string[] {
  const unmarked = holders.filter(({ token, privileges }) => token === undefined && privileges.includes('CONNECT'))
  return [...unmanaged, ...unmarked.map(({ role }) => role)]
}

/** Returns undefined if there are none. */
export function unmanagedMessage(database: ObservedDatabase): string | undefined {
  const roles = unmanagedRoles(database)
  if (roles.length === 0) return undefined
  const revocation = `REVOKE CONNECT ON DATABASE ${quoted(database.name)} FROM ${roles.slice(0, namedRoles).map(quoted).join(', ')}`
  return (
    `roles that may connect to database ${database.name} without a DatabaseUser: ${nameList(roles, namedRoles)}; ` +
    `for those that should not, run ${revocation}, and see docs/security.md for what else an owner leaves behind`
  )
}

export interface Sharing {
  /** Namespaces whose users may have rights in the database, including its own; undefined if unknown. */
  readonly consents: readonly string[] | undefined
  /** This reconcile has revoked rights of a guest. */
  readonly isWithdrawn: boolean
  /** Value in the status. */
  readonly wasShared: boolean
  /** Last observation; undefined if there is none. */
  readonly database: ObservedDatabase | undefined
}

/** Returns true while other namespaces are allowed, and after that while unmanaged roles may still connect. */
export function isShared({ consents = [], isWithdrawn, wasShared, database }: Sharing): boolean {
  if (consents.length > 1) return true
  return (wasShared || isWithdrawn) && (database === undefined || unmanagedRoles(database).length > 0)
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
