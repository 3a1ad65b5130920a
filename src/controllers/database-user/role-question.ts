// What is asked about a user's roles, and which answers end the matter? Another server than the one of its Databases, databases that
// are missing, and roles that are not ours: nothing is changed then. Pure.
import type { CodedError, ExternalCall, Observation } from '../../index.ts'
import type { ServerQuestion } from '../engines/engine.ts'
import { EngineError } from '../engines/engine-error.ts'
import type { ObservedRole, ServerObservation } from '../engines/observed-server.ts'
import { forWhom } from '../engines/server-access.ts'
import { loginRolesOf } from './login-roles.ts'
import { memberRefusal } from './member-rule.ts'
import type { ObservedUser } from './role-difference.ts'
import type { RoleWish } from './role-wish.ts'

type Call = ExternalCall<RoleWish>

/** The group, both logins, and all whose rights it is to have. */
export function questionOf({ group, logins, memberOf, databases }: RoleWish): ServerQuestion {
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

/** Undefined where nothing is in the way. */
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
  return refusal(call, seen)
}

/** What is looked for at the end is gone with its server, or when no role of ours is left that can log in and is to stay. */
function leaving({ desired, token, providerID }: Call, { server, roles }: ServerObservation): Obstacle | undefined {
  const isOurs = (role: ObservedRole) => role.token?.uid === token.uid
  const logins = roles.filter(({ name }) => loginRolesOf(desired.group).includes(name)).filter(isOurs)
  const isElsewhere = providerID !== undefined && !providerID.startsWith(`pg://${server.systemIdentifier}/`)
  const isDone = isElsewhere || (desired.ending === 'disable' && !logins.some(({ canLogin }) => canLogin))
  return isDone ? { kind: 'observation', observation: { kind: 'absent', proof: 'authoritative' } } : undefined
}

/** Roles that are not ours to change or to give. */
function refusal({ desired, token, adopts }: Call, { roles }: ServerObservation): Obstacle | undefined {
  const given = [
    ...desired.memberOf,
    ...desired.databases.flatMap(({ access, owner }) => (access === 'Owner' ? [owner] : [])),
  ]
  for (const name of given) {
    const role = roles.find((one) => one.name === name)
    const why = memberRefusal(name) ?? (role === undefined ? undefined : powerOf(role))
    if (why !== undefined) return broken('PrivilegedRole', `role ${desired.group} cannot be a member: ${why}`)
  }
  const foreign = desired.logins
    .map((login) => roles.find(({ name }) => name === login.name))
    .find((role) => role !== undefined && role.token?.uid !== token.uid)
  if (foreign === undefined || adopts) return undefined
  const message =
    `role ${foreign.name} was not made for this DatabaseUser${forWhom(foreign.token)}; drop or rename it, choose another spec.roleName, ` +
    'or set spec.adoptionPolicy to Adopt'
  return broken('NotOwned', message)
}

function powerOf({ name, isSuperuser, bypassesRowSecurity, canCreateRoles }: ObservedRole): string | undefined {
  if (isSuperuser) return `${name} is a superuser`
  if (bypassesRowSecurity) return `${name} bypasses row security`
  return canCreateRoles ? `${name} can create roles` : undefined
}

function broken(reason: string, message: string): Obstacle {
  return { kind: 'observation', observation: { kind: 'broken', reason, message, isTerminal: true } }
}

function unreachable(message: string): Obstacle {
  return { kind: 'error', error: new EngineError({ code: 'ServerUnreachable', message, remedy: 'retry' }) }
}
