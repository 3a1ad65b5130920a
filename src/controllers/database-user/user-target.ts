// Server and databases of a user, from the Databases that it names, or the problem that prevents access. All Databases
// must consent, be ready, and be on one server. Pure.
import type { DatabaseSpec, DatabaseStatus } from '../../../imports/wire/database.ts'
import type { DatabaseUserSpec } from '../../../imports/wire/database-user.ts'
import { isBeingDeleted, type LiveObject } from '../../index.ts'
import { hasConsent } from '../database/consent.ts'
import { moveOf } from '../database/moving.ts'
import type { ServerConnection } from '../database/server-connection.ts'
import { isReservedSchema } from '../engines/reserved-schema.ts'
import type { ServerAccess } from '../engines/server-access.ts'
import type { DatabaseAccess } from './desired-role.ts'
import { isObserving, memberRejection } from './member-rule.ts'

export type DatabaseObject = LiveObject<DatabaseSpec, DatabaseStatus> & { readonly spec: DatabaseSpec }

/** One entry of the spec, with the Database that it names. */
export interface Found {
  readonly entry: DatabaseUserSpec['databases'][number]
  readonly database: DatabaseObject | undefined
  /** Connection to its server; undefined if it was not loaded, because an earlier Database already gave one. */
  readonly connection: ServerConnection | undefined
}

export interface TargetInput {
  readonly userNamespace: string | undefined
  readonly spec: Pick<DatabaseUserSpec, 'memberOf' | 'attributes' | 'adoptionPolicy'>
  readonly found: readonly Found[]
  /** Labels of the user's namespace, if a consent depends on them. */
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined
}

/** Server and databases of a user. */
export interface UserTarget {
  readonly access: ServerAccess
  readonly systemIdentifier: string
  readonly databases: readonly DatabaseAccess[]
  /** Set while one of the databases moves to another server. Its roles move with it, so nothing else changes them. */
  readonly move?: Problem
}

/**
 * `refused`: a user has to change something. `waiting`: it resolves by itself. `gone`: the Database or its Secret is
 * missing.
 */
export interface Problem {
  readonly kind: 'refused' | 'waiting' | 'gone'
  readonly reason: string
  readonly message: string
  /** An existing Database certainly denies consent. Logins from an earlier consent are removed. */
  readonly isShutOut?: boolean
}

/** Returns the problem that keeps the user from its databases, rejections first; undefined if there is none. */
export function problemOf(input: TargetInput): Problem | undefined {
  const { spec, found } = input
  const problems = found.flatMap((one) => problemWith(one, input) ?? [])
  return (
    problems.find(({ kind }) => kind === 'refused') ??
    rejectedMembership(spec, found, input.userNamespace) ??
    problems[0] ??
    severalServers(found) ??
    sameDatabaseTwice(found)
  )
}

/** Returns why the spec is rejected, from the Databases and the spec alone, without a server. */
export function rejectionOf(input: TargetInput): Problem | undefined {
  const { spec, found, userNamespace } = input
  const problems = found.flatMap((one) => consentProblem(one, input) ?? [])
  return (
    problems.find(({ isShutOut }) => isShutOut === true) ??
    problems[0] ??
    rejectedMembership(spec, found, userNamespace)
  )
}

/** Returns the target if the connection is known, despite other problems: a deletion needs no more. */
export function targetOf({ found }: Pick<TargetInput, 'found'>): UserTarget | undefined {
  const known = found.flatMap(({ database, connection }) =>
    database && connection?.kind === 'known' ? [{ database, connection }] : [],
  )
  const [first] = known
  if (first === undefined) return undefined
  const move = found.flatMap((one) => moveProblem(one) ?? [])[0]
  return {
    ...(move === undefined ? {} : { move }),
    access: first.connection.access,
    systemIdentifier: first.database.status?.identity?.systemIdentifier ?? '',
    databases: found.flatMap(({ entry, database }) => (database === undefined ? [] : [accessTo(entry, database)])),
  }
}

/**
 * Omits reserved schemas, which only a spec older than the CRD's rule names. Privileges there count as extra and are
 * revoked.
 */
function accessTo({ access, schemas: named, grants = [] }: Found['entry'], database: DatabaseObject): DatabaseAccess {
  const schemas = named.filter((schema) => !isReservedSchema(schema))
  const name = databaseNameOf(database)
  const custom = grants.map(({ objectType, names, privileges }) => ({
    objectType,
    privileges,
    ...(names === undefined ? {} : { names }),
  }))
  const { uid } = database.metadata
  const { databaseOID: oid } = database.status?.identity ?? {}
  return { name, uid, ...(oid === undefined ? {} : { oid }), owner: `${name}_owner`, access, schemas, grants: custom }
}

export function databaseNameOf({ metadata, spec }: DatabaseObject): string {
  return spec.databaseName ?? metadata.name.replaceAll('-', '_')
}

function titleOf({ namespace, name }: Found['entry'], home: string | undefined): string {
  return namespace === undefined || namespace === home ? name : `${namespace}/${name}`
}

function consentProblem({ entry, database }: Pick<Found, 'entry' | 'database'>, input: TargetInput) {
  const { userNamespace } = input
  const databaseNamespace = entry.namespace ?? userNamespace
  const allowedNamespaces = database?.spec.allowedNamespaces
  if (hasConsent({ ...input, allowedNamespaces, databaseNamespace })) return undefined
  // The message does not depend on whether the Database exists: without consent the user must not learn this.
  const message = `no Database ${titleOf(entry, userNamespace)} allows namespace ${userNamespace} in its spec.allowedNamespaces; ask its owner to add it there, or take the entry out of spec.databases`
  // While the labels of the namespace are unknown, existing logins stay.
  const isSure = allowedNamespaces?.selector === undefined || input.namespaceLabels !== undefined
  const isShutOut = database !== undefined && isSure
  return { kind: 'refused', reason: 'NotAllowed', message, isShutOut } as const satisfies Problem
}

function problemWith({ entry, database, connection }: Found, input: TargetInput): Problem | undefined {
  const title = titleOf(entry, input.userNamespace)
  const rejection = consentProblem({ entry, database }, input)
  if (rejection !== undefined) return rejection
  if (database === undefined)
    return { kind: 'gone', reason: 'DatabaseMissing', message: `there is no Database ${title}` }
  if (isBeingDeleted(database)) return notReady(`Database ${title} is being deleted`)
  if (connection?.kind === 'unknown') {
    const isGone = connection.reason === 'SecretNotFound'
    return {
      kind: isGone ? 'gone' : 'waiting',
      reason: connection.reason,
      message: `Database ${title}: ${connection.message}`,
    }
  }
  const move = moveProblem({ entry, database })
  if (move !== undefined) return move
  const { phase = 'Pending', identity } = database.status ?? {}
  const isServing = servingPhases.has(phase)
  const isThere = identity?.systemIdentifier !== undefined && isServing
  return isThere ? undefined : notReady(`Database ${title} is not ready: ${whyNot(database)}`)
}

/** Phases in which users are served. A Database in an upgrade serves them until it moves. */
const servingPhases: ReadonlySet<string> = new Set(['Ready', 'Configuring', 'Restoring', 'Upgrading'])

function moveProblem({ entry, database }: Pick<Found, 'entry' | 'database'>): Problem | undefined {
  const move = moveOf(database?.status)
  if (move === undefined) return undefined
  const message = `Database ${entry.name} ${move}; its users are left as they are until it has arrived`
  return { kind: 'waiting', reason: 'DatabaseMoving', message }
}

function whyNot({ status }: DatabaseObject): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return ready === undefined || ready.message === '' ? 'it has not been looked at yet' : ready.message
}

function notReady(message: string): Problem {
  return { kind: 'waiting', reason: 'DatabaseNotReady', message }
}

/** Allows rights beyond a database only to users of the Database's own namespace, who have the server. */
function rejectedMembership(
  { memberOf = [], attributes, adoptionPolicy }: TargetInput['spec'],
  found: readonly Found[],
  userNamespace: string | undefined,
): Problem | undefined {
  const powers = [
    ...(memberOf.length > 0 ? ['memberOf'] : []),
    ...(attributes.createdb || attributes.replication ? ['attributes'] : []),
    ...(adoptionPolicy === 'Adopt' ? ['adoptionPolicy Adopt'] : []),
  ]
  const isGuest = found.some(({ entry }) => entry.namespace !== undefined && entry.namespace !== userNamespace)
  if (isGuest && powers.length > 0) {
    const message = `users from another namespace than the Database's own may not have what reaches beyond it: ${powers.join(' and ')}`
    return { kind: 'refused', reason: 'NotAllowed', message }
  }
  const why = memberOf.flatMap((role) => memberRejection(role) ?? [])[0]
  if (why !== undefined) return { kind: 'refused', reason: 'PrivilegedRole', message: `spec.memberOf: ${why}` }
  const isShared = found.some(({ database }) => database?.spec.provider.server !== undefined)
  const observer = isShared ? memberOf.find(isObserving) : undefined
  if (observer === undefined) return undefined
  const message = `spec.memberOf: ${observer} reads the statements of all databases of a server, and this server may have those of others; ask its administrator to grant it`
  return { kind: 'refused', reason: 'PrivilegedRole', message }
}

function severalServers(found: readonly Found[]): Problem | undefined {
  const servers = new Set(found.map(({ database }) => database?.status?.identity?.systemIdentifier))
  if (servers.size <= 1) return undefined
  const names = found.map(({ entry }) => entry.name).join(', ')
  const message = `the Databases ${names} are on ${servers.size} servers; make a DatabaseUser for each server`
  return { kind: 'refused', reason: 'SeveralServers', message }
}

function sameDatabaseTwice(found: readonly Found[]): Problem | undefined {
  const names = found.flatMap(({ database }) => (database === undefined ? [] : [databaseNameOf(database)]))
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice === undefined) return undefined
  return {
    kind: 'refused',
    reason: 'DatabaseListedTwice',
    message: `two of spec.databases stand for database ${twice}; leave one out`,
  }
}
