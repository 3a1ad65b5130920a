// Status of a DatabaseUser: roles and times from the Secret, and rights as last observed on the server. Each part that
// can fail by itself has a condition. Pure.
import type { DatabaseUserSpec, DatabaseUserStatus } from '../../../imports/wire/database-user.ts'
import { type ConditionClaim, type EventReport, findCondition, isBeingDeleted, type StatusReport } from '../../index.ts'
import { groupRoleOf } from './login-roles.ts'
import { passwordRule } from './password-rule.ts'
import { retiredLogins } from './role-plan.ts'
import { credentialHash, type Held, loginsOf, rotationDueMs } from './rotation.ts'
import { isStored } from './stored-secret.ts'
import { conditionsOf, grantCounts, type RoleReport, type UserContext } from './user-conditions.ts'
import { dueTimes } from './user-due.ts'
import { isRestored } from './user-role.ts'

type Fields = StatusReport<DatabaseUserStatus>['fields']

export function databaseUserStatus(context: UserContext, report: RoleReport): StatusReport<DatabaseUserStatus> {
  const conditions = conditionsOf(context, report)
  const { object, facts } = context
  return {
    fields: fieldsOf(context, report, conditions),
    conditions,
    events: eventsOf(context, conditions),
    dueAtMs: isBeingDeleted(object) ? [] : dueTimes(passwordRule(object.spec, {}), facts?.held, report?.observed),
  }
}

function fieldsOf(
  { object, facts, children }: UserContext,
  report: RoleReport,
  conditions: readonly ConditionClaim[],
): Fields {
  const { spec, status } = object
  const held = facts?.held
  const isTold = held !== undefined && isStored(held, children)
  const isDisabled = spec.password?.disabled === true
  return {
    groupRole: groupRoleOf(object),
    databases: spec.databases.length,
    access: accessWord(spec),
    ...(isTold
      ? heldFields(object, held, isCarriedOut(held, facts, report))
      : isDisabled
        ? {}
        : rememberedFields(status)),
    ...grantFields(object, report),
    ...placeFields(object, facts, report),
    ...loginFields(object, report, conditions),
  }
}

function accessWord({ databases }: DatabaseUserSpec): string {
  const words = new Set(databases.map(({ access }) => access))
  const [word = ''] = words
  return words.size === 1 ? word : 'Mixed'
}

/**
 * Returns whether the password is in effect and no retired login is left. Until then the rotation trigger decides how
 * the password is replaced.
 */
function isCarriedOut(held: Held, facts: UserContext['facts'], report: RoleReport): boolean {
  const { active, next } = held
  const observed = report?.observed
  const provenHash = observed?.provenHash ?? facts?.provenHash
  const isLeft = observed !== undefined && retiredLogins({ logins: loginsOf(held) }, observed).length > 0
  return next === undefined && provenHash === credentialHash(active) && !isLeft
}

function heldFields({ metadata, spec, status }: UserContext['object'], held: Held, isDone: boolean): Partial<Fields> {
  const { active, previous, rotatedAtMs, generation } = held
  const trigger = isDone ? held.trigger : status?.lastRotationTrigger
  const rule = passwordRule(spec, {})
  const dueMs = rule.kind === 'generate' ? rotationDueMs(rule, held) : undefined
  return {
    loginRoles: [
      { name: active.username, active: true },
      ...(previous === undefined
        ? []
        : [{ name: previous.username, active: false, validUntil: timestamp(previous.untilMs) }]),
    ],
    binding: { name: spec.secret.name ?? `${metadata.name}-db` },
    passwordGeneration: generation,
    lastRotatedAt: timestamp(rotatedAtMs),
    ...(dueMs === undefined ? {} : { nextRotationAt: timestamp(dueMs) }),
    ...(trigger === undefined ? {} : { lastRotationTrigger: trigger }),
  }
}

/** Returns the previous values, which stay while the Secret cannot be read or is being created again. */
function rememberedFields(status: DatabaseUserStatus | undefined): Partial<Fields> {
  const { loginRoles, binding, passwordGeneration, lastRotatedAt, nextRotationAt, lastRotationTrigger } = status ?? {}
  return {
    ...(loginRoles === undefined ? {} : { loginRoles }),
    ...(binding === undefined ? {} : { binding }),
    ...(passwordGeneration === undefined ? {} : { passwordGeneration }),
    ...(lastRotatedAt === undefined ? {} : { lastRotatedAt }),
    ...(nextRotationAt === undefined ? {} : { nextRotationAt }),
    ...(lastRotationTrigger === undefined ? {} : { lastRotationTrigger }),
  }
}

function grantFields({ status }: UserContext['object'], report: RoleReport): Partial<Fields> {
  const { grants } = status ?? {}
  if (report?.observed === undefined) return grants === undefined ? {} : { grants }
  const { desired, held: observed, missing, extra } = grantCounts(Object.values(report.observed.grants))
  return { grants: { desired, observed, missing, extra } }
}

/** A restored database keeps its previous OID in the status until the user has all desired rights in it. */
function placeFields(
  { status }: UserContext['object'],
  facts: UserContext['facts'],
  report: RoleReport,
): Partial<Fields> {
  const { grantedIn: told } = status ?? {}
  const { observed, state } = report ?? {}
  if (facts?.target === undefined || observed === undefined || state !== 'available') {
    return told === undefined ? {} : { grantedIn: told }
  }
  const grantedIn = facts.target.databases.flatMap((database) => {
    const { name, oid } = database
    const lacks = (observed.grants[name]?.missing.length ?? 0) > 0
    const known = told?.filter((one) => one.database === name) ?? []
    return oid === undefined || (lacks && isRestored(database, status)) ? known : [{ database: name, databaseOID: oid }]
  })
  return { grantedIn }
}

/**
 * Keeps the time of the last login while the credential is the same and works, so that observations do not change it.
 */
function loginFields(
  { status }: UserContext['object'],
  report: RoleReport,
  conditions: readonly ConditionClaim[],
): Partial<Fields> {
  const { secretHash: before, lastVerifiedLogin: lastLogin } = status ?? {}
  const secretHash = report?.observed === undefined ? before : report.observed.provenHash
  const isVerified = conditions.some(({ type, status: is }) => type === 'LoginVerified' && is === 'True')
  const wasVerified = findCondition(status?.conditions, 'LoginVerified')?.status === 'True'
  const isNew = isVerified && report?.observed?.verdict === 'Verified' && !(wasVerified && secretHash === before)
  const time = isNew && report?.seenAtMs !== undefined ? timestamp(report.seenAtMs) : lastLogin
  return {
    ...(secretHash === undefined ? {} : { secretHash }),
    ...(time === undefined ? {} : { lastVerifiedLogin: time }),
  }
}

/** Returns Events for a lost password, a rotation, and a new problem with the password's source. */
function eventsOf(
  { object, facts, children }: UserContext,
  conditions: readonly ConditionClaim[],
): readonly EventReport[] {
  const { status } = object
  if (facts === undefined || isBeingDeleted(object)) return []
  const { held, isRemade, trouble } = facts
  const isTold = held !== undefined && isStored(held, children)
  const generation = isTold ? held.generation : 0
  const before = status?.passwordGeneration ?? 0
  const events: EventReport[] = []
  if (isRemade && isTold) {
    const note = 'the Secret had lost the password, so that a new one was made; whoever has the old one is refused'
    events.push({ type: 'Warning', reason: 'PasswordRemade', action: 'Rotate', note })
  } else if (before > 0 && generation > before) {
    const until =
      held?.previous === undefined ? '' : `; ${held.previous.username} works until ${timestamp(held.previous.untilMs)}`
    const note = `the Secret has password number ${generation}, for ${held?.active.username}${until}`
    events.push({ type: 'Normal', reason: 'PasswordRotated', action: 'Rotate', note })
  }
  const secretReady = conditions.find(({ type }) => type === 'SecretReady')
  const isNew = findCondition(status?.conditions, 'SecretReady')?.reason !== secretReady?.reason
  if (trouble !== undefined && isNew) {
    events.push({ type: 'Warning', reason: trouble.reason, action: 'Rotate', note: trouble.message })
  }
  return events
}

/** Returns RFC 3339 in whole seconds, like all times of the API. */
function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}Z`
}
