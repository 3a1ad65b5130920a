// Roles that may connect to a database and for which no DatabaseUser stands. The owner of a database grants CONNECT to any role of the server, so
// that a guest's access outlives the consent; the operator names such roles, and people decide about them. Pure.
import { nameList } from '../../index.ts'
import type { ObservedDatabase } from '../engines/observed-server.ts'

/** Roles that are named; an Event holds 1,024 characters. */
const namedRoles = 8

/** With those whose comment only begins like a mark. */
export function unmanagedRoles({ unmanaged, holders }: ObservedDatabase): readonly string[] {
  const unmarked = holders.filter(({ token, privileges }) => token === undefined && privileges.includes('CONNECT'))
  return [...unmanaged, ...unmarked.map(({ role }) => role)]
}

/** Undefined where there is none. */
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
  /** Namespaces whose users may have rights in the database, its own among them; undefined: that could not be told. */
  readonly consents: readonly string[] | undefined
  /** Rights were just taken from a guest. */
  readonly isWithdrawn: boolean
  /** As the status has it. */
  readonly wasShared: boolean
  /** As last seen; undefined: it was not. */
  readonly database: ObservedDatabase | undefined
}

/** True while other namespaces are allowed, and after that while unmanaged roles may still connect. */
export function isShared({ consents = [], isWithdrawn, wasShared, database }: Sharing): boolean {
  if (consents.length > 1) return true
  return (wasShared || isWithdrawn) && (database === undefined || unmanagedRoles(database).length > 0)
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
