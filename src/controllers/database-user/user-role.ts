// External resource of a DatabaseUser: its roles, their desired state and their removal.
import type { DatabaseUserSpec, DatabaseUserStatus } from '../../../imports/wire/database-user.ts'
import {
  abandonAnnotation,
  type DesiredExternal,
  defineExternal,
  type ExternalContext,
  type ExternalRemoval,
  type ExternalRemovalContext,
  type ExternalTools,
} from '../../index.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import type { DatabaseUserFacts } from './database-user-facts.ts'
import type { DatabaseAccess, DesiredRole } from './desired-role.ts'
import { groupRoleOf, loginRolesOf } from './login-roles.ts'
import { RoleDriver } from './role-driver.ts'
import { credentialHash, type Held, loginsOf, newestOf } from './rotation.ts'
import { isStored } from './stored-secret.ts'
import type { Problem, UserTarget } from './user-target.ts'

type Context = ExternalContext<DatabaseUserSpec, DatabaseUserStatus, DatabaseUserFacts>
type RemovalContext = ExternalRemovalContext<DatabaseUserSpec, DatabaseUserStatus, DatabaseUserFacts>
type DesiredUserRole = DesiredExternal<DesiredRole>

/** Name of the journal entry in `status.external`. */
export const roleName = 'role'

export function userRole(engineFor: (tools: ExternalTools) => DatabaseEngine) {
  return defineExternal({
    name: roleName,
    driver: (tools: ExternalTools) => new RoleDriver(engineFor(tools), tools),
    desired: desiredRole,
    removal: roleRemoval,
  })
}

export function desiredRole({ object, facts, children }: Context): DesiredUserRole {
  const { problem, target, held, trouble } = facts
  if (isShutOut({ object, facts }) && target !== undefined) {
    return target.move === undefined ? desiredLockout(object, target) : { ...target.move, kind: 'blocked' }
  }
  if (problem !== undefined) return { ...problem, kind: 'blocked' }
  if (target === undefined) return { kind: 'blocked', reason: 'DatabaseMissing', message: 'no server is known' }
  if (held === undefined && object.spec.password?.disabled !== true) {
    const why = trouble ?? { reason: 'SourceMissing', message: 'there is no password yet' }
    return { ...why, kind: 'blocked' }
  }
  if (held !== undefined && !isStored(held, children)) {
    return {
      kind: 'blocked',
      reason: 'SecretNotWritten',
      message: 'the Secret is not written; the server hears of no password before',
    }
  }
  const { adoptionPolicy, driftPolicy } = object.spec
  return {
    kind: 'wanted',
    externalName: groupRoleOf(object),
    desired: {
      ...desiredOf(object, { target, held, provenHash: facts.provenHash, ending: undefined }),
      ...(facts.lastExpiryMs === undefined ? {} : { lastExpiryMs: facts.lastExpiryMs }),
    },
    adopts: adoptionPolicy === 'Adopt',
    driftPolicy,
    // A role is no more than its attributes, so it can be created again.
    recreatesIfMissing: driftPolicy === 'Correct',
  }
}

/**
 * Returns whether the user has roles on this very server and is no longer allowed there. A user without roles on the
 * server has nothing to lose there.
 */
export function isShutOut({ object, facts: { problem, target } }: Pick<Context, 'object' | 'facts'>): boolean {
  if (problem?.isShutOut !== true || target === undefined) return false
  const record = object.status?.external?.find(({ name }) => name === roleName)
  return record?.providerID?.startsWith(`pg://${target.systemIdentifier}/`) === true
}

/**
 * Returns a desired state that grants nothing and only removes logins, so that other fields of the spec do not matter.
 */
function desiredLockout(object: Context['object'], target: UserTarget): DesiredUserRole {
  const desired = desiredOf(object, { target, held: undefined, provenHash: undefined, ending: undefined })
  return {
    kind: 'wanted',
    externalName: groupRoleOf(object),
    desired: { ...desired, databases: [], memberOf: [], isShutOut: true },
    driftPolicy: object.spec.driftPolicy,
  }
}

export function roleRemoval(context: RemovalContext): ExternalRemoval<DesiredRole> {
  const removal = plainRemoval(context)
  const abandonment = context.facts?.abandonment
  if (abandonment === undefined || removal.kind === 'keep') return removal
  if (abandonment.kind === 'refused')
    return { kind: 'blocked', reason: 'AbandonmentRefused', message: abandonment.message }
  const group = groupRoleOf(context.object)
  const roles = [group, ...loginRolesOf(group)].join(', ')
  const place = abandonment.place ?? 'their server'
  return {
    kind: 'keep',
    note: `the roles ${roles}, as far as they are there, stay on ${place} and can still log in: abandoned by the annotation ${abandonAnnotation}; drop them by hand`,
  }
}

function plainRemoval({ object, facts }: RemovalContext): ExternalRemoval<DesiredRole> {
  const group = groupRoleOf(object)
  if (facts === undefined) {
    return {
      kind: 'blocked',
      reason: 'DatabasesUnknown',
      message: 'its Databases could not be looked up; the roles wait for it',
    }
  }
  const { target, problem } = facts
  if (target?.move !== undefined) return { ...target.move, kind: 'blocked' }
  if (target === undefined && problem?.kind === 'waiting') return { ...problem, kind: 'blocked' }
  if (target === undefined) {
    const roles = [group, ...loginRolesOf(group)].join(', ')
    return {
      kind: 'keep',
      note: `the roles ${roles}, as far as they are there, stay on their server: ${whyKept(problem)}`,
    }
  }
  const ending = object.spec.deletionPolicy === 'Retain' ? 'disable' : 'drop'
  return {
    kind: 'remove',
    externalName: group,
    desired: desiredOf(object, { target, held: undefined, provenHash: undefined, ending }),
  }
}

function whyKept(problem: Problem | undefined): string {
  return problem?.message ?? 'nobody knows how to reach it any more'
}

interface Known {
  readonly target: UserTarget
  readonly held: Held | undefined
  readonly provenHash: string | undefined
  readonly ending: DesiredRole['ending']
}

function desiredOf({ metadata, kind, spec, status }: Context['object'], known: Known): DesiredRole {
  const { held, provenHash, ending } = known
  const { move: _, databases, ...target } = known.target
  const credential = held === undefined ? undefined : newestOf(held)
  const verified = status?.conditions?.find(({ type }) => type === 'LoginVerified')
  return {
    ...target,
    databases: databases.map((database) =>
      isRestored(database, status) ? { ...database, isRestored: true } : database,
    ),
    caller: { kind, namespace: metadata.namespace ?? 'default', name: metadata.name },
    group: groupRoleOf({ metadata, spec }),
    logins: held === undefined ? [] : loginsOf(held),
    credential,
    ...(answersTrigger(held, status) ? { endsSessions: true } : {}),
    isVerified: credential !== undefined && credentialHash(credential) === provenHash && verified?.status === 'True',
    canCreateDatabases: spec.attributes.createdb,
    canReplicate: spec.attributes.replication,
    connectionLimit: spec.connectionLimit,
    memberOf: spec.memberOf ?? [],
    settings: spec.config ?? {},
    isShutOut: false,
    ownedObjects: spec.ownedObjects,
    ending,
  }
}

/** Returns whether `rotation.trigger` is in progress: the previous password may have leaked. */
function answersTrigger(held: Held | undefined, status: Context['object']['status']): boolean {
  return held?.trigger !== undefined && held.trigger !== status?.lastRotationTrigger
}

/** Returns whether the database is another one than that in which the user's rights were last granted. */
export function isRestored({ name, oid }: DatabaseAccess, status: Context['object']['status']): boolean {
  const known = status?.grantedIn?.find(({ database }) => database === name)
  return known !== undefined && oid !== undefined && known.databaseOID !== oid
}
