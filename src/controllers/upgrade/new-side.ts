// Target of an upgrade before rows are moved: its changes and its state. A dedicated role restores the schema and has
// no other privileges, because the source database contains code of its owner. The role's comment is the ledger of the
// roles created with it. The database's marker says that the target is complete, and which database it replaces. Pure.
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
  /** Id of the move and of its replication: 1 to 40 of a-z, 0-9 and _. */
  readonly id: string
  /** Token of the Database that moves. */
  readonly token: Token
  readonly caller: Caller
  /** Name of the database on both servers. */
  readonly database: string
  /**
   * `rows`: all rows of the frozen source. `followingRows`: all rows of a snapshot at which a slot of the source
   * starts, for the publication of this move. Default: `schema`.
   */
  readonly holds?: 'schema' | 'rows' | 'followingRows'
}

export interface SeenSide {
  readonly database: ObservedDatabase | undefined
  /** True if the role of the target exists. */
  readonly hasRole: boolean
  /** Ledger from the comment of that role. */
  readonly ledger: Ledger | undefined
}

export type SideState =
  | { readonly kind: 'missing' }
  /** Left by an interrupted worker; it is removed and created again. */
  | { readonly kind: 'partial'; readonly ledger: Ledger }
  /** Complete; only the operator may log in. */
  | { readonly kind: 'prepared'; readonly ledger: Ledger }
  /** In use: the roles may log in, and a rollback no longer removes it. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly error: UpgradeError }

/** Returns the name of the role that restores, and whose comment is the ledger. */
export function sideRole({ id }: Pick<SideOrder, 'id'>): string {
  return partName(id)
}

/** Returns the name of the target's database before its removal. */
export function condemnedName(order: Pick<SideOrder, 'id'>): string {
  return `${sideRole(order)}_gone`
}

/** Blocks new connections. An interrupted DROP DATABASE leaves an invalid database, which only accepts a rename. */
export function closingDoors({ name: database, oid, isInvalid }: ObservedDatabase): readonly Change[] {
  if (isInvalid) return []
  return [
    { kind: 'expectDatabase', database, oid },
    { kind: 'allowConnections', database, allows: false },
  ]
}

/** Renames exactly this database to a name that no client uses, in one transaction. */
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

/**
 * Returns the reason that the target server cannot get the database; undefined if it can. `there`: roles of the source
 * whose names exist on the target server.
 */
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
 * Returns objects that cannot move. Most extensions with rows cannot, although the source server is trusted. Code of
 * the source database's owner runs as the restoring role, and could write rows into each table that this role may fill.
 */
export function immovableOf({
  immovable,
  extensions,
}: Pick<DatabaseGlobals, 'immovable' | 'extensions'>): readonly string[] {
  const unfilled = extensions.filter(({ name, hasRows }) => hasRows && !isFilled(name))
  return [...immovable, ...unfilled.map(({ name }) => `extension ${name} with its tables`)]
}

/**
 * Returns other databases that would be lost with the source server. A former database that a restore of this Database
 * kept does not count: it stays there for as long as the Database says.
 */
export function strangersOf({ token }: Pick<SideOrder, 'token'>, { neighbours }: DatabaseGlobals): readonly string[] {
  return neighbours.filter(({ comment }) => tokenIn(comment)?.uid !== token.uid).map(({ name }) => name)
}

/** Returns whether a complete target holds at least the ordered content. */
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
  /** Password verifier of the role that restores. */
  readonly verifier: string
  /** WAL position of the rows' snapshot if the target replicates. */
  readonly from: LogPosition | undefined
}

/** Creates the restoring role, and all roles of the database with their password verifiers, in one transaction. */
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

/** Returns the comment of a copied role. For a DatabaseUser to recognize its role, it names the replaced role. */
function succeeding({ id }: SideOrder, { systemIdentifier }: DatabaseGlobals, role: GlobalRole): string | null {
  const token = tokenIn(role.comment)
  if (token === undefined) return role.comment
  return markOf(token, { request: id, replaced: roleIdOf(systemIdentifier, role.oid) })
}

/** Returns a permanent id of a role on a server. */
function roleIdOf(systemIdentifier: string, oid: number): string {
  return `pg://${systemIdentifier}/role/${oid}`
}

/** Assigns the restored objects to their owners, in one transaction in the database. */
export function ownerChanges(
  order: SideOrder,
  { database, roles, owned }: DatabaseGlobals,
  admin: string,
): readonly Change[] {
  const role = sideRole(order)
  const names = new Set(roles.map(({ name }) => name))
  const isKnown = (owner: string) => owner.startsWith('pg_') || names.has(owner)
  // Objects of a superuser of the source server go to the superuser of the target server.
  const ownerOf = (owner: string) => (isKnown(owner) ? owner : admin)
  return [
    { kind: 'reassignOwned', role, to: ownerOf(database.owner) },
    ...owned.map((object) => ({ ...object, kind: 'setOwner', owner: ownerOf(object.owner) }) as const),
    { kind: 'dropOwned', role },
  ]
}

/** True for settings that are set last: they apply to the worker's sessions too, or need the database to exist. */
function isOfAll({ role, database }: GlobalSetting): boolean {
  return role === undefined || database !== undefined
}

/** Completes the target. The database's marker is set last. */
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
