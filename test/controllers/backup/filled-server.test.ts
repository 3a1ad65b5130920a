import { describe, expect, it } from 'vitest'
import { type Filled, fillingChanges, fillingQuestion } from '../../../src/controllers/backup/filled-server.ts'
import type {
  ObservedDatabase,
  ObservedRole,
  ServerObservation,
} from '../../../src/controllers/engines/observed-server.ts'

const source = { database: 'crm', owner: 'crm_owner', systemIdentifier: '7', databaseOid: 16_384 }
const database = { namespace: 'shop', name: 'copy', uid: 'u', databaseName: 'copy', owner: 'copy_owner' }

function filled(changes: { readonly source?: object; readonly database?: object } = {}): Filled {
  return {
    requestId: 'bootstrap',
    verifier: 'v',
    database: { ...database, ...changes.database },
    manifest: { source: { ...source, ...changes.source } as Filled['manifest']['source'] }, // The code reads these fields only.
  }
}

const found = (name: string, more: Partial<ObservedDatabase> = {}) => ({
  name,
  oid: 16_384,
  owner: 'crm_owner',
  ...more,
})
const role = (name: string, more: Partial<ObservedRole> = {}) => ({
  name,
  canLogin: false,
  isSuperuser: false,
  ...more,
})

function observed(databases: readonly object[], roles: readonly object[], systemIdentifier = '7'): ServerObservation {
  return { server: { systemIdentifier }, databases, roles } as never // The code reads these fields only.
}

/** Returns e.g. `renameRole crm_owner`; changes in the database have the prefix `in`. */
function words(of: Filled, at: ServerObservation): readonly string[] {
  const { onServer, inDatabase } = fillingChanges(of, at)
  const word = (change: (typeof onServer)[number]) =>
    `${change.kind} ${'database' in change ? change.database : 'role' in change ? change.role : ''}`
  return [...onServer.map(word), ...inDatabase.map((change) => `in ${word(change)}`)]
}

const marks = (name: string) => [`markRole ${name}_owner`, `markDatabase ${name}`, 'alterRole postgres']

describe('a copy of a server', () => {
  it.each<[string, Filled, ServerObservation, readonly string[]]>([
    [
      'is taken over as it is where the names are the same',
      filled({ database: { databaseName: 'crm', owner: 'crm_owner' } }),
      observed([found('crm')], [role('crm_owner')]),
      marks('crm'),
    ],
    [
      'gets the new names',
      filled(),
      observed([found('crm')], [role('crm_owner')]),
      ['renameDatabase crm', 'renameRole crm_owner', ...marks('copy')],
    ],
    [
      'gets an owner of its own where a person owned it, with what is his in it',
      filled({ source: { owner: 'ann' } }),
      observed([found('crm', { owner: 'ann' })], [role('ann', { canLogin: true })]),
      [
        'renameDatabase crm',
        'createRole copy_owner',
        'setDatabaseOwner copy',
        ...marks('copy'),
        'in reassignOwned ann',
      ],
    ],
    [
      'gets one as well where a superuser owned it, who may own what the server needs',
      filled({ source: { owner: 'postgres' } }),
      observed([found('crm', { owner: 'postgres' })], [role('postgres', { canLogin: true, isSuperuser: true })]),
      ['renameDatabase crm', 'createRole copy_owner', 'setDatabaseOwner copy', ...marks('copy')],
    ],
    [
      'keeps a login that is only called like an owner',
      filled(),
      observed([found('crm')], [role('crm_owner', { canLogin: true })]),
      [
        ...['renameDatabase crm', 'createRole copy_owner', 'setDatabaseOwner copy', ...marks('copy')],
        'in reassignOwned crm_owner',
      ],
    ],
  ])('%s', (_, of, at, expected) => {
    expect(words(of, at)).toEqual(expected)
  })

  it.each<[string, Filled, ServerObservation, string]>([
    ['does not have the database', filled(), observed([], []), 'SourceIdentityChanged'],
    ['has another one of its name', filled(), observed([found('crm', { oid: 9 })], []), 'SourceIdentityChanged'],
    ['is of another server', filled(), observed([found('crm')], [], '8'), 'SourceIdentityChanged'],
    ['has a database of the new name', filled(), observed([found('crm'), found('copy')], []), 'NameTaken'],
    [
      'has a role of the new name',
      filled(),
      observed([found('crm')], [role('crm_owner'), role('copy_owner')]),
      'NameTaken',
    ],
  ])('that %s is rejected', (_, of, at, code) => {
    expect(() => fillingChanges(of, at)).toThrow(expect.objectContaining({ code, remedy: 'stop' }))
  })

  it('is observed by the old names and the new ones', () => {
    expect(fillingQuestion(filled())).toEqual({
      databases: ['crm', 'copy'],
      roles: [{ name: 'crm_owner' }, { name: 'copy_owner' }, { name: 'postgres' }],
    })
  })
})
