// Backups that must stay for current or future restores of a Database.
import { describe, expect, it } from 'vitest'
import type { DatabaseSpec, DatabaseStatus } from '../../../../imports/wire/database.ts'
import { awaitedBackups } from '../../../../src/controllers/database/restore/awaited-backups.ts'
import type { DatabaseObject } from '../../../../src/controllers/database/server-connection.ts'

const first = { bootstrap: { restoreFrom: { backupRef: { name: 'old' } } } }
const again = { restore: { requestID: 'r1', from: { backupRef: { name: 'good' } } } }
const identity = { systemIdentifier: '7', databaseOID: 1 }
const at = (phase: string, requestID = 'r1', changes: object = {}) => ({
  identity,
  restore: { requestID, phase, startedAt: '2026-01-01T00:00:00Z', ...changes },
})

function awaited(spec: object, status: object | undefined, metadata: object = {}): readonly string[] {
  const database = {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Database' },
    metadata: { name: 'crm', namespace: 'shop', uid: 'u', ...metadata },
    spec: { provider: {}, ...spec } as DatabaseSpec,
    ...(status === undefined ? {} : { status: status as DatabaseStatus }),
  }
  return awaitedBackups(database as DatabaseObject)
}

describe('a Backup is awaited', () => {
  it.each([
    ['nothing asked for', {}, { identity }, []],
    ['what it begins with', first, undefined, ['old']],
    ['what it could not begin with yet', first, { restore: at('Failed', 'bootstrap').restore }, ['old']],
    ['a begin that is done', first, { identity }, []],
    ['a request nobody has seen', again, { identity }, ['good']],
    ['a request that is waited with', again, at('Pending'), ['good']],
    ['a request that is carried out', again, at('Restoring'), ['good']],
    ['a request whose copy goes', again, at('Discarding'), ['good']],
    ['a request that is done', again, at('Completed'), []],
    ['a request that failed', again, at('Failed'), []],
    ['a request after another', again, at('Completed', 'r0'), ['good']],
    ['a request that ran long ago', again, at('Completed', 'r2', { earlierRequests: ['r1'] }), []],
    ['a location', { restore: { requestID: 'r1', from: { location: { path: 'a' } } } }, { identity }, []],
    ['both', { ...first, ...again }, undefined, ['old', 'good']],
  ])('by a Database with %s', (_, spec, status, names) => {
    expect(awaited(spec, status)).toEqual(names)
  })

  it('by none that is being deleted', () => {
    expect(awaited(again, at('Restoring'), { deletionTimestamp: '2026-01-01T00:00:00Z' })).toEqual([])
  })
})
