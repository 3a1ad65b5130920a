// Next step of a restore, decided from the observed databases alone. One row for each state.
import { describe, expect, it } from 'vitest'
import type { RestoreOrder } from '../../../src/controllers/backup/restore-order.ts'
import { nextRestoreStep } from '../../../src/controllers/backup/restore-step.ts'
import type { ObservedDatabase, ServerObservation } from '../../../src/controllers/engines/observed-server.ts'
import { observedDatabase, observedRole, otherToken, server, token } from '../database/databases.ts'

const order: RestoreOrder = {
  requestId: 'r1',
  database: { namespace: 'shop', name: 'crm', uid: token.uid, databaseName: 'crm', owner: 'crm_owner' },
  replaces: { systemIdentifier: server.systemIdentifier, databaseOid: 1 },
  source: { kind: 'backup', folder: 'a/', hashUpToBytes: 1, queries: [] },
}
const anew: RestoreOrder = { ...order, replaces: undefined }
const undo: RestoreOrder = { ...order, requestId: 'u1', source: { kind: 'former', replacedBy: 'r1' } }

function database(name: string, changes: Partial<ObservedDatabase> = {}): ObservedDatabase {
  return observedDatabase({ name, owner: 'crm_owner', ...changes })
}

const live = database('crm', { oid: 1 })
const half = database('crm_new_r1', { owner: 'crm_new_r1' })
const proven = database('crm_new_r1')
const former = database('crm_old_r1')
const done = database('crm', { oid: 2, succession: { request: 'r1', replaced: 'pg://42/1' } })
const owner = observedRole({ name: 'crm_owner' })
const restoring = observedRole({ name: 'crm_new_r1' })
const foreign = { token: otherToken, ownerToken: otherToken }

function next(
  asked: RestoreOrder,
  databases: readonly ObservedDatabase[],
  more: Partial<ServerObservation> = {},
): string {
  const step = nextRestoreStep(asked, { server, databases, roles: [owner], ...more })
  return step.kind === 'refused' ? step.error.code : step.kind
}

describe('a restore in place', () => {
  it.each([
    ['has begun nothing', [live], 'restore'],
    ['has half a copy', [live, half], 'restore'],
    ['has a copy that is being dropped', [live, { ...proven, isInvalid: true }], 'restore'],
    ['has a copy that is proven', [live, proven], 'swap'],
    ['was cut off before it opened the database', [{ ...live, allowsConnections: false }, proven], 'swap'],
    ['is done', [done, former], 'done'],
    ['is done, and what it replaced is gone', [done], 'done'],
    ['is done, and somebody has made half a copy since', [done, half], 'done'],
    ['finds nothing to take the place of', [], 'SourceIdentityChanged'],
    ['finds another database', [{ ...live, oid: 7 }], 'SourceIdentityChanged'],
    ['finds a database of somebody else', [{ ...live, ...foreign }], 'SourceIdentityChanged'],
    [
      'finds a database that only its own comment calls ours',
      [{ ...live, ownerToken: otherToken }],
      'SourceIdentityChanged',
    ],
    ['finds a database whose comment names another', [{ ...live, token: otherToken }], 'SourceIdentityChanged'],
    ['finds the work of another request since', [{ ...done, succession: { request: 'r2' } }], 'SourceIdentityChanged'],
    ['finds the mark of its request on what is not ours', [{ ...done, ...foreign }], 'SourceIdentityChanged'],
    ['finds what is replicated', [{ ...live, replication: ['subscription feed'] }], 'NotMovable'],
    ['finds what is replicated since it was proven', [{ ...live, replication: ['x'] }, proven], 'NotMovable'],
    ['finds the name of the copy taken', [live, { ...half, ...foreign }], 'NameTaken'],
    ['finds the name of what it puts away taken', [live, { ...former, ...foreign }], 'NameTaken'],
    ['finds what an earlier request of its id has left', [live, former], 'NameTaken'],
  ])('that %s continues with %j', (_, databases, is) => {
    expect(next(order, databases)).toBe(is)
  })

  it('takes over no role of another owner', () => {
    expect(next(order, [live], { roles: [owner, restoring] })).toBe('restore')
    expect(next(order, [live], { roles: [owner, { ...restoring, token: undefined }] })).toBe('NameTaken')
  })

  it('rejects another server with the same name', () => {
    expect(next(order, [live], { server: { ...server, systemIdentifier: '99' } })).toBe('SourceIdentityChanged')
  })
})

describe('a restore without an existing database', () => {
  it.each([
    ['has begun nothing', [], 'restore'],
    ['has half a copy', [half], 'restore'],
    ['has a copy that is proven', [proven], 'swap'],
    ['is done', [{ ...done, succession: { request: 'r1' } }], 'done'],
    ['finds a database, be it ours', [live], 'DatabaseExists'],
  ])('that %s continues with %j', (_, databases, is) => {
    expect(next(anew, databases)).toBe(is)
  })

  it('needs no owner, and takes no database of another owner', () => {
    expect(next(anew, [], { roles: [] })).toBe('restore')
    expect(next(anew, [], { roles: [{ ...owner, token: otherToken }] })).toBe('NameTaken')
  })
})

describe('an undo', () => {
  it.each([
    ['finds what was replaced', [live, former], 'swap'],
    ['finds it gone', [live], 'PreviousGone'],
    ['is done', [{ ...done, succession: { request: 'u1' } }], 'done'],
  ])('that %s continues with %j', (_, databases, is) => {
    expect(next(undo, databases)).toBe(is)
  })
})
