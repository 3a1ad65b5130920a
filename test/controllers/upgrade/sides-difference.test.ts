// Tables whose rows are compared during the write freeze, and other differences that matter. Tables.
import { describe, expect, it } from 'vitest'
import type { DatabaseGlobals, GlobalRole } from '../../../src/controllers/engines/globals.ts'
import { markOf } from '../../../src/controllers/engines/postgres/mark.ts'
import { globalsDifference, latecomers, tableReadings } from '../../../src/controllers/upgrade/sides-difference.ts'

const table = (name: string, sizeBytes: number) => ({ schema: 'public', name, sizeBytes })

it('the comparison hashes the smallest tables, counts more, and skips larger ones', () => {
  const tables = [table('large', 60), table('a', 10), table('Odd', 20), table('huge', 500)]
  expect([...tableReadings(tables, { hashBytes: 30, countBytes: 100 })]).toEqual([
    ['public.a', 'compared'],
    ['public."Odd"', 'compared'],
    ['public.large', 'counted'],
  ])
  expect(tableReadings([], { hashBytes: 0, countBytes: 0 }).size).toBe(0)
})

const role: GlobalRole = {
  ...{
    name: 'app',
    oid: 1,
    comment: null,
    canLogin: true,
    isSuperuser: false,
    inherits: true,
    canCreateDatabases: false,
  },
  ...{ canCreateRoles: false, canReplicate: false, bypassesRowSecurity: false, connectionLimit: -1, validUntil: null },
  verifier: 'SCRAM-SHA-256$one',
}
const member = { role: 'owner', member: 'app', grantors: [], isAdmin: false, inherits: true, canSet: true }
const globals: DatabaseGlobals = {
  database: {
    ...{ name: 'shop', oid: 5, owner: 'owner', encoding: 'UTF8', collate: 'C', ctype: 'C', localeProvider: 'c' },
    connectionLimit: -1,
  },
  ...{ systemIdentifier: '1', roles: [role], memberships: [member], extensions: [], immovable: [], neighbours: [] },
  settings: [{ role: 'app', database: undefined, name: 'work_mem', value: '5MB' }],
  grants: [{ grantee: 'app', privilege: 'CONNECT', isGrantable: false }],
  owned: [{ sort: 'TABLE', schema: 'public', name: 't', owner: 'app' }],
}
const now: DatabaseGlobals = {
  ...globals,
  roles: [{ ...role, oid: 2, comment: 'ours', canLogin: false }],
  memberships: [{ ...member, inherits: false }],
  owned: [...globals.owned, { sort: 'TABLE', schema: 'public', name: 'u', owner: 'postgres' }],
}

describe('besides rows', () => {
  it('oids, markers, and login attributes do not matter', () => {
    expect(globalsDifference(globals, now)).toEqual([])
  })

  it.each<[string, Partial<DatabaseGlobals>, string]>([
    ['a role that came', { roles: [] }, 'role app is only at the old side'],
    [
      'a password',
      { roles: [{ ...role, verifier: 'SCRAM-SHA-256$two' }] },
      'role app has another password at the old side',
    ],
    ['an attribute', { roles: [{ ...role, connectionLimit: 3 }] }, 'role app has other attributes at the old side'],
    ['a membership', { memberships: [] }, 'memberships of roles are others at the old side (1)'],
    ['a setting', { settings: [] }, 'settings are others at the old side (1)'],
    ['a privilege', { grants: [] }, 'privileges on the database are others at the old side (1)'],
    ['an owner', { owned: [] }, 'owners are others at the old side (1)'],
  ])('%s does', (_, change, sentence) => {
    expect(globalsDifference(globals, { ...now, ...change })).toContain(sentence)
    expect(JSON.stringify(globalsDifference(globals, { ...now, ...change }))).not.toContain('SCRAM')
  })
})

it('the comparison reports objects that appeared on the source since and would have been rejected', () => {
  const token = { uid: 'u', generation: 1 }
  const kept = { name: 'shop_old_r', comment: markOf(token) }
  expect(latecomers({ token }, { ...globals, neighbours: [kept] })).toEqual([])
  const jobs = { name: 'jobs', schema: 'ext', hasRows: true }
  const late = {
    ...globals,
    immovable: ['event trigger e'],
    extensions: [jobs],
    neighbours: [kept, { name: 'crm', comment: null }],
  }
  expect(latecomers({ token }, late)).toEqual([
    'event trigger e came at the old side, and does not move',
    'extension jobs with its tables came at the old side, and does not move',
    'database crm came on the old server, and does not move',
  ])
})
