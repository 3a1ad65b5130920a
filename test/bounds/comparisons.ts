// Comparisons of two lists that tenants and servers make long: names of a spec with objects, settings, roles and
// databases of a server. Rows of inputs.ts. A comparison is linear in the sum of both lists, and runs in slices if they
// may have 600,000 names.

import type { DesiredRole } from '../../src/controllers/database-user/desired-role.ts'
import { roleDifferences } from '../../src/controllers/database-user/role-plan.ts'
import { removalSteps } from '../../src/controllers/database-user/role-removal.ts'
import type { DesiredGrant, GrantGroup, ObservedGrants } from '../../src/controllers/engines/grant.ts'
import { planGrants } from '../../src/controllers/engines/grants.ts'
import { grantsOf } from '../../src/controllers/engines/postgres/observe-database.ts'
import { serverObservation } from '../../src/controllers/engines/postgres/observe-server.ts'
import { checkStatements } from '../../src/controllers/engines/postgres/transaction-runner.ts'
import type { SlicedWork } from '../../src/controllers/engines/slice-runner.ts'
import { freezeState } from '../../src/controllers/engines/write-freeze.ts'
import type { BoundedInput } from './inputs.ts'

/** Largest number of names in a response of a server. */
const mostNames = 590_000
const longestName = 'x'.repeat(63)

const wish: DesiredGrant = {
  ...{ role: 'user', database: 'shop', access: 'Custom', schemas: ['s'], creators: ['owner'] },
  grants: Array.from({ length: 64 }, (_, grant) => ({
    objectType: 'Function',
    names: Array.from({ length: 256 }, (_, at) => `f${grant * 256 + at}`),
    privileges: ['EXECUTE'],
  })),
}
const empty: ObservedGrants = { majorVersion: 18, groups: [], defaults: [], roles: ['user', 'owner'], schemas: ['s'] }

function group(names: readonly string[], more: Partial<GrantGroup> = {}): GrantGroup {
  return {
    ...{ role: 'user', on: 'Function', schema: 's', table: '', names, privileges: ['EXECUTE'], grantable: [] },
    ...{ isOwner: false, isOfExtension: false, ...more },
  }
}

/** Returns names as JSON.parse gives them: flat strings, not ropes. */
function names(count: number, name: (at: number) => string): readonly string[] {
  return JSON.parse(JSON.stringify(Array.from({ length: count }, (_, at) => name(at)))) as readonly string[] // A list of strings, as written.
}

function* countsOf(of: DesiredGrant, observed: ObservedGrants): SlicedWork<unknown> {
  const { missing, extra, notFound } = yield* planGrants(of, observed)
  return [missing.length, extra.length, notFound.length]
}

function* isChecked(list: readonly string[]): SlicedWork<unknown> {
  const change = { kind: 'revoke', role: 'user', on: 'Function', table: '', privileges: ['EXECUTE'] } as const
  yield* checkStatements([{ ...change, schema: longestName, names: list }], { majorVersion: 18, isSuperuser: true })
  return true
}

const server = {
  ...{ version: '18.1', majorVersion: 18, systemIdentifier: '7', isReadOnly: false },
  admin: { role: 'admin', isSuperuser: true, canCreateDatabases: true, canCreateRoles: true },
}

/** Role without settings of its own, with values that its server adds. */
const role = {
  ...{
    name: 'user_a',
    oid: 1,
    comment: null,
    canLogin: true,
    isSuperuser: false,
    inherits: true,
    canCreateDatabases: false,
  },
  ...{ canCreateRoles: false, canReplicate: false, bypassesRowSecurity: false, connectionLimit: -1, hasExpired: false },
  ...{ validUntil: null, verifier: null, memberOf: null, members: null, reaches: null, settings: null, sessions: 0 },
  ...{ dependents: null },
}
const databases = names(32, (at) => `d${at}`).map((name) => ({ name, uid: name, owner: 'owner', access: 'ReadOnly' }))
const user = {
  ...{
    group: 'user',
    databases,
    settings: Object.fromEntries(names(50, (at) => `a.k${at}`).map((name) => [name, 'v'])),
  },
  ...{ logins: [{ name: 'user_a' }], memberOf: names(32, (at) => `m${at}`), connectionLimit: -1 },
} as unknown as DesiredRole // Only the compared fields.

function observed(count: number) {
  const settings = names(count, (at) => `b.${longestName}${at}=v`).map((text) => ({ database: 'd1', text }))
  const memberOf = names(count, (at) => `r${at}`).map((one) => ({
    ...{ role: one, member: 'user_a', grantors: ['x'], isAdmin: true, inherits: true, canSet: true },
  }))
  const dependents = names(count, (at) => `d${at}`).map((database) => ({ database, owned: 1, granted: 1 }))
  const found = { ...role, settings, memberOf, dependents }
  const { roles } = serverObservation(
    { server, databases: [], roles: [found] },
    {},
    { majorVersion: 18, isSuperuser: true },
  )
  return { group: roles[0], logins: roles, token: { uid: 'u', generation: 1 }, grants: {}, elsewhere: [] } as never
}

function rejection(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error instanceof Error ? error.name : error
  }
}

const bound = 'linear; 10 MiB of an answer; slices of 5 ms'
const ofOne = 'linear; 10,000 of one role or database'

export const comparisons: readonly BoundedInput[] = [
  {
    input: 'grants of a DatabaseUser and functions that are not named',
    from: 'user',
    bound,
    worst: () => {
      const groups = [group(names(mostNames, (at) => `"g${at}"(integer)`))]
      return () => countsOf(wish, { ...empty, groups })
    },
    comesTo: [0, 1, 16_384],
  },
  {
    input: 'grants of a DatabaseUser and functions that are named',
    from: 'user',
    bound,
    worst: () => {
      const groups = [
        group(
          names(mostNames, (at) => `f${at % 16_384}(integer)`),
          { privileges: [] },
        ),
      ]
      return () => countsOf(wish, { ...empty, groups })
    },
    comesTo: [1, 0, 0],
  },
  {
    input: 'grants of a DatabaseUser and objects that have all different rights',
    from: 'server',
    bound,
    worst: () => {
      const groups = names(37_000, (at) => `t${at}`).map((name) =>
        group([name], { on: 'Table', privileges: ['A', 'B'] }),
      )
      return () => countsOf(wish, { ...empty, groups })
    },
    comesTo: [0, 37_000, 16_384],
  },
  {
    input: 'default privileges',
    from: 'user',
    bound,
    worst: () => {
      const defaults = names(60_000, (at) => `s${at}`).map((schema) => ({
        ...{ role: 'user', creator: 'owner', schema, on: 'Table' as const, privileges: ['SELECT', 'UPDATE'] },
      }))
      const schemas = names(64, (at) => `s${at}`)
      const of = { ...wish, access: 'ReadOnly' as const, schemas, grants: [] }
      return () => countsOf(of, { ...empty, defaults, schemas, roles: ['user', 'owner'] })
    },
    comesTo: [64, 60_000, 0],
  },
  ...[mostNames, 600].map((count) => ({
    input: `statements about ${count} functions`,
    from: 'user' as const,
    bound: 'slices of 5 ms; 500 names and 64 KiB of them in one text',
    worst: () => {
      const types = Array.from({ length: 100 }, () => `"${longestName}"."${longestName}"`).join(', ')
      const list = names(count, (at) => (count === 600 ? `f${at}(${types})` : `f${at}()`))
      return () => isChecked(list)
    },
    comesTo: true,
  })),
  {
    input: 'privileges of one object',
    from: 'server',
    bound: '64',
    worst: () => {
      const groups = [group(['f()'], { privileges: names(mostNames, (at) => `p${at}`) })]
      return () => rejection(() => grantsOf({ majorVersion: 18, roles: [], schemas: [], groups, defaults: [] }))
    },
    comesTo: 'EngineError',
  },
  {
    input: 'settings and memberships of a role',
    from: 'user',
    bound: ofOne,
    worst: () => {
      const seen = observed(10_000)
      return () => roleDifferences(user, seen).length
    },
    comesTo: 7,
  },
  {
    input: 'settings and memberships of a role, one more',
    from: 'user',
    bound: ofOne,
    worst: () => () => rejection(() => observed(10_001)),
    comesTo: 'EngineError',
  },
  {
    input: 'databases in which a role has something',
    from: 'server',
    bound: ofOne,
    worst: () => {
      const seen = observed(10_000)
      const there = names(10_000, (at) => `d${at}`).map((name) => ({ name, owner: 'owner', ownerToken: { uid: 'u' } }))
      return () => removalSteps(user, seen, there as never).length
    },
    comesTo: 1,
  },
  {
    input: 'logins of a write freeze',
    from: 'server',
    bound: 'linear',
    worst: () => {
      const logins = names(20_000, (at) => `${longestName}${at}`)
      const seen = logins.map((name) => ({ name: `${name}x`, canLogin: true }))
      return () => freezeState({ logins }, { logins: seen, sessions: 0, prepared: 0 }).kind
    },
    comesTo: 'open',
  },
]
