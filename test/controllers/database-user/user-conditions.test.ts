// What does a user tell of its parts while nobody can look at them? That nobody knows, and why; not what was so before.
import { describe, expect, it } from 'vitest'
import type { DatabaseUserFacts } from '../../../src/controllers/database-user/database-user-facts.ts'
import {
  conditionsOf,
  type RoleReport,
  type UserContext,
} from '../../../src/controllers/database-user/user-conditions.ts'
import type { Outcome } from '../../../src/index.ts'
import { observedRole, server, token } from '../database/databases.ts'

const observed = { server, group: observedRole(), logins: [], token, grants: {}, elsewhere: [] }
const available = {
  ...{ name: 'role', state: 'available', reason: 'AsDesired', message: 'as desired' },
  ...{ observed, drift: [], corrected: [] },
} as const satisfies RoleReport
const facts: DatabaseUserFacts = { isRemade: false }
const told = ['RoleReady', 'GrantsInSync', 'LoginVerified'].map((type) => ({ type, status: 'True', reason: 'Before' }))
const outcome: Outcome = { kind: 'retry', reason: 'ServerUnreachable', message: 'refused' }

function conditions(
  report: RoleReport,
  before: readonly object[] = told,
  databases: readonly object[] = [],
): Record<string, string> {
  const object = { metadata: { name: 'web' }, spec: { databases }, status: { conditions: before } }
  const context = { object, facts, outcome, children: [], externals: [], sagas: [] } as unknown as UserContext // As far as it is read.
  return Object.fromEntries(
    conditionsOf(context, report).map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]),
  )
}

describe('the parts of a user', () => {
  it.each(['ServerUnreachable', 'TooManyConnections', 'AdminAuthFailed', 'DependencyUnavailable'])(
    'are unknown while the server cannot be asked: %s',
    (reason) => {
      const unknown = `Unknown ${reason}: so`
      expect(conditions({ ...available, state: 'failed', reason, message: 'so' })).toEqual({
        ...{ RoleReady: unknown, GrantsInSync: unknown, LoginVerified: unknown },
      })
    },
  )

  it('are unknown while its Database is not ready', () => {
    const report = { ...available, state: 'blocked', reason: 'DatabaseNotReady', message: 'so' } as const
    expect(conditions(report)).toMatchObject({ GrantsInSync: 'Unknown DatabaseNotReady: so' })
  })

  it('are not told of before anybody has seen them', () => {
    expect(conditions({ ...available, state: 'failed', reason: 'ServerUnreachable', message: 'so' }, [])).toEqual({})
  })

  it('are unknown in a new life that has not come to look', () => {
    const report = {
      ...available,
      state: 'blocked',
      reason: 'NotLookedAt',
      message: 'so',
      observed: undefined,
    } as const
    expect(conditions(report)).toMatchObject({ RoleReady: 'Unknown NotLookedAt: so' })
  })

  it('say that a schema of the operator is given to nobody', () => {
    const databases = [{ name: 'shop', access: 'ReadWrite', schemas: ['public', '_konverge'] }]
    expect(conditions(available, told, databases)).toMatchObject({
      GrantsInSync: expect.stringMatching(/^False ReservedSchema: spec\.databases names _konverge: .*take them out/),
    })
  })

  it('are known where the server answers and refuses a change', () => {
    const report = { ...available, state: 'failed', reason: 'InsufficientPrivilege', message: 'so' } as const
    expect(conditions(report)).toEqual({
      RoleReady: 'False InsufficientPrivilege: so',
      GrantsInSync: 'True InSync: 0 of 0 privileges are held',
    })
  })
})
