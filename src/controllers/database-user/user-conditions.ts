// Conditions of a DatabaseUser: one each for the Secret, the roles, the rights and the login. Ready has the reason of
// the first one that is False. Pure.
import type { DatabaseUserSpec, DatabaseUserStatus } from '../../../imports/wire/database-user.ts'
import { type ConditionClaim, type ExternalReport, isBeingDeleted, type StatusContext } from '../../index.ts'
import type { LoginVerdict } from '../engines/engine.ts'
import type { GrantPlan } from '../engines/grants.ts'
import { isReservedSchema, reservedSchemaMessage } from '../engines/reserved-schema.ts'
import { isUnrequested, unknownSince } from '../engines/unrequested.ts'
import type { DatabaseUserFacts } from './database-user-facts.ts'
import { groupRoleOf } from './login-roles.ts'
import type { ObservedUser } from './role-difference.ts'
import { retiredLogins } from './role-plan.ts'
import { credentialHash, newestOf } from './rotation.ts'
import { secretReasons } from './secret-problem.ts'
import { isStored } from './stored-secret.ts'
import { isShutOut } from './user-role.ts'
import type { Problem } from './user-target.ts'

export type UserContext = StatusContext<DatabaseUserSpec, DatabaseUserStatus, DatabaseUserFacts>
export type RoleReport = ExternalReport<ObservedUser> | undefined

/** Conditions about the server. */
export const partTypes: readonly string[] = ['RoleReady', 'GrantsInSync', 'LoginVerified']

export function conditionsOf(context: UserContext, report: RoleReport): readonly ConditionClaim[] {
  const { object, facts, outcome } = context
  if (isBeingDeleted(object)) return deletionBlocked(report)
  if (facts === undefined) return []
  const shutOut = facts.problem !== undefined && isShutOut({ object, facts }) ? facts.problem : undefined
  const parts = [
    ...secretReady(context, facts),
    ...(shutOut === undefined ? partsOf(context, facts, report) : shutOutParts(context, shutOut, report)),
  ]
  const amiss = parts.find(({ status }) => status === 'False')
  // After a failed reconcile the runtime's own conditions say more.
  const isOver = outcome.kind === 'settled' || outcome.kind === 'waiting'
  return [
    ...(isOver ? readiness(facts, amiss, outcome.kind === 'settled') : []),
    ...parts,
    ...rotationDue(facts, shutOut, report),
  ]
}

function partsOf({ object }: UserContext, facts: DatabaseUserFacts, report: RoleReport): readonly ConditionClaim[] {
  const unseen = facts.problem ?? (isUnseen(report) ? report : undefined)
  if (unseen !== undefined) return unknownSince(object.status, partTypes, unseen)
  return [...roleReady(report), ...grantsInSync(object.spec, report), ...loginVerified(facts, report)]
}

/** Returns conditions of a user without consent: its login roles are removed, and nothing else is compared. */
function shutOutParts(
  { object }: UserContext,
  { reason, message }: Problem,
  report: RoleReport,
): readonly ConditionClaim[] {
  const observed = report?.observed
  if (observed === undefined || isUnseen(report)) {
    return unknownSince(object.status, partTypes, report ?? { reason, message })
  }
  const unknown = (...types: readonly string[]) => unknownSince(object.status, types, { reason, message })
  const logins = retiredLogins({ logins: [] }, observed).map(({ name }) => name)
  if (report?.state !== 'available') return [...roleReady(report), ...unknown('GrantsInSync', 'LoginVerified')]
  if (logins.length > 0) {
    const text = `role ${logins.join(' and ')} is there and is about to be removed: ${message}`
    return [claim('RoleReady', 'False', reason, text), ...unknown('GrantsInSync', 'LoginVerified')]
  }
  const text = `role ${groupRoleOf(object)} has no login role any more: ${message}`
  return [
    claim('RoleReady', 'False', 'LoginRemoved', text),
    ...unknown('GrantsInSync'),
    claim('LoginVerified', 'False', 'LoginRemoved', `the password in the Secret opens nothing: ${message}`),
  ]
}

/** Returns whether the server was not observed. */
function isUnseen(report: RoleReport): boolean {
  return report !== undefined && (report.state === 'blocked' || isUnrequested(report))
}

function readiness(
  { problem }: DatabaseUserFacts,
  amiss: ConditionClaim | undefined,
  isSettled: boolean,
): readonly ConditionClaim[] {
  if (problem?.kind === 'refused') {
    const types = [
      ['Ready', 'False'],
      ['Degraded', 'True'],
      ['Stalled', 'True'],
    ] as const
    return types.map(([type, status]) => claim(type, status, problem.reason, problem.message))
  }
  if (problem !== undefined) {
    const { reason, message } = problem
    return [claim('Ready', 'False', reason, message), claim('Progressing', 'True', reason, message)]
  }
  if (amiss !== undefined) return [claim('Ready', 'False', amiss.reason, amiss.message)]
  return isSettled ? [claim('Ready', 'True', 'InSync', 'roles, rights and Secret are as asked for')] : []
}

function secretReady({ object, children }: UserContext, facts: DatabaseUserFacts): readonly ConditionClaim[] {
  if (object.spec.password?.disabled === true) return []
  const { trouble, held, problem } = facts
  if (problem !== undefined && secretReasons.has(problem.reason))
    return [claim('SecretReady', 'False', problem.reason, problem.message)]
  if (trouble !== undefined) return [claim('SecretReady', 'False', trouble.reason, trouble.message)]
  if (held !== undefined && isStored(held, children)) {
    const reason = held.source === 'generate' ? 'Generated' : 'Supplied'
    return [claim('SecretReady', 'True', reason, `password number ${held.generation} is for ${held.active.username}`)]
  }
  return []
}

const unreadyStates: readonly string[] = ['notOwned', 'vanished', 'broken', 'failed']

function roleReady(report: RoleReport): readonly ConditionClaim[] {
  if (report === undefined) return []
  const { state, reason, message, drift } = report
  if (state === 'available') {
    const differing = drift.filter((change) => !change.reason.startsWith('Grant'))
    const [first] = differing
    return first === undefined
      ? [claim('RoleReady', 'True', 'InSync', 'the roles are as asked for')]
      : [claim('RoleReady', 'False', first.reason, differing.map((one) => one.message).join('; '))]
  }
  return unreadyStates.includes(state) ? [claim('RoleReady', 'False', reason, message)] : []
}

function grantsInSync({ databases }: DatabaseUserSpec, report: RoleReport): readonly ConditionClaim[] {
  if (report?.observed === undefined) return []
  const reserved = databases.flatMap(({ schemas }) => schemas.filter(isReservedSchema))
  if (reserved.length > 0) {
    return [claim('GrantsInSync', 'False', 'ReservedSchema', reservedSchemaMessage('spec.databases', reserved))]
  }
  const { grants, unread = [] } = report.observed
  if (unread.length > 0)
    return [claim('GrantsInSync', 'False', 'GrantsUnreadable', unread.map(({ message }) => message).join('; '))]
  const counts = grantCounts(Object.values(grants))
  const told = (reason: string) =>
    report.drift.filter((change) => change.reason === reason).map(({ message }) => message)
  if (counts.missing > 0) {
    const message = told('GrantMissing').join('; ') || `${counts.missing} privileges are missing`
    return [claim('GrantsInSync', 'False', 'MissingGrants', message)]
  }
  if (counts.notFound.length > 0) {
    const message = `not there: ${counts.notFound.join(', ')}; it is looked for again every few minutes`
    return [claim('GrantsInSync', 'False', 'ObjectNotFound', message)]
  }
  const revoked = report.corrected.filter(({ reason }) => reason === 'GrantExtra')
  if (revoked.length > 0) {
    return [claim('GrantsInSync', 'True', 'ExtraGrantsRevoked', revoked.map(({ message }) => message).join('; '))]
  }
  if (counts.extra > 0) return [claim('GrantsInSync', 'True', 'ExtraGrants', told('GrantExtra').join('; '))]
  return [claim('GrantsInSync', 'True', 'InSync', `${counts.held} of ${counts.desired} privileges are held`)]
}

const verdictMessages: Readonly<Record<Exclude<LoginVerdict, 'Verified'>, string>> = {
  WrongPassword: 'the server refuses the password',
  Expired: 'the password of the role has expired',
  Disabled: 'the role may not log in',
  Rejected: 'the server lets nobody in from here as this role',
  ConnectNotGranted: 'the role may not connect to the database',
  RoleMissing: 'the role is not there',
  DatabaseMissing: 'the database is not there',
  TooManyConnections: 'the limit of connections is reached',
}

function loginVerified({ held }: DatabaseUserFacts, report: RoleReport): readonly ConditionClaim[] {
  const observed = report?.observed
  if (held === undefined || observed === undefined) return []
  const { verdict, provenHash, logins } = observed
  const newest = newestOf(held)
  if (verdict !== undefined && verdict !== 'Verified') {
    return [claim('LoginVerified', 'False', verdict, verdictMessages[verdict])]
  }
  if (provenHash !== credentialHash(newest)) return []
  const login = logins.find(({ name }) => name === newest.username)
  if (login?.hasExpired === true) return [claim('LoginVerified', 'False', 'Expired', verdictMessages.Expired)]
  if (login?.canLogin === false) return [claim('LoginVerified', 'False', 'Disabled', verdictMessages.Disabled)]
  if (newest.password === undefined) {
    return [
      claim(
        'LoginVerified',
        'Unknown',
        'PasswordUnknown',
        'only a verifier was supplied, with which nobody can log in',
      ),
    ]
  }
  return [claim('LoginVerified', 'True', 'Verified', `${newest.username} logs in`)]
}

/** Returns RotationDue during a rotation, and while the previous login still works. */
function rotationDue(
  { held }: DatabaseUserFacts,
  shutOut: Problem | undefined,
  report: RoleReport,
): readonly ConditionClaim[] {
  if (held?.next !== undefined) {
    const isBlocked = report !== undefined && report.state !== 'available' && report.state !== 'pending'
    const obstacle = shutOut ?? (isBlocked ? report : undefined)
    if (obstacle !== undefined) {
      return [claim('RotationDue', 'True', 'Blocked', `the next password waits: ${obstacle.message}`)]
    }
    return [claim('RotationDue', 'True', 'Scheduled', 'the next password is on its way to the server')]
  }
  if (held?.previous === undefined || shutOut !== undefined) return []
  const { username, untilMs } = held.previous
  const until = new Date(untilMs).toISOString()
  return [claim('RotationDue', 'True', 'Overlap', `${username} goes on working until ${until}`)]
}

function deletionBlocked(report: RoleReport): readonly ConditionClaim[] {
  if (report === undefined || (report.state !== 'blocked' && report.state !== 'failed')) return []
  return [claim('DeletionBlocked', 'True', report.reason, report.message)]
}

function claim(type: string, status: ConditionClaim['status'], reason: string, message: string): ConditionClaim {
  return { type, status, reason, message }
}

/** Returns the sums over all databases, for the status. */
export function grantCounts(plans: readonly GrantPlan[]) {
  const sum = (count: (plan: GrantPlan) => number) => plans.reduce((total, plan) => total + count(plan), 0)
  return {
    desired: sum((plan) => plan.desired),
    held: sum((plan) => plan.held),
    missing: sum(({ missing }) => missing.length),
    extra: sum(({ extra }) => extra.length),
    notFound: [...new Set(plans.flatMap((plan) => plan.notFound))],
  }
}
