// Databases that a user may be in, and the problems that exclude it from one. A table of observed Databases.
import { describe, expect, it } from 'vitest'
import { type Found, problemOf, targetOf } from '../../../src/controllers/database-user/user-target.ts'
import { access, databaseObject, systemIdentifier } from '../database/databases.ts'

type Entry = Found['entry']
const entry: Entry = { name: 'shop-db', access: 'ReadOnly', schemas: ['public'] }
const identity = { systemIdentifier, databaseOID: 16_400 }
const ready = { status: { phase: 'Ready', identity } }
const known = { kind: 'known', access } as const

function found(own: Partial<Found> = {}, object: object = ready, spec: object = {}): Found {
  return { entry, database: databaseObject(spec, object), connection: known, ...own }
}

const moving = (state: string) => ({ status: { ...ready.status, upgrade: { id: 'u', from: '15', to: '18', state } } })

const saving = { phase: 'Upgrading', upgrade: { state: 'Running', step: 'CreateSnapshot' } }

const attributes = { createdb: false, replication: false }
const spec = { attributes, adoptionPolicy: 'Never' } as const
const asked = { userNamespace: 'shop', spec, found: [found()], namespaceLabels: undefined }
const guest = { ...entry, namespace: 'data' }
const open = { allowedNamespaces: { names: ['shop'] } }

const cases = [
  { when: 'all is well', with: {}, is: undefined },
  { when: 'the Database is missing', with: { found: [found({ database: undefined })] }, is: 'gone DatabaseMissing' },
  { when: 'it has not been looked at', with: { found: [found({}, { status: {} })] }, is: 'waiting DatabaseNotReady' },
  {
    when: 'it has failed',
    with: { found: [found({}, { status: { phase: 'Failed', identity } })] },
    is: 'waiting DatabaseNotReady',
  },
  {
    when: 'it is being configured',
    with: { found: [found({}, { status: { phase: 'Configuring', identity } })] },
    is: undefined,
  },
  {
    when: 'it is saved before its upgrade',
    with: { found: [found({}, { status: { ...ready.status, ...saving } })] },
    is: undefined,
  },
  {
    when: 'it is being deleted',
    with: { found: [found({}, { ...ready, metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })] },
    is: 'waiting DatabaseNotReady',
  },
  {
    when: 'its connection Secret is gone',
    with: { found: [found({ connection: { kind: 'unknown', reason: 'SecretNotFound', message: 'gone' } })] },
    is: 'gone SecretNotFound',
  },
  {
    when: 'its connection Secret is not whole',
    with: { found: [found({ connection: { kind: 'unknown', reason: 'SecretIncomplete', message: 'no host' } })] },
    is: 'waiting SecretIncomplete',
  },
  ...(['Running', 'AwaitingCutover', 'Compensating'] as const).map((state) => ({
    when: `it is on its move, ${state}`,
    with: { found: [found({}, moving(state))] },
    is: 'waiting DatabaseMoving',
  })),
  ...(['Completed', 'Compensated', 'ManualIntervention'] as const).map((state) => ({
    when: `its move is over, ${state}`,
    with: { found: [found({}, moving(state))] },
    is: undefined,
  })),
  {
    when: 'it is on its move and has not consented',
    with: { found: [found({ entry: guest }, moving('Running'))] },
    is: 'refused NotAllowed',
  },
  { when: 'another namespace has not consented', with: { found: [found({ entry: guest })] }, is: 'refused NotAllowed' },
  {
    when: 'another namespace has no such Database',
    with: { found: [found({ entry: guest, database: undefined })] },
    is: 'refused NotAllowed',
  },
  { when: 'another namespace has consented', with: { found: [found({ entry: guest }, ready, open)] }, is: undefined },
  {
    when: 'a guest asks for a role of the server',
    with: { found: [found({ entry: guest }, ready, open)], spec: { ...spec, memberOf: ['pg_monitor'] } },
    is: 'refused NotAllowed',
  },
  {
    when: 'a guest asks for an attribute',
    with: {
      found: [found({ entry: guest }, ready, open)],
      spec: { ...spec, attributes: { ...attributes, createdb: true } },
    },
    is: 'refused NotAllowed',
  },
  {
    when: 'a guest asks for a role that is there',
    with: { found: [found({ entry: guest }, ready, open)], spec: { ...spec, adoptionPolicy: 'Adopt' } },
    is: 'refused NotAllowed',
  },
  {
    when: 'a monitoring role of a server of its own is asked for',
    with: { found: [found({}, ready, { provider: { inCluster: {} } })], spec: { ...spec, memberOf: ['pg_monitor'] } },
    is: undefined,
  },
  {
    when: 'a monitoring role of a server that others may share is asked for',
    with: {
      found: [found({}, ready, { provider: { server: { connectionSecretRef: { name: 's' } } } })],
      spec: { ...spec, memberOf: ['pg_monitor'] },
    },
    is: 'refused PrivilegedRole',
  },
  {
    when: 'a role with power over the server is asked for',
    with: { spec: { ...spec, memberOf: ['pg_write_server_files'] } },
    is: 'refused PrivilegedRole',
  },
  {
    when: 'the Databases are on two servers',
    with: {
      found: [
        found(),
        found({}, { status: { phase: 'Ready', identity: { systemIdentifier: '1' } } }, { databaseName: 'other' }),
      ],
    },
    is: 'refused SeveralServers',
  },
  {
    when: 'two Databases stand for the same one',
    with: { found: [found(), found()] },
    is: 'refused DatabaseListedTwice',
  },
]

describe('the problem of a user with its databases', () => {
  it.each(cases)('when $when: $is', ({ with: own, is }) => {
    const problem = problemOf({ ...asked, ...own } as Parameters<typeof problemOf>[0]) // The rows above have these forms.
    expect(problem && `${problem.kind} ${problem.reason}`).toBe(is)
  })

  it('reports the same for a Database without consent and for a missing one', () => {
    const of = (one: Found) => problemOf({ ...asked, found: [one] })?.message
    expect(of(found({ entry: guest }))).toBe(of(found({ entry: guest, database: undefined })))
  })

  it('uses the server of the first Database with a known connection, and all Databases that exist', () => {
    const target = targetOf({ found: [found({ connection: undefined, database: undefined }), found()] })
    expect(target).toMatchObject({
      systemIdentifier,
      access: { host: 'db.example' },
      databases: [{ name: 'shop_db', oid: 16_400, owner: 'shop_db_owner', access: 'ReadOnly' }],
    })
  })
})

it('is granted nothing in schemas of the operator and of PostgreSQL, which an older CRD let a spec name', () => {
  const schemas = ['_konverge', 'public', '_konverge_x', 'pg_catalog', 'information_schema']
  const target = targetOf({ found: [found({ entry: { ...entry, access: 'ReadWrite', schemas } })] })
  expect(target?.databases.map((database) => database.schemas)).toEqual([['public']])
})

it('reports why it is left alone', () => {
  const { move } = targetOf({ found: [found({}, moving('Running'))] }) ?? {}
  expect(move?.message).toBe(
    'Database shop-db moves from version 15 to 18; its users are left as they are until it has arrived',
  )
})

describe('a guest is excluded', () => {
  const labelled = { allowedNamespaces: { selector: { matchLabels: { team: 'shop' } } } }

  it.each([
    ['whom a Database does not let in', found({ entry: guest }), undefined, true],
    ['not by a Database that is not there', found({ entry: guest, database: undefined }), undefined, false],
    [
      'not while the labels of its namespace cannot be seen',
      found({ entry: guest }, ready, labelled),
      undefined,
      false,
    ],
    ['by labels', found({ entry: guest }, ready, labelled), { team: 'other' }, true],
  ] as const)('%s', (_, one, namespaceLabels, isShutOut) => {
    expect(problemOf({ ...asked, found: [one], namespaceLabels })).toMatchObject({ reason: 'NotAllowed', isShutOut })
  })
})
