// Conditions of a user whose parts cannot be observed. Invariant: they are Unknown with a reason, and do not repeat the
// last known status.
import { describe, expect, it } from 'vitest'
import type { DatabaseUserFacts } from '../../../src/controllers/database-user/database-user-facts.ts'
import { pausedConditions } from '../../../src/controllers/database-user/paused-conditions.ts'
import type { Held } from '../../../src/controllers/database-user/rotation.ts'
import {
  conditionsOf,
  type RoleReport,
  type UserContext,
} from '../../../src/controllers/database-user/user-conditions.ts'
import type { Problem, UserTarget } from '../../../src/controllers/database-user/user-target.ts'
import type { Outcome } from '../../../src/index.ts'
import { access, observedRole, server, systemIdentifier, token } from '../database/databases.ts'

const observed = { server, group: observedRole(), logins: [], token, grants: {}, elsewhere: [] }
const available = {
  ...{ name: 'role', state: 'available', reason: 'AsDesired', message: 'as desired' },
  ...{ observed, drift: [], corrected: [] },
} as const satisfies RoleReport
const facts: DatabaseUserFacts = { isRemade: false }
const told = ['RoleReady', 'GrantsInSync', 'LoginVerified'].map((type) => ({ type, status: 'True', reason: 'Before' }))
const outcome: Outcome = { kind: 'retry', reason: 'ServerUnreachable', message: 'refused' }

interface Given {
  readonly facts?: DatabaseUserFacts
  readonly outcome?: Outcome
  readonly external?: readonly object[]
  readonly databases?: readonly object[]
}

function conditions(report: RoleReport, before: readonly object[] = told, given: Given = {}): Record<string, string> {
  const { external, databases = [], ...own } = given
  const object = { metadata: { name: 'web' }, spec: { databases }, status: { conditions: before, external } }
  const context = { object, facts, outcome, children: [], externals: [], sagas: [], ...own } as unknown as UserContext // The code reads these fields only.
  return Object.fromEntries(
    conditionsOf(context, report).map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]),
  )
}

describe('the parts of a user', () => {
  it.each(['ServerUnreachable', 'TooManyConnections', 'AdminAuthFailed', 'DependencyUnavailable'])(
    'are Unknown while the server cannot be reached: %s',
    (reason) => {
      const unknown = `Unknown ${reason}: so`
      expect(conditions({ ...available, state: 'failed', reason, message: 'so' })).toEqual({
        ...{ RoleReady: unknown, GrantsInSync: unknown, LoginVerified: unknown },
      })
    },
  )

  it('are Unknown while its Database is not ready', () => {
    const report = { ...available, state: 'blocked', reason: 'DatabaseNotReady', message: 'so' } as const
    expect(conditions(report)).toMatchObject({ GrantsInSync: 'Unknown DatabaseNotReady: so' })
  })

  it('are absent before the first observation', () => {
    expect(conditions({ ...available, state: 'failed', reason: 'ServerUnreachable', message: 'so' }, [])).toEqual({})
  })

  it('are Unknown in a new process before its first observation', () => {
    const report = {
      ...available,
      state: 'blocked',
      reason: 'NotLookedAt',
      message: 'so',
      observed: undefined,
    } as const
    expect(conditions(report)).toMatchObject({ RoleReady: 'Unknown NotLookedAt: so' })
  })

  it('report that a schema of the operator is never granted', () => {
    const databases = [{ name: 'shop', access: 'ReadWrite', schemas: ['public', '_konverge'] }]
    expect(conditions(available, told, { databases })).toMatchObject({
      GrantsInSync: expect.stringMatching(/^False ReservedSchema: spec\.databases names _konverge: .*take them out/),
    })
  })

  it('report the database in which the privileges could not be observed', () => {
    const unread = [{ database: 'shop', message: 'could not look into shop: so many objects' }]
    expect(conditions({ ...available, observed: { ...observed, unread } })).toMatchObject({
      RoleReady: 'True InSync: the roles are as asked for',
      GrantsInSync: 'False GrantsUnreadable: could not look into shop: so many objects',
    })
  })

  it('are known when the server answers and rejects a change', () => {
    const report = { ...available, state: 'failed', reason: 'InsufficientPrivilege', message: 'so' } as const
    expect(conditions(report)).toEqual({
      RoleReady: 'False InsufficientPrivilege: so',
      GrantsInSync: 'True InSync: 0 of 0 privileges are held',
    })
  })
})

describe('a user that a Database excludes', () => {
  const problem: Problem = { kind: 'refused', reason: 'NotAllowed', message: 'no consent', isShutOut: true }
  const target: UserTarget = { access, systemIdentifier, databases: [] }
  const verifier = 'SCRAM-SHA-256$4096:c2FsdA==$c3RvcmVk:c2VydmVy'
  const held: Held = {
    ...{ active: { username: 'web_a', verifier }, previous: { username: 'web_b', untilMs: 0 } },
    ...{ source: 'generate', generation: 1, rotatedAtMs: 0 },
  }
  const shut = {
    facts: { isRemade: false, problem, target, held },
    outcome: { kind: 'waiting', on: 'no consent' },
    external: [{ name: 'role', providerID: `pg://${systemIdentifier}/role/7` }],
  } as const
  const login = observedRole({ name: 'web_a' })
  const stalled = {
    ...{ Ready: 'False NotAllowed: no consent', Degraded: 'True NotAllowed: no consent' },
    Stalled: 'True NotAllowed: no consent',
  }

  it('has no login any more, and reports why; its privileges are not compared, and no overlap continues', () => {
    expect(conditions(available, told, shut)).toEqual({
      ...stalled,
      RoleReady: 'False LoginRemoved: role web has no login role any more: no consent',
      GrantsInSync: 'Unknown NotAllowed: no consent',
      LoginVerified: 'False LoginRemoved: the password in the Secret opens nothing: no consent',
    })
  })

  it('is not reported as excluded before its login is gone', () => {
    const report = { ...available, observed: { ...observed, logins: [login] } }
    expect(conditions(report, told, shut)).toEqual({
      ...stalled,
      RoleReady: 'False NotAllowed: role web_a is there and is about to be removed: no consent',
      GrantsInSync: 'Unknown NotAllowed: no consent',
      LoginVerified: 'Unknown NotAllowed: no consent',
    })
  })

  it('is Unknown while the server cannot be reached', () => {
    const report = { ...available, state: 'failed', reason: 'ServerUnreachable', message: 'so' } as const
    const unknown = 'Unknown ServerUnreachable: so'
    expect(conditions(report, told, { ...shut, outcome })).toEqual({
      ...{ RoleReady: unknown, GrantsInSync: unknown, LoginVerified: unknown },
    })
  })

  it('reports what keeps its login when the server rejects the removal', () => {
    const report = { ...available, state: 'failed', reason: 'InsufficientPrivilege', message: 'so' } as const
    expect(conditions(report, told, { ...shut, outcome })).toMatchObject({
      RoleReady: 'False InsufficientPrivilege: so',
      LoginVerified: 'Unknown NotAllowed: no consent',
    })
  })

  it('reports that a rotation waits', () => {
    const next = { username: 'web_b', verifier }
    const facts = { ...shut.facts, held: { ...held, next } }
    expect(conditions(available, told, { ...shut, facts })).toMatchObject({
      RotationDue: 'True Blocked: the next password waits: no consent',
    })
  })
})

describe('a user with a problem', () => {
  it.each([
    ['refused', { Stalled: 'True SeveralServers: two servers' }],
    ['waiting', { Progressing: 'True SeveralServers: two servers' }],
  ] as const)('reports its parts as Unknown because they are not observed: %s', (kind, more) => {
    const problem: Problem = { kind, reason: 'SeveralServers', message: 'two servers' }
    const unknown = 'Unknown SeveralServers: two servers'
    const given = { facts: { isRemade: false, problem }, outcome: { kind: 'waiting', on: 'it' } } as const
    for (const report of [available, undefined]) {
      expect(conditions(report, told, given)).toMatchObject({
        ...{ Ready: 'False SeveralServers: two servers', ...more },
        ...{ RoleReady: unknown, GrantsInSync: unknown, LoginVerified: unknown },
      })
    }
  })
})

describe('a suspended user', () => {
  const problem = { kind: 'refused', reason: 'NotAllowed', message: 'no consent' } as const
  const paused = (consent: Problem | undefined, conditions: readonly object[], metadata: object = {}) =>
    Object.fromEntries(
      pausedConditions({ metadata, status: { conditions } } as never, consent).map(({ type, status, reason }) => [
        type,
        `${status} ${reason}`,
      ]),
    )
  const parts = (words: string) => ({ RoleReady: words, GrantsInSync: words, LoginVerified: words })
  const ready = { type: 'Ready', status: 'True', reason: 'InSync' }
  const notAllowed = { type: 'Ready', status: 'False', reason: 'NotAllowed' }

  it.each([
    ['has the consent', undefined, [ready, ...told], {}],
    [
      'has lost it',
      { ...problem, isShutOut: true },
      [ready, ...told],
      {
        Ready: 'False NotAllowed',
        Degraded: 'True NotAllowed',
        Stalled: 'True NotAllowed',
        ...parts('Unknown NotAllowed'),
      },
    ],
    ['may have lost it', problem, [ready, ...told], {}],
    ['may have got it back', problem, [notAllowed, ...told], {}],
    [
      'has got it back',
      undefined,
      [notAllowed, ...told],
      { Ready: 'False Suspended', Degraded: 'True Suspended', ...parts('Unknown Suspended') },
    ],
  ])('and %s', (_, consent, before, expected) => {
    expect(paused(consent, before)).toEqual(expected)
  })

  it('and deleted reports nothing more', () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' }
    expect(paused({ ...problem, isShutOut: true }, [ready], metadata)).toEqual({})
  })
})
