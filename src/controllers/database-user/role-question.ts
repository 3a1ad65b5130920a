// Query about a user's roles, and the answers that stop a reconcile: another server than its Databases', missing
// databases, or roles of others. Invariant: in these cases nothing changes. Pure.
import type { CodedError, ExternalCall, Observation } from '../../index.ts'
import type { ServerQuestion } from '../engines/engine.ts'
import { EngineError } from '../engines/engine-error.ts'
import { isMarkedFor } from '../engines/mark-agreement.ts'
import type { ObservedDatabase, ObservedRole, RolePower, ServerObservation } from '../engines/observed-server.ts'
import { forWhom, isOfAnotherNamespace, ofAnotherNamespace } from '../engines/server-access.ts'
import type { DatabaseAccess, DesiredRole } from './desired-role.ts'
import { loginRolesOf } from './login-roles.ts'
import { memberRejection } from './member-rule.ts'
import type { ObservedUser } from './role-difference.ts'

type Call = ExternalCall<DesiredRole>

/** Asks for the group, both logins, the roles of `memberOf`, and the owners of the databases. */
export function questionOf({ group, logins, memberOf, databases }: DesiredRole): ServerQuestion {
  const verifierOf = (role: string) => logins.find(({ name }) => name === role)?.verifier
  const asked = (name: string) => {
    const verifier = verifierOf(name)
    return { name, ...(verifier === undefined ? {} : { verifier }) }
  }
  return {
    databases: databases.map(({ name }) => name),
    roles: [...new Set([group, ...loginRolesOf(group), ...memberOf, ...databases.map(({ owner }) => owner)])].map(
      asked,
    ),
  }
}

export type Obstacle =
  | { readonly kind: 'error'; readonly error: CodedError }
  | { readonly kind: 'observation'; readonly observation: Observation<ObservedUser> }

/** Returns undefined if there is no obstacle. */
export function obstacleOf(call: Call, seen: ServerObservation): Obstacle | undefined {
  const { desired } = call
  const { server, databases } = seen
  const place = `${desired.access.host}:${desired.access.port}`
  if (server.isReadOnly) {
    return unreachable(`the server at ${place} is read only, a standby perhaps; nothing can be changed there`)
  }
  if (desired.ending !== undefined) return leaving(call, seen)
  if (server.systemIdentifier !== desired.systemIdentifier) {
    return unreachable(`the server at ${place} is not the one of the Databases; they have to be looked at first`)
  }
  const missing = desired.databases.find(({ name }) => !databases.some((database) => database.name === name))
  if (missing !== undefined) {
    const message = `database ${missing.name} is not on the server at ${place}`
    return { kind: 'error', error: new EngineError({ code: 'NotFound', message, remedy: 'retry' }) }
  }
  const foreign = desired.databases.find((database) => !isItsDatabase(database, databases))
  if (foreign !== undefined) {
    const message = `database ${foreign.name} on ${place} is not the one that its Database stands for`
    // Not terminal: the database's owner can be restored without an event for the operator.
    return broken('NotOwned', message, false)
  }
  return rejection(call, seen)
}

/** Returns whether the server's markers name that Database. A Database's status was true of its own server only. */
export function isItsDatabase({ name, uid }: DatabaseAccess, databases: readonly ObservedDatabase[]): boolean {
  const found = databases.find((database) => database.name === name)
  return found !== undefined && isMarkedFor(found, uid)
}

/** Returns absent if the roles are on another server, or if they stay and none of the user's logins can log in. */
function leaving({ desired, token, providerID }: Call, { server, roles }: ServerObservation): Obstacle | undefined {
  const isOurs = (role: ObservedRole) => role.token?.uid === token.uid
  const logins = roles.filter(({ name }) => loginRolesOf(desired.group).includes(name)).filter(isOurs)
  const isElsewhere = providerID !== undefined && !providerID.startsWith(`pg://${server.systemIdentifier}/`)
  const isDone = isElsewhere || (desired.ending === 'disable' && !logins.some(({ canLogin }) => canLogin))
  return isDone ? { kind: 'observation', observation: { kind: 'absent', proof: 'authoritative' } } : undefined
}

/** Returns an obstacle for roles that the operator may not change or grant. */
function rejection({ desired, token, adopts }: Call, { roles }: ServerObservation): Obstacle | undefined {
  const { namespace } = desired.caller
  const given = [
    ...desired.memberOf,
    ...desired.databases.flatMap(({ access, owner }) => (access === 'Owner' ? [owner] : [])),
  ]
  for (const name of given) {
    const role = roles.find((one) => one.name === name)
    const isAnothers = desired.memberOf.includes(name) && isOfAnotherNamespace(role?.token, namespace)
    const why = isAnothers ? `${name} was made for ${role?.token?.holder}` : powerOf(name, role)
    if (why !== undefined) return broken('PrivilegedRole', `role ${desired.group} cannot be a member: ${why}`)
  }
  const ours = [desired.group, ...desired.logins.map(({ name }) => name)]
  const foreign = roles.filter((role) => ours.includes(role.name) && role.token?.uid !== token.uid)
  if (adopts) return foreign.flatMap((role) => notToBeAdopted(role, desired) ?? [])[0]
  return foreign.filter(({ name }) => name !== desired.group).map(notOwned)[0]
}

/**
 * Returns an obstacle for roles that no adoptionPolicy takes over. Otherwise a writer of DatabaseUsers would get power
 * over the server or over another namespace.
 */
function notToBeAdopted(role: ObservedRole, { caller }: DesiredRole): Obstacle | undefined {
  const { name, token } = role
  const power = powerOf(name, role)
  if (power !== undefined) return broken('PrivilegedRole', `role ${name} is not taken over: ${power}`)
  if (!isOfAnotherNamespace(token, caller.namespace)) return undefined
  return broken('NotOwned', ofAnotherNamespace(`role ${name}`, token))
}

function notOwned(foreign: ObservedRole): Obstacle {
  const message =
    `role ${foreign.name} was not made for this DatabaseUser${forWhom(foreign.token)}; drop or rename it, choose another spec.roleName, ` +
    'or set spec.adoptionPolicy to Adopt'
  return broken('NotOwned', message)
}

/** Returns the reason not to grant the role: its name or attributes, or those of a role that it can become. */
function powerOf(name: string, role: ObservedRole | undefined): string | undefined {
  const own = memberRejection(name) ?? (role === undefined ? undefined : attributeOf(role))
  if (own !== undefined || role === undefined) return own
  const reached = role.reaches
    .map((one) => memberRejection(one.name) ?? attributeOf(one))
    .find((why) => why !== undefined)
  return reached === undefined ? undefined : `${name} can become another role, and ${reached}`
}

function attributeOf({ name, isSuperuser, bypassesRowSecurity, canCreateRoles, canReplicate }: RolePower) {
  if (isSuperuser) return `${name} is a superuser`
  if (bypassesRowSecurity) return `${name} bypasses row security`
  if (canCreateRoles) return `${name} can create roles`
  return canReplicate ? `${name} can replicate the whole server` : undefined
}

function broken(reason: string, message: string, isTerminal = true): Obstacle {
  return { kind: 'observation', observation: { kind: 'broken', reason, message, isTerminal } }
}

function unreachable(message: string): Obstacle {
  return { kind: 'error', error: new EngineError({ code: 'ServerUnreachable', message, remedy: 'retry' }) }
}
