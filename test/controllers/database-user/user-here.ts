// Fixture: one user on a real server without a cluster. It has a database with its owner, desired states, and the
// driver, called as the runtime calls it.
import { randomBytes } from 'node:crypto'
import { systemClock } from '../../../src/base/clock.ts'
import type { DatabaseAccess, DesiredRole } from '../../../src/controllers/database-user/desired-role.ts'
import { loginRolesOf } from '../../../src/controllers/database-user/login-roles.ts'
import type { ObservedUser, RoleDifference } from '../../../src/controllers/database-user/role-difference.ts'
import { RoleDriver } from '../../../src/controllers/database-user/role-driver.ts'
import type { Credential } from '../../../src/controllers/database-user/rotation.ts'
import type { DatabaseEngine } from '../../../src/controllers/engines/engine.ts'
import { scramVerifier } from '../../../src/controllers/engines/postgres/scram.ts'
import type { ServerAccess } from '../../../src/controllers/engines/server-access.ts'
import type { ExternalCall, Observation } from '../../../src/index.ts'

const signal = new AbortController().signal

export function credentialOf(username: string, password = randomBytes(18).toString('base64url')): Credential {
  return { username, password, verifier: scramVerifier({ password, salt: randomBytes(16) }) }
}

/** A database as the controller of Database creates it, for each name: its owner, hardened. */
export async function makeDatabases(engine: DatabaseEngine, access: ServerAccess, ...names: string[]): Promise<string> {
  const server = engine.server(access, { caller: { kind: 'Database', namespace: 'default', name: 'test' }, signal })
  for (const name of names) {
    const [owner, token] = [`${name}_owner`, { uid: `of ${name}`, generation: 1 }]
    await server.change([{ kind: 'createRole', role: owner, token, attributes: { canLogin: false } }])
    await server.createDatabase({ name, owner, token })
    await server.change([{ kind: 'hardenDatabase', database: name }])
    await server.change([{ kind: 'hardenSchema', schema: 'public' }], { database: name })
  }
  return (await server.observe({})).server.systemIdentifier
}

export interface UserHere {
  readonly group: string
  readonly credential: Credential
  readonly wish: DesiredRole
}

export interface UserAsk {
  readonly access: ServerAccess
  readonly systemIdentifier: string
  readonly group: string
  readonly databases: readonly (Partial<DatabaseAccess> & { readonly name: string })[]
}

/** A user with a password of its own. */
export function userOf({ group, databases, ...place }: UserAsk, more: Partial<DesiredRole> = {}): UserHere {
  const credential = credentialOf(loginRolesOf(group)[0])
  const { username: name, verifier } = credential
  const wish: DesiredRole = {
    ...place,
    caller: { kind: 'DatabaseUser', namespace: 'default', name: group },
    group,
    logins: [{ name, verifier }],
    credential,
    isVerified: false,
    canCreateDatabases: false,
    canReplicate: false,
    connectionLimit: -1,
    memberOf: [],
    settings: {},
    databases: databases.map((database) => ({
      ...{
        uid: `of ${database.name}`,
        owner: `${database.name}_owner`,
        access: 'ReadWrite',
        schemas: ['public'],
        grants: [],
      },
      ...database,
    })),
    isShutOut: false,
    ownedObjects: 'ReassignToOwner',
    ending: undefined,
    ...more,
  }
  return { group, credential, wish }
}

export function callOf(desired: DesiredRole, more: Partial<ExternalCall<DesiredRole>> = {}): ExternalCall<DesiredRole> {
  const token = { uid: `uid of ${desired.group}`, generation: 1 }
  const externalName = desired.group
  return { desired, externalName, namespace: 'team', token, providerID: undefined, adopts: false, signal, ...more }
}

export interface Converged {
  /** Differences at the first observation. */
  readonly differences: readonly RoleDifference[]
  readonly observed: ObservedUser
}

/** One pass: observe, create, observe, correct, observe. */
export async function converge(driver: RoleDriver, call: ExternalCall<DesiredRole>): Promise<Converged> {
  let seen = await driver.observe(call)
  if (seen.kind === 'absent') {
    await driver.create(call)
    seen = await driver.observe(call)
  }
  const before = available(seen)
  const differences = driver.differences(call.desired, before)
  if (differences.length > 0) await driver.update(call, before, differences)
  return { differences, observed: available(await driver.observe(call)) }
}

export async function remove(driver: RoleDriver, call: ExternalCall<DesiredRole>): Promise<Observation<ObservedUser>> {
  const seen = await driver.observe(call)
  if (seen.kind === 'available') await driver.delete(call, seen.observed)
  return await driver.observe(call)
}

export function available(seen: Observation<ObservedUser>): ObservedUser {
  if (seen.kind !== 'available') throw new Error(`the roles are ${JSON.stringify(seen)}`)
  return seen.observed
}

export function driverOver(engine: DatabaseEngine): RoleDriver {
  return new RoleDriver(engine, { clock: systemClock })
}
