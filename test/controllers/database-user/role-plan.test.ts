// Plan for a login whose password differs from the Secret's: keep its sessions, or replace the password and end them. A
// table of desired and observed state.
import { describe, expect, it } from 'vitest'
import type { DesiredRole } from '../../../src/controllers/database-user/desired-role.ts'
import type { ObservedUser } from '../../../src/controllers/database-user/role-difference.ts'
import { roleDifferences } from '../../../src/controllers/database-user/role-plan.ts'
import type { ObservedRole } from '../../../src/controllers/engines/observed-server.ts'
import { userOf } from './user-here.ts'

const access = {
  host: 'db.example',
  port: 5432,
  username: 'op',
  maintenanceDatabase: 'postgres',
} as DesiredRole['access']
const { wish, credential } = userOf({ access, systemIdentifier: '7', group: 'web', databases: [] })
const { username: role, verifier } = credential
const token = { uid: 'uid of web', generation: 1 }

function roleOf(name: string, more: Partial<ObservedRole>): ObservedRole {
  return {
    ...{ name, oid: 1, canLogin: false, inherits: true, canCreateDatabases: false, canCreateRoles: false },
    ...{ canReplicate: false, isSuperuser: false, bypassesRowSecurity: false, connectionLimit: -1 },
    ...{ validUntil: undefined, hasExpired: false, token, memberOf: [], settings: [], dependents: [], sessions: 0 },
    ...more,
  } as ObservedRole
}

function observed(login: Partial<ObservedRole>, more: Partial<ObservedUser> = {}): ObservedUser {
  const memberOf = [{ role: 'web', member: role, grantors: ['op'], isAdmin: false, inherits: true, canSet: true }]
  const logins = [roleOf(role, { canLogin: true, memberOf, ...login })]
  const server = {} as ObservedUser['server'] // The plan does not read it.
  return { server, group: roleOf('web', {}), logins, token, grants: {}, elsewhere: [], ...more }
}

const set = { at: 'server', changes: [{ kind: 'alterRole', role, attributes: { verifier } }] }
const replaced = [
  { at: 'server', changes: [{ kind: 'alterRole', role, attributes: { canLogin: false, verifier: null } }] },
  { at: 'ended', changes: [{ kind: 'alterRole', role, attributes: { canLogin: true, verifier } }] },
]
const reason = 'PasswordDiffers'
const wrong = { verdict: 'WrongPassword' } as const

interface Row {
  readonly what: string
  readonly wish?: Partial<DesiredRole>
  readonly login: Partial<ObservedRole>
  readonly more?: Partial<ObservedUser>
  readonly gives: readonly object[]
}

const rows: readonly Row[] = [
  { what: 'the Secret’s', login: { verifierMatches: true }, gives: [] },
  { what: 'due', login: { verifierMatches: false }, gives: [{ reason, isWished: true, steps: [set] }] },
  {
    what: 'due, and its verifier hidden',
    login: { verifierMatches: undefined },
    more: wrong,
    gives: [{ reason, isWished: true, steps: [set] }],
  },
  {
    what: 'triggered',
    wish: { endsSessions: true },
    login: { verifierMatches: false },
    gives: [{ reason, isWished: true, steps: replaced, ends: role }],
  },
  {
    what: 'triggered, and its verifier hidden',
    wish: { endsSessions: true },
    login: { verifierMatches: undefined },
    more: wrong,
    gives: [{ reason, isWished: true, steps: replaced, ends: role }],
  },
  {
    what: 'triggered, and cut off before the new one held',
    wish: { endsSessions: true },
    login: { verifierMatches: false, canLogin: false },
    gives: [{ reason, isWished: true, steps: replaced, ends: role }],
  },
  {
    what: 'triggered, and cut off before the new one held, and its verifier hidden',
    wish: { endsSessions: true },
    login: { verifierMatches: undefined, canLogin: false },
    gives: [{ reason, isWished: true, steps: replaced, ends: role }],
  },
  {
    what: 'changed by somebody',
    wish: { isVerified: true },
    login: { verifierMatches: false },
    gives: [{ reason, isWished: false, steps: replaced, ends: role }],
  },
  {
    what: 'the Secret’s, of a role that somebody disabled',
    wish: { isVerified: true },
    login: { verifierMatches: true, canLogin: false },
    gives: [{ reason: 'LoginAttributes' }],
  },
]

describe('a password that is', () => {
  it.each(rows)('$what', ({ wish: more, login, more: seen, gives }) => {
    const differences = roleDifferences({ ...wish, ...more }, observed(login, seen))
    expect(differences).toMatchObject(gives)
    expect(differences).toHaveLength(gives.length)
    for (const { reason: is, ends, steps } of differences) {
      const opensFirst = steps.some(
        ({ at, changes }) => at === 'server' && JSON.stringify(changes).includes('"canLogin":true'),
      )
      expect(is === reason && opensFirst).toBe(false)
      if (is === reason) expect(ends).toBe(gives.some((one) => 'ends' in one) ? role : undefined)
    }
  })
})
