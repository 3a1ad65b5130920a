// State of the target server, and the cases in which it may not be created. Tables over observations of both servers.
import { describe, expect, it } from 'vitest'
import type { DatabaseGlobals } from '../../../src/controllers/engines/globals.ts'
import { ledgerIn, ledgerText } from '../../../src/controllers/engines/postgres/globals/ledger.ts'
import { markOf } from '../../../src/controllers/engines/postgres/mark.ts'
import {
  isAsOrdered,
  ownerChanges,
  type SeenSide,
  sideRejection,
  sideState,
} from '../../../src/controllers/upgrade/new-side.ts'
import { observedDatabase, server } from '../database/databases.ts'

const token = { uid: 'u', generation: 1 }
const order = { id: 'to_18', token, caller: { kind: 'Database', namespace: 'shop', name: 'shop' }, database: 'shop' }
const ledger = { token, request: 'to_18', roles: ['app'], holds: 'schema' } as const
const database = observedDatabase({ name: 'shop', token })
const whole = { ...database, succession: { request: 'to_18', replaced: 'pg://1/2' } }
const bare: SeenSide = { database: undefined, hasRole: false, ledger: undefined }

describe('the target server', () => {
  it.each<[string, Partial<SeenSide>, object]>([
    ['is missing', {}, { kind: 'missing' }],
    ['has its roles', { hasRole: true, ledger }, { kind: 'partial' }],
    ['has its database', { hasRole: true, ledger, database }, { kind: 'partial' }],
    ['is there', { hasRole: true, ledger, database: whole }, { kind: 'prepared' }],
    ['serves', { database: whole }, { kind: 'opened' }],
    ['is of another move', { hasRole: true, ledger: { ...ledger, request: 'to_17' } }, { kind: 'refused' }],
    [
      'is of another Database',
      { hasRole: true, ledger: { ...ledger, token: { ...token, uid: 'o' } } },
      { kind: 'refused' },
    ],
    ['is of somebody with the same role', { hasRole: true }, { kind: 'refused' }],
    ['is of somebody with the same database', { database }, { kind: 'refused' }],
    ['was another Database', { database: { ...whole, token: { ...token, uid: 'o' } } }, { kind: 'refused' }],
  ])('%s', (_, seen, standing) => {
    expect(sideState(order, { ...bare, ...seen })).toMatchObject(standing)
  })
})

describe('a target database that exists', () => {
  const rows = { ...ledger, holds: 'rows' } as const
  const following = { ...rows, from: '0/100' }
  const source = { slot: { confirmed: '0/100' }, isFollowed: false }
  it.each([
    ['has its schema', 'schema', ledger, source, true],
    ['has more than that', 'schema', following, source, true],
    ['has no rows', 'rows', ledger, source, false],
    ['has them', 'rows', rows, source, true],
    ['has older ones', 'rows', following, source, false],
    ['has rows of no known moment', 'followingRows', rows, source, false],
    ['has those at which the slot begins', 'followingRows', following, source, true],
    ['has others', 'followingRows', following, { ...source, slot: { confirmed: '0/200' } }, false],
    ['has no slot', 'followingRows', following, { ...source, slot: undefined }, false],
    ['follows already', 'followingRows', following, { slot: { confirmed: '0/200' }, isFollowed: true }, true],
  ] as const)('%s, as was ordered: %s', (_, holds, seen, at, isSo) => {
    expect(isAsOrdered({ ...order, holds }, seen, at)).toBe(isSo)
  })

  it('reports the snapshot of its rows', () => {
    expect(ledgerIn(ledgerText(following))).toEqual(following)
    expect(ledgerIn(ledgerText(rows))).toEqual(rows)
  })
})

const globals: DatabaseGlobals = {
  database: {
    ...{ name: 'shop', oid: 5, owner: 'shop_owner', encoding: 'UTF8', collate: 'C', ctype: 'C', localeProvider: 'c' },
    connectionLimit: -1,
  },
  ...{
    systemIdentifier: '1',
    roles: [],
    memberships: [],
    settings: [],
    grants: [],
    extensions: [],
    owned: [],
    immovable: [],
    neighbours: [],
  },
}
const able = { ...server, admin: { ...server.admin, isSuperuser: true } }
const servers = { old: able, new: able }

it('a target server is rejected when a database sorts texts by ICU', () => {
  const icu = { ...globals, database: { ...globals.database, localeProvider: 'i' } }
  expect(sideRejection(order, icu, servers, [])).toMatchObject({ code: 'NotMovable' })
  expect(sideRejection(order, globals, servers, [])).toBeUndefined()
})

it('a target server is rejected when an extension has tables whose rows are not moved, also when they are empty', () => {
  const named = (name: string, hasRows: boolean) => ({ name, schema: 'ext', hasRows })
  const harmless = [named('plpgsql', false), named('postgis', true), named('pg_trgm', false)]
  expect(sideRejection(order, { ...globals, extensions: harmless }, servers, [])).toBeUndefined()
  const extensions = [...harmless, named('pg_partman', true)]
  expect(sideRejection(order, { ...globals, extensions }, servers, [])).toMatchObject({
    code: 'NotMovable',
    message:
      'database shop has what is not moved with it: extension pg_partman with its tables; remove it, and make it again afterwards',
  })
})

it('a target server is rejected when the source has databases of others, and not for databases kept for an undo', () => {
  const kept = { name: 'shop_old_r', comment: markOf(token) }
  const others = [
    { name: 'blog', comment: markOf({ ...token, uid: 'o' }) },
    { name: 'crm', comment: 'of the sales' },
  ]
  expect(sideRejection(order, { ...globals, neighbours: [kept] }, servers, [])).toBeUndefined()
  expect(sideRejection(order, { ...globals, neighbours: [kept, ...others] }, servers, [])).toMatchObject({
    code: 'NotMovable',
    message: expect.stringContaining(
      'which do not move with shop: blog, crm; move them to servers of their own, or drop them',
    ),
  })
})

it('a target server gives what a superuser owned to its own superuser', () => {
  const table = { sort: 'TABLE', schema: 'public', name: 'audit', owner: 'postgres' } as const
  const open = { sort: 'SCHEMA', schema: '', name: 'public', owner: 'pg_database_owner' } as const
  const changes = ownerChanges(order, { ...globals, owned: [table, open] }, 'admin')
  expect(changes.filter(({ kind }) => kind === 'setOwner')).toMatchObject([
    { owner: 'admin' },
    { owner: 'pg_database_owner' },
  ])
})

it.each([
  '',
  'mine',
  'konverge {',
  'konverge {"uid":"u","generation":1}',
  'konverge {"uid":"u","generation":1,"request":"r","roles":[1]}',
])('the ledger is absent in %j', (comment) => {
  expect(ledgerIn(comment)).toBeUndefined()
})

it.each([ledger, { ...ledger, holds: 'rows' as const }])('the ledger is parsed as it was written', (one) => {
  expect(ledgerIn(ledgerText(one))).toEqual(one)
})
