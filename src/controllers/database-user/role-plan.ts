// Differences between desired and observed roles of a user, with the changes that correct each. Invariant: anything
// that the spec does not mention, such as other members of the group, stays unchanged. Pure.
import { nameList, type Token } from '../../index.ts'
import type { Change, RoleAttributes } from '../engines/change.ts'
import type { LoginVerdict } from '../engines/engine.ts'
import type { Membership, ObservedRole } from '../engines/observed-server.ts'
import { isSameSetting } from '../engines/postgres/role-setting.ts'
import { type DesiredRole, sessionRoleOf } from './desired-role.ts'
import { grantDifferences } from './grant-plan.ts'
import {
  type Elsewhere,
  handOver,
  type ObservedUser,
  type RoleDifference,
  type RoleDifferenceReason,
} from './role-difference.ts'
import { credentialHash, type LoginRole } from './rotation.ts'

export function roleDifferences(wish: DesiredRole, observed: ObservedUser): readonly RoleDifference[] {
  const retirements = retiredLogins(wish, observed).map((login) => retirement(wish, login))
  if (wish.isShutOut) return retirements
  return [
    ...groupDifferences(wish, observed),
    ...wish.logins.flatMap((login) => loginDifferences(wish, login, observed)),
    ...retirements,
    ...Object.entries(observed.grants).flatMap(([database, plan]) => {
      const isWished = wish.databases.some(({ name, isRestored }) => name === database && isRestored === true)
      return grantDifferences(wish.group, database, { ...plan, isWished })
    }),
    ...observed.elsewhere.map((database) => closing(wish, database)),
  ]
}

/** Verdicts that verify the password: PostgreSQL checks CONNECT and the limits of role and database after it. */
const provingVerdicts: readonly LoginVerdict[] = ['Verified', 'ConnectNotGranted', 'TooManyConnections']

/** Returns the credential's hash, if the server is verified to have this credential. */
export function provenHash(
  { credential }: DesiredRole,
  { logins, verdict }: Pick<ObservedUser, 'logins'> & { readonly verdict: LoginVerdict | undefined },
): string | undefined {
  if (credential === undefined) return undefined
  const login = logins.find(({ name }) => name === credential.username)
  if (login === undefined) return undefined
  const isShown = verdict !== undefined && provingVerdicts.includes(verdict)
  const isUntestable = credential.password === undefined && login.verifierMatches === undefined
  return login.verifierMatches === true || isShown || isUntestable ? credentialHash(credential) : undefined
}

/** Returns the user's own logins that are not desired: an overlap is over, or the user may not log in any more. */
export function retiredLogins(
  { logins }: Pick<DesiredRole, 'logins'>,
  { logins: seen, token: { uid } }: ObservedUser,
): readonly ObservedRole[] {
  return seen.filter(({ name, token }) => token?.uid === uid && !logins.some((wanted) => wanted.name === name))
}

function groupDifferences(wish: DesiredRole, { group }: ObservedUser): readonly RoleDifference[] {
  const attributes = {
    ...unless(!group.canLogin, { canLogin: false }),
    ...unless(group.inherits, { inherits: true }),
    ...unless(group.canCreateDatabases === wish.canCreateDatabases, { canCreateDatabases: wish.canCreateDatabases }),
    ...unless(!group.canCreateRoles, { canCreateRoles: false }),
    ...unless(!group.canReplicate, { canReplicate: false }),
    ...unless(!group.isSuperuser, { isSuperuser: false as const }),
    ...unless(!group.bypassesRowSecurity, { bypassesRowSecurity: false as const }),
  }
  const wanted = [...new Set([...wish.memberOf, ...ownersOf(wish)])]
  return [
    ...difference('GroupAttributes', Object.keys(attributes), (names) => ({
      message: `role ${group.name} has other attributes than asked for: ${names}`,
      changes: [{ kind: 'alterRole', role: group.name, attributes }],
    })),
    ...membershipDifferences('GroupMemberships', group, wanted),
  ]
}

function ownersOf({ databases }: DesiredRole): readonly string[] {
  return databases.filter(({ access }) => access === 'Owner').map(({ owner }) => owner)
}

function membershipDifferences(
  reason: 'GroupMemberships' | 'LoginMemberships',
  { name: member, memberOf }: ObservedRole,
  wanted: readonly string[],
): readonly RoleDifference[] {
  const full = new Set(memberOf.filter(({ inherits, canSet }) => inherits && canSet).map(({ role }) => role))
  const asked = new Set(wanted)
  const missing = wanted.filter((role) => !full.has(role))
  const extra = memberOf.filter(({ role }) => !asked.has(role))
  const loose = memberOf.filter(({ role, isAdmin }) => asked.has(role) && isAdmin)
  const given = (role: string): Change => ({ kind: 'grantMembership', role, member, inherits: true, canSet: true })
  const taken = ({ role, grantors }: Membership): Change => ({ kind: 'revokeMembership', role, member, grantors })
  const names = (memberships: readonly Membership[]) => memberships.map(({ role }) => role)
  return [
    ...difference(reason, missing, (roles) => ({
      message: `role ${member} is no full member of ${roles}`,
      changes: missing.map(given),
    })),
    ...difference(reason, names(extra), (roles) => ({
      message: `role ${member} is a member of ${roles}, which nobody asked for`,
      changes: extra.map(taken),
    })),
    ...difference(reason, names(loose), (roles) => ({
      message: `role ${member} may pass on its membership of ${roles}`,
      changes: loose.flatMap((held) => [taken(held), given(held.role)]),
    })),
  ]
}

function loginDifferences(wish: DesiredRole, login: LoginRole, observed: ObservedUser): readonly RoleDifference[] {
  const found = observed.logins.find(({ name }) => name === login.name)
  if (found === undefined) return login.verifier === undefined ? [] : [missingLogin(wish, login, observed.token)]
  const { name: role } = login
  const password = passwordDifference(wish, login, found, observed.verdict)
  const isReplaced = password.some(({ ends }) => ends === role)
  const attributes = {
    ...unless(found.canLogin || isReplaced, { canLogin: true }),
    ...unless(found.inherits, { inherits: true }),
    ...unless(found.connectionLimit === wish.connectionLimit, { connectionLimit: wish.connectionLimit }),
    ...unless(found.canReplicate === wish.canReplicate, { canReplicate: wish.canReplicate }),
    ...unless(!found.canCreateDatabases, { canCreateDatabases: false }),
    ...unless(!found.canCreateRoles, { canCreateRoles: false }),
    ...unless(found.validUntil === undefined, { validUntil: null }),
    ...unless(!found.isSuperuser, { isSuperuser: false as const }),
    ...unless(!found.bypassesRowSecurity, { bypassesRowSecurity: false as const }),
  }
  return [
    ...difference('LoginAttributes', Object.keys(attributes), (names) => ({
      message: `role ${role} has other attributes than asked for: ${names}`,
      changes: [{ kind: 'alterRole', role, attributes }],
    })),
    ...membershipDifferences('LoginMemberships', found, [wish.group]),
    ...settingDifferences(wish, found),
    ...password,
  ]
}

function missingLogin(wish: DesiredRole, { name: role, verifier }: LoginRole, token: Token): RoleDifference {
  const attributes = {
    canLogin: true,
    inherits: true,
    connectionLimit: wish.connectionLimit,
    canReplicate: wish.canReplicate,
    ...(verifier === undefined ? {} : { verifier }),
  }
  return {
    reason: 'LoginMissing',
    message: `role ${role} is missing`,
    isWished: isDue(wish, role),
    steps: [
      {
        at: 'server',
        changes: [
          { kind: 'createRole', role, token, attributes },
          { kind: 'grantMembership', role: wish.group, member: role, inherits: true, canSet: true },
          ...settingsOf(wish).map((setting) => ({ ...setting, kind: 'setRoleSetting', role }) as const),
        ],
      },
    ],
  }
}

interface Setting {
  readonly database: string | undefined
  readonly name: string
  readonly value: string
}

function settingsOf(wish: DesiredRole): readonly Setting[] {
  return [
    ...Object.entries(wish.settings).map(([name, value]) => ({ database: undefined, name: name.toLowerCase(), value })),
    ...wish.databases.map((database) => ({
      database: database.name,
      name: 'role',
      value: sessionRoleOf(wish, database),
    })),
  ]
}

function settingDifferences(
  wish: DesiredRole,
  { name: role, settings: found }: ObservedRole,
): readonly RoleDifference[] {
  const wanted = settingsOf(wish)
  const at = ({ database, name }: Setting) => `${name}${database === undefined ? '' : ` in database ${database}`}`
  const asked = new Set(wanted.map(at))
  const held = new Map(found.map((setting) => [at(setting), setting.value]))
  const holds = (setting: Setting) => {
    const value = held.get(at(setting))
    return value !== undefined && isSameSetting(setting.name, value, setting.value)
  }
  const different = wanted.filter((setting) => !holds(setting))
  const extra = found.filter((setting) => !asked.has(at(setting)))
  return difference('LoginSettings', [...different, ...extra].map(at), (names) => ({
    message: `role ${role} begins with other settings than asked for: ${names}`,
    changes: [
      ...different.map((setting) => ({ ...setting, kind: 'setRoleSetting', role }) as const),
      ...extra.map(({ database, name }) => ({ kind: 'resetRoleSetting', role, database, name }) as const),
    ],
  }))
}

/** Returns whether the role's credential is not verified yet. Until then, its absence on the server is no drift. */
function isDue({ credential, isVerified }: DesiredRole, role: string): boolean {
  return credential?.username === role && !isVerified
}

/**
 * Without the right to read verifiers, the admin relies on a rejected login, or on NOLOGIN from an interrupted
 * replacement.
 */
function passwordDifference(
  wish: DesiredRole,
  { name: role, verifier }: LoginRole,
  { verifierMatches, canLogin }: ObservedRole,
  verdict: LoginVerdict | undefined,
): readonly RoleDifference[] {
  if (verifier === undefined) return []
  const isRotation = isDue(wish, role)
  const isRefused =
    verifierMatches === undefined &&
    wish.credential?.username === role &&
    (verdict === 'WrongPassword' || (isRotation && !canLogin))
  if (verifierMatches !== false && !isRefused) return []
  const isKept = isRotation && wish.endsSessions !== true
  return [
    {
      reason: 'PasswordDiffers',
      message: `the password of role ${role} is not the Secret's`,
      isWished: isRotation,
      ...(isKept
        ? { steps: [{ at: 'server', changes: [{ kind: 'alterRole', role, attributes: { verifier } }] }] }
        : replacedPassword({ role, verifier })),
    },
  ]
}

/**
 * Replaces a password that may have leaked. A session can set the password of its role. Therefore the role loses login
 * and password first, its sessions end, and then the new password takes effect. After a crash in between, the missing
 * password is a difference.
 */
export function replacedPassword({
  role,
  verifier,
}: {
  readonly role: string
  readonly verifier: string
}): Pick<RoleDifference, 'steps' | 'ends'> {
  const alter = (attributes: RoleAttributes) => [{ kind: 'alterRole', role, attributes }] as const
  return {
    steps: [
      { at: 'server', changes: alter({ canLogin: false, verifier: null }) },
      { at: 'ended', changes: alter({ canLogin: true, verifier }) },
    ],
    ends: role,
  }
}

/** Drops a login. Its sessions act as the group, so it usually owns nothing. Any objects of its own go to the group. */
function retirement({ group }: DesiredRole, { name: role, dependents }: ObservedRole): RoleDifference {
  const inside = dependents.filter(({ database, owned, granted }) => database !== '' && owned + granted > 0)
  return {
    reason: 'LoginRetired',
    message: `role ${role} is not to log in any more`,
    isWished: true,
    steps: [
      { at: 'server', changes: [{ kind: 'alterRole', role, attributes: { canLogin: false } }] },
      ...inside.map(({ database }) => ({ at: 'database', database, changes: handOver(role, group) }) as const),
      // A transfer in any database includes shared objects. Without such a database they are transferred here.
      {
        at: 'last',
        changes: [
          ...(inside.length === 0 && dependents.length > 0 ? handOver(role, group) : []),
          { kind: 'dropRole', role },
        ],
      },
    ],
    ends: role,
  }
}

/** Closes a database that the spec no longer lists: the role loses its rights there, and the owner gets its objects. */
function closing(wish: DesiredRole, { database: { name, owner }, owned, revocations }: Elsewhere): RoleDifference {
  const { group, ownedObjects } = wish
  const isBlocked = owned > 0 && ownedObjects === 'Block'
  const given: readonly Change[] = owned > 0 ? [{ kind: 'reassignOwned', role: group, to: owner }] : []
  return {
    reason: 'DatabaseClosed',
    message: `role ${group} has rights in database ${name}, which is not in spec.databases`,
    steps: isBlocked ? [] : [{ at: 'database', database: name, changes: [...given, ...revocations] }],
    ...(isBlocked
      ? {
          obstacle: `role ${group} owns ${owned} objects in database ${name}; give them to others, or set spec.ownedObjects to ReassignToOwner`,
        }
      : {}),
  }
}

interface Correction {
  readonly message: string
  readonly changes: readonly Change[]
}

/** Most names in one message. */
const mostNamed = 100

/** Returns one difference for all names; none if there are no names. */
function difference(
  reason: RoleDifferenceReason,
  names: readonly string[],
  correct: (names: string) => Correction,
): readonly RoleDifference[] {
  if (names.length === 0) return []
  const { message, changes } = correct(nameList(names, mostNamed))
  return [{ reason, message, steps: changes.length === 0 ? [] : [{ at: 'server', changes }] }]
}

function unless<Attributes extends object>(isSo: boolean, attributes: Attributes): Partial<Attributes> {
  return isSo ? {} : attributes
}
