// Differences between a database and its spec. One row for each: the message and the change that corrects it.
import { describe, expect, it } from 'vitest'
import {
  databaseNameOf,
  differencesOf,
  logicalDatabase,
  ownerRoleOf,
} from '../../../src/controllers/database/logical-database.ts'
import type { DatabaseHolder, ObservedDatabase } from '../../../src/controllers/engines/observed-server.ts'
import {
  access,
  databaseObject,
  logical,
  observed,
  observedDatabase,
  observedRole,
  otherToken,
  server,
  token,
} from './databases.ts'

const attributes = { canLogin: false, canCreateDatabases: false, canCreateRoles: false, canReplicate: false }
const database = 'shop_db'
const role = 'shop_db_owner'
const trigrams = { name: 'pg_trgm', version: '1.6', schema: 'public', isRelocatable: true, defaultVersion: '1.6' }

describe('the desired database of a spec', () => {
  it("has the spec's name, or the object's name with underscores, and an owner of that name", () => {
    expect(databaseNameOf(databaseObject())).toBe('shop_db')
    expect(databaseNameOf(databaseObject({ databaseName: 'orders' }))).toBe('orders')
    expect(ownerRoleOf('orders')).toBe('orders_owner')
  })

  it('has only what the spec names', () => {
    const spec = {
      connectionLimit: 20,
      extensions: [{ name: 'pg_trgm' }],
      schemas: [{ name: 'api' }],
      encoding: 'UTF8',
    }
    expect(logicalDatabase(databaseObject(spec), access)).toEqual(
      logical({ connectionLimit: 20, extensions: [{ name: 'pg_trgm' }], schemas: ['api'], encoding: 'UTF8' }),
    )
  })
})

describe('roles of other namespaces', () => {
  const holder = (namespace: string, own: Partial<DatabaseHolder> = {}): DatabaseHolder => ({
    ...{ role: `of_${namespace}`, token: { ...otherToken, holder: `DatabaseUser ${namespace}/app` } },
    ...{ grantors: [], privileges: ['CONNECT'], ...own },
  })
  const changesOf = (
    holders: readonly DatabaseHolder[],
    consents: readonly string[] | undefined,
    lockedOutSessions = 0,
  ) => {
    const found = observed({ database: observedDatabase({ holders, lockedOutSessions }) })
    return differencesOf(logical(consents === undefined ? {} : { consents }), found)
  }
  const revoked = {
    ...{
      kind: 'revoke',
      role: 'of_b',
      on: 'Database',
      schema: '',
      table: '',
      names: [database],
      privileges: ['CONNECT'],
    },
  }
  const expelled = { kind: 'revokeMembership', role, member: 'of_b', grantors: ['op'] }

  it.each([
    ['keep their rights where their namespace is let in', [holder('b')], ['b', 'shop'], []],
    ['keep their rights where nobody could tell who is', [holder('b')], undefined, []],
    ['keep their rights where their mark names no namespace', [holder('b', { token: otherToken })], ['shop'], []],
    ['lose what they were granted', [holder('b')], ['shop'], [revoked]],
    ['lose their membership', [holder('b', { grantors: ['op'], privileges: [] })], ['shop'], [expelled]],
    ['lose both', [holder('shop'), holder('b', { grantors: ['op'] })], ['shop'], [expelled, revoked]],
  ] as const)('%s', (_, holders, consents, changes) => {
    const differences = changesOf(holders, consents)
    expect(differences.flatMap((one) => one.changes)).toEqual(changes)
    for (const one of differences) expect(one).toMatchObject({ reason: 'ConsentWithdrawn', isWished: true })
  })

  it('leave unmanaged roles behind, which are reported with the remedy', () => {
    const unmanaged = Array.from({ length: 11 }, (_, at) => `r"${at}`)
    const database = observedDatabase({ holders: [holder('b')], unmanaged })
    const [, left] = differencesOf(logical({ consents: ['shop'] }), observed({ database }))
    expect(left).toMatchObject({ reason: 'ConsentWithdrawn', isWished: true, isReported: true, changes: [] })
    expect(left?.message).toContain('r"0, r"1, r"2, r"3, r"4, r"5, r"6, r"7 and 3 more')
    expect(left?.message).toContain('REVOKE CONNECT ON DATABASE "shop_db" FROM "r""0", "r""1"')
  })

  it('are reported as unmanaged only when a privilege is revoked', () => {
    const database = observedDatabase({ holders: [holder('b')], unmanaged: ['monitor'] })
    expect(differencesOf(logical({ consents: ['b', 'shop'] }), observed({ database }))).toEqual([])
  })

  it('have their sessions terminated', () => {
    expect(changesOf([], ['shop'], 2)).toMatchObject([{ reason: 'ConsentWithdrawn', changes: [] }])
  })
})

describe('a database that can be copied', () => {
  const kept = 'shop_db_old_r1'
  const former = (own: Partial<ObservedDatabase>) =>
    observedDatabase({ name: kept, oid: 16_390, allowsConnections: false, ...own })

  it('is not a template, whatever the drift policy is', () => {
    expect(differencesOf(logical(), observed({ database: observedDatabase({ isTemplate: true }) }))).toEqual([
      {
        ...{ at: 'server', reason: 'TemplateDatabase', isWished: true, isReported: true },
        message: 'database shop_db was a template, which every role that may create databases can copy',
        changes: [{ kind: 'resetTemplate', database }],
      },
    ])
  })

  it('is not a template while it is kept for an undo', () => {
    expect(differencesOf(logical(), observed({ formers: [former({ isTemplate: true })] }))).toMatchObject([
      { reason: 'TemplateDatabase', isWished: true, changes: [{ kind: 'resetTemplate', database: kept }] },
    ])
  })

  it('accepts no connections while it is kept for an undo', () => {
    const differences = differencesOf(logical(), observed({ formers: [former({ allowsConnections: true })] }))
    expect(differences).toEqual([
      {
        ...{ at: 'server', reason: 'PreviousOpened' },
        message: `database ${kept}, which is kept for an undo, takes connections`,
        changes: [{ kind: 'allowConnections', database: kept, allows: false }],
      },
    ])
  })

  it('is left unchanged during a restore, and when it belongs to another Database', () => {
    const open = { allowsConnections: true, isTemplate: true }
    const restoring = logical({ restore: { requestID: 'r2', phase: 'Restoring' } })
    expect(differencesOf(restoring, observed({ formers: [former(open)] }))).toEqual([])
    const others = former({ ...open, token: otherToken, ownerToken: otherToken })
    expect(differencesOf(logical(), observed({ formers: [others] }))).toEqual([])
  })
})

describe('the difference', () => {
  it('is empty when all is as desired, whatever else exists', () => {
    const contents = {
      extensions: [trigrams],
      schemas: [{ name: 'foreign', owner: 'somebody', publicPrivileges: ['CREATE', 'USAGE'] }],
    }
    expect(differencesOf(logical(), observed())).toEqual([])
    expect(differencesOf(logical(), observed({ contents }))).toEqual([])
    const wanted = logical({
      extensions: [{ name: 'pg_trgm', version: '1.6', schema: 'public' }],
      schemas: ['foreign'],
    })
    expect(differencesOf(wanted, observed({ contents }))).toMatchObject([{ reason: 'SchemaOwnerChanged' }])
  })

  it('is unknown when the database is gone', () => {
    expect(differencesOf(logical(), observed({ database: undefined }))).toEqual([])
  })

  it.each([
    [
      'OwnerRoleMissing',
      'role shop_db_owner is missing',
      { ownerRole: undefined, database: observedDatabase() },
      [{ kind: 'createRole', role, token, attributes }],
    ],
    [
      'OwnerRoleChanged',
      'role shop_db_owner may log in, create databases, create roles, replicate',
      {
        ownerRole: observedRole({
          ...{ canLogin: true, canCreateDatabases: true, canCreateRoles: true, canReplicate: true },
        }),
      },
      [{ kind: 'alterRole', role, attributes }],
    ],
    [
      'MarkMissing',
      'role shop_db_owner does not say whose it is',
      { ownerRole: observedRole({ token: undefined }) },
      [
        { kind: 'joinRole', role },
        { kind: 'markRole', role, token },
      ],
    ],
    [
      'OwnerChanged',
      'database shop_db belongs to bob instead of shop_db_owner',
      { database: observedDatabase({ owner: 'bob', ownerToken: undefined }) },
      [
        { kind: 'joinRole', role },
        { kind: 'setDatabaseOwner', database, owner: role },
      ],
    ],
    [
      'MarkMissing',
      'database shop_db does not say whose it is',
      { database: observedDatabase({ token: undefined }) },
      [{ kind: 'markDatabase', database, token }],
    ],
    [
      'MarkMissing',
      'the comment of database shop_db was changed: it says that it was not made for this Database but for Database b/grab',
      { database: observedDatabase({ token: { ...otherToken, holder: 'Database b/grab' } }) },
      [{ kind: 'markDatabase', database, token }],
    ],
    [
      'ConnectionLimitChanged',
      'the connection limit is 3 instead of -1',
      { database: observedDatabase({ connectionLimit: 3 }) },
      [{ kind: 'limitConnections', database, connectionLimit: -1 }],
    ],
    [
      'ConnectionsRefused',
      'database shop_db takes no connections',
      { database: observedDatabase({ allowsConnections: false }), contents: undefined },
      [{ kind: 'allowConnections', database, allows: true }],
    ],
    [
      'PublicAccess',
      'everybody has CONNECT and TEMPORARY on database shop_db',
      { database: observedDatabase({ publicPrivileges: ['CONNECT', 'TEMPORARY'] }) },
      [{ kind: 'hardenDatabase', database }],
    ],
    [
      'PublicAccess',
      'everybody may create objects in schema public',
      { contents: { extensions: [], schemas: [{ name: 'public', owner: 'x', publicPrivileges: ['CREATE'] }] } },
      [{ kind: 'hardenSchema', schema: 'public' }],
    ],
  ] as const)('%s: %s', (reason, message, found, changes) => {
    expect(differencesOf(logical(), observed(found))).toMatchObject([{ reason, message, changes }])
  })

  it.each([
    ['SchemaMissing', 'schema api is missing', [], [{ kind: 'createSchema', schema: 'api', owner: role }]],
    [
      'SchemaOwnerChanged',
      'schema api belongs to bob instead of shop_db_owner',
      [{ name: 'api', owner: 'bob', publicPrivileges: [] }],
      [{ kind: 'setSchemaOwner', schema: 'api', owner: role }],
    ],
  ] as const)('%s: %s', (reason, message, schemas, changes) => {
    const found = observed({ contents: { extensions: [], schemas } })
    expect(differencesOf(logical({ schemas: ['api'] }), found)).toMatchObject([{ reason, message, changes }])
  })

  it.each([
    [
      ['ExtensionMissing', 'extension pg_trgm is missing'],
      { name: 'pg_trgm' },
      [],
      [{ kind: 'createExtension', extension: 'pg_trgm' }],
    ],
    [
      ['ExtensionMissing', 'extension pg_trgm is missing'],
      { name: 'pg_trgm', version: '1.5', schema: 'api' },
      [],
      [{ kind: 'createExtension', extension: 'pg_trgm', version: '1.5', schema: 'api' }],
    ],
    [
      ['ExtensionVersionChanged', 'extension pg_trgm has version 1.6 instead of 1.7'],
      { name: 'pg_trgm', version: '1.7' },
      [trigrams],
      [{ kind: 'updateExtension', extension: 'pg_trgm', version: '1.7' }],
    ],
    [
      ['ExtensionSchemaChanged', 'extension pg_trgm is in schema public instead of api'],
      { name: 'pg_trgm', schema: 'api' },
      [trigrams],
      [{ kind: 'moveExtension', extension: 'pg_trgm', schema: 'api' }],
    ],
  ] as const)('%s', ([reason, message], extension, extensions, changes) => {
    const found = observed({ contents: { extensions, schemas: [] } })
    expect(differencesOf(logical({ extensions: [extension] }), found)).toEqual([
      { at: 'extensions', reason, message, changes },
    ])
  })

  it('leaves out what the owner cannot correct: on an old server, the superuser owns schema public', () => {
    const contents = { extensions: [], schemas: [{ name: 'public', owner: 'x', publicPrivileges: ['CREATE'] }] }
    const of = (majorVersion: number, isSuperuser: boolean) =>
      differencesOf(
        logical(),
        observed({ contents, server: { ...server, majorVersion, admin: { ...server.admin, isSuperuser } } }),
      )
    expect(of(14, false)).toEqual([])
    expect(of(14, true)).toHaveLength(1)
    expect(of(15, false)).toHaveLength(1)
  })

  it('is corrected in the order owner, marker, schemas, extensions', () => {
    const found = observed({
      ownerRole: undefined,
      database: observedDatabase({ owner: 'bob', token: undefined }),
      contents: { extensions: [], schemas: [] },
    })
    const wanted = logical({ schemas: ['api'], extensions: [{ name: 'pg_trgm', schema: 'api' }] })
    const kinds = differencesOf(wanted, found).flatMap(({ changes }) => changes.map(({ kind }) => kind))
    expect(kinds).toEqual([
      ...['createRole', 'joinRole', 'setDatabaseOwner', 'markDatabase', 'createSchema', 'createExtension'],
    ])
  })
})
