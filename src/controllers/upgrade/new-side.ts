// What is made on the new server before rows travel, and how far is it? A role of its own restores the schema and may do nothing else, as
// whoever owns the old database has written code in it; its comment is the ledger of the roles that were made with it. The database's own
// mark says that all is there, and whose place it takes. Pure.
import type { Token } from '../../index.ts'
import { isFilled } from '../backup/scratch-database.ts'
import { providerIdOf } from '../database/database-observation.ts'
import type { Change } from '../engines/change.ts'
import type { DatabaseGlobals, GlobalRole, GlobalSetting } from '../engines/globals.ts'
import type { LogPosition } from '../engines/log-position.ts'
import type { ObservedDatabase, ServerFacts } from '../engines/observed-server.ts'
import type { Ledger } from '../engines/postgres/globals/ledger.ts'
import { markOf, tokenIn } from '../engines/postgres/mark.ts'
import { partName } from '../engines/postgres/replication/replication-names.ts'
import type { ReplicationSlot } from '../engines/replication.ts'
import type { Caller } from '../engines/server-access.ts'
import { stopped, type UpgradeError } from './upgrade-error.ts'

export interface SideOrder {
  /** Of this move: 1 to 40 of a-z, 0-9 and _. The same as that of its replication. */
  readonly id: string
  /** Of the Database that moves. */
  readonly token: Token
  readonly caller: Caller
  /** On both servers. */
  readonly database: string
  /**
   * `rows`: all there are in the old side, to which nobody writes then. `followingRows`: all of one moment, from which on a slot of the old
   * side keeps what comes, for the publication of this move. Default: `schema`.
   */
  readonly holds?: 'schema' | 'rows' | 'followingRows'
}

export interface SeenSide {
  readonly database: ObservedDatabase | undefined
  /** Is there a role of its name? */
  readonly hasRole: boolean
  /** What the comment of that role says. */
  readonly ledger: Ledger | undefined
}

export type SideState =
  | { readonly kind: 'missing' }
  /** Somebody died over it: it goes, and is begun anew. */
  | { readonly kind: 'partial'; readonly ledger: Ledger }
  /** Nobody but the operator may log in. */
  | { readonly kind: 'prepared'; readonly ledger: Ledger }
  /** The roles may log in again: it serves, and is not taken back. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly error: UpgradeError }

/** The role that restores, and keeps the ledger. */
export function sideRole({ id }: Pick<SideOrder, 'id'>): string {
  return partName(id)
}

/** Of its database, once that is to go. */
export function condemnedName(order: Pick<SideOrder, 'id'>): string {
  return `${sideRole(order)}_gone`
}

/** What a DROP DATABASE that was cut off has left takes no connections, and no changes but of its name. */
export function closingDoors({ name: database, oid, isInvalid }: ObservedDatabase): readonly Change[] {
  if (isInvalid) return []
  return [
    { kind: 'expectDatabase', database, oid },
    { kind: 'allowConnections', database, allows: false },
  ]
}

/** In one transaction: this very database gets a name that nobody looks for. */
export function condemning({ name: database, oid }: ObservedDatabase, condemned: string): readonly Change[] {
  return [
    { kind: 'renameDatabase', database, to: condemned },
    { kind: 'expectDatabase', database: condemned, oid },
  ]
}

export function sideState(order: SideOrder, { database, hasRole, ledger }: SeenSide): SideState {
  const isMarked = database?.token?.uid === order.token.uid && database.succession?.request === order.id
  if (ledger !== undefined && ledger.token.uid === order.token.uid && ledger.request === order.id) {
    return { kind: isMarked ? 'prepared' : 'partial', ledger }
  }
  if (hasRole) return { kind: 'refused', error: taken(`role ${sideRole(order)}`) }
  if (database === undefined) return { kind: 'missing' }
  return isMarked ? { kind: 'opened' } : { kind: 'refused', error: taken(`database ${database.name}`) }
}

/** Why the database cannot be made on the new server; undefined: it can. `there`: roles of these names on the new server. */
export function sideRejection(
  order: SideOrder,
  globals: DatabaseGlobals,
  servers: { readonly old: ServerFacts; readonly new: ServerFacts },
  there: readonly string[],
): UpgradeError | undefined {
  for (const [which, { admin }] of Object.entries(servers)) {
    if (admin.isSuperuser) continue
    const why = 'only superusers read and write what roles log in with'
    return stopped('InsufficientPrivilege', `role ${admin.role} of the ${which} server is no superuser: ${why}`)
  }
  const [role] = there
  if (role !== undefined) return taken(`role ${role}`)
  const { database } = globals
  if (database.localeProvider !== 'c') {
    const message = `database ${database.name} orders its texts by a provider of its own, which nobody here can give to another server yet; move it by hand`
    return stopped('NotMovable', message)
  }
  const strangers = strangersOf(order, globals)
  if (strangers.length > 0) {
    const message = `the old server has other databases, which do not move with ${database.name}: ${strangers.join(', ')}; move them to servers of their own, or drop them`
    return stopped('NotMovable', message)
  }
  const immovable = immovableOf(globals)
  if (immovable.length === 0) return undefined
  const message = `database ${database.name} has what is not moved with it: ${immovable.join(', ')}; remove it, and make it again afterwards`
  return stopped('NotMovable', message)
}

/**
 * Nobody forges the old server, and yet such rows are not let in: code of the old database's owner runs as the role that restores, and would
 * write rows of its own to whatever that role may fill.
 */
export function immovableOf({
  immovable,
  extensions,
}: Pick<DatabaseGlobals, 'immovable' | 'extensions'>): readonly string[] {
  const unfilled = extensions.filter(({ name, hasRows }) => hasRows && !isFilled(name))
  return [...immovable, ...unfilled.map(({ name }) => `extension ${name} with its tables`)]
}

/**
 * Databases that would go with the old server. What a restore of this Database has kept is none: it stays there, and its Database says how
 * long.
 */
export function strangersOf({ token }: Pick<SideOrder, 'token'>, { neighbours }: DatabaseGlobals): readonly string[] {
  return neighbours.filter(({ comment }) => tokenIn(comment)?.uid !== token.uid).map(({ name }) => name)
}

/** Does a side that was made hold what is ordered, or more? */
export function isAsOrdered({ holds = 'schema' }: SideOrder, ledger: Ledger, source: FollowedSource): boolean {
  if (holds === 'schema') return true
  if (holds === 'rows') return ledger.holds === 'rows' && ledger.from === undefined
  return ledger.from !== undefined && (source.isFollowed || source.slot?.confirmed === ledger.from)
}

export interface FollowedSource {
  readonly slot: Pick<ReplicationSlot, 'confirmed'> | undefined
  readonly isFollowed: boolean
}

export interface SideRows {
  /** Of the role that restores. */
  readonly verifier: string
  /** The moment of the rows, if they are to follow the old side. */
  readonly from: LogPosition | undefined
}

/** All roles of the database with what they log in with, and the one that restores; in one transaction. */
export function roleChanges(
  order: SideOrder,
  globals: DatabaseGlobals,
  { verifier, from }: SideRows,
): readonly Change[] {
  const { token, id: request } = order
  const holds = (order.holds ?? 'schema') === 'schema' ? 'schema' : 'rows'
  const { roles, memberships, settings } = globals
  const role = sideRole(order)
  return [
    { kind: 'createRole', role, token, attributes: { canLogin: true, verifier } },
    { kind: 'noteRoles', role, token, request, roles: roles.map(({ name }) => name), holds, from },
    ...roles.map(
      (one) => ({ kind: 'copyRole', role: one.name, as: one, comment: succeeding(order, globals, one) }) as const,
    ),
    ...memberships.map(({ grantors: _, ...membership }) => ({ kind: 'grantMembership', ...membership }) as const),
    ...settings
      .filter((setting) => !isOfAll(setting))
      .map((setting) => ({ kind: 'copySetting', database: order.database, setting }) as const),
  ]
}

/** A role of ours says in whose place it is, so that the DatabaseUser knows it again. */
function succeeding({ id }: SideOrder, { systemIdentifier }: DatabaseGlobals, role: GlobalRole): string | null {
  const token = tokenIn(role.comment)
  if (token === undefined) return role.comment
  return markOf(token, { request: id, replaced: roleIdOf(systemIdentifier, role.oid) })
}

/** Which role of which server, for good. */
function roleIdOf(systemIdentifier: string, oid: number): string {
  return `pg://${systemIdentifier}/role/${oid}`
}

/** What was restored becomes theirs to whom it belongs; in one transaction, in the database. */
export function ownerChanges(
  order: SideOrder,
  { database, roles, owned }: DatabaseGlobals,
  admin: string,
): readonly Change[] {
  const role = sideRole(order)
  const names = new Set(roles.map(({ name }) => name))
  const isKnown = (owner: string) => owner.startsWith('pg_') || names.has(owner)
  // What belonged to a superuser of the old server belongs to that of the new one.
  const ownerOf = (owner: string) => (isKnown(owner) ? owner : admin)
  return [
    { kind: 'reassignOwned', role, to: ownerOf(database.owner) },
    ...owned.map((object) => ({ ...object, kind: 'setOwner', owner: ownerOf(object.owner) }) as const),
    { kind: 'dropOwned', role },
  ]
}

/** It would hold for whoever makes the new side too, or names a database that is not there before. */
function isOfAll({ role, database }: GlobalSetting): boolean {
  return role === undefined || database !== undefined
}

/** From here on it is there as a whole. */
export function closingChanges(order: SideOrder, globals: DatabaseGlobals): readonly Change[] {
  const { token, id: request, database } = order
  const replaced = providerIdOf(globals.systemIdentifier, globals.database.oid)
  return [
    ...globals.settings.filter(isOfAll).map((setting) => ({ kind: 'copySetting', database, setting }) as const),
    ...globals.grants.map((grant) => ({ kind: 'copyDatabaseGrant', database, ...grant }) as const),
    { kind: 'alterRole', role: sideRole(order), attributes: { canLogin: false, verifier: null } },
    { kind: 'markDatabase', database, token, succession: { request, replaced } },
  ]
}

function taken(what: string): UpgradeError {
  const message = `${what} is on the new server already, and was not made for this; remove it there, or rename it`
  return stopped('NameTaken', message)
}
