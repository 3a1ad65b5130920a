import { describe, expect, it } from 'vitest'
import {
  type BackupObject,
  type RestoreRequest,
  restoreRequest,
  restoreSource,
} from '../../../../src/controllers/database/restore/restore-request.ts'
import type { DatabaseObject } from '../../../../src/controllers/database/server-connection.ts'

const restoreFrom = { backupRef: { name: 'b' } }
/** The method is `Logical` by the default of the CRD. */
const locationOf = (path: string, method: 'Logical' | 'Physical' = 'Logical') => ({
  location: { target: { pvc: { claimName: 'x' } }, path, method },
})
const restore = { requestID: 'r1', from: { backupRef: { name: 'c' } }, keepPrevious: '1h' }

function databaseOf(spec: object, status: object = {}): DatabaseObject {
  return { metadata: { name: 'crm', namespace: 'shop', uid: 'u' }, spec, status } as never // The code reads these fields only.
}

describe('the restore request of a Database', () => {
  it.each<[string, object, object, string | undefined]>([
    ['is nothing', {}, {}, undefined],
    ['is what it begins with', { bootstrap: { restoreFrom } }, {}, 'bootstrap first'],
    ['is that first', { bootstrap: { restoreFrom }, restore }, {}, 'bootstrap first'],
    [
      'is another while that has failed',
      { bootstrap: { restoreFrom }, restore },
      { restore: { requestID: 'bootstrap', phase: 'Failed' } },
      'r1 first',
    ],
    [
      'is still the other once it is begun',
      { bootstrap: { restoreFrom }, restore },
      { restore: { requestID: 'r1', phase: 'Restoring' } },
      'r1 first',
    ],
    [
      'is not that any more once it is done',
      { bootstrap: { restoreFrom } },
      { restore: { requestID: 'bootstrap', phase: 'Completed' } },
      undefined,
    ],
    [
      'is in place once the database is looked after',
      { bootstrap: { restoreFrom }, restore },
      { external: [{ name: 'database' }] },
      'r1',
    ],
    ['is what is asked for', { restore }, {}, 'r1'],
  ])('%s', (_, spec, status, expected) => {
    const request = restoreRequest(databaseOf(spec, status), 'database')
    expect(request && `${request.requestID}${request.isFirst ? ' first' : ''}`).toBe(expected)
  })
})

describe('the restore source', () => {
  const asked = (from: RestoreRequest['from'], isFirst = false): RestoreRequest => ({
    requestID: 'r1',
    from,
    isFirst,
    keepMs: 0,
  })
  const made = { folder: 'shop/crm/1/2/', artifact: {}, phase: 'Completed' }
  const backup = (status: object, spec: object = {}, metadata: object = {}): BackupObject =>
    ({
      metadata: { name: 'b', ...metadata },
      spec: {
        method: 'Logical',
        databaseRef: { name: 'crm' },
        target: { pvc: { claimName: 'backups' } },
        verify: {},
        options: {},
        ...spec,
      },
      status,
    }) as never // The code reads these fields only.

  it.each<[string, RestoreRequest, BackupObject | undefined, string]>([
    ['a Backup that is not there', asked(restoreFrom), undefined, 'BackupMissing'],
    ['a Backup that is being made', asked(restoreFrom), backup({ phase: 'Running', folder: 'x/' }), 'BackupNotReady'],
    ['a Backup that failed', asked(restoreFrom), backup({ phase: 'Failed' }), 'BackupNotReady'],
    [
      'a Backup that is going',
      asked(restoreFrom),
      backup(made, {}, { deletionTimestamp: '2026-03-29T12:00:00Z' }),
      'BackupNotReady',
    ],
    ['a schedule', asked(restoreFrom), backup({}, { schedule: '0 0 * * *' }), 'BackupIsSchedule'],
    ['a copy of a server', asked(restoreFrom), backup(made, { method: 'Physical' }), 'BackupIsPhysical'],
    [
      "another Database's Backup",
      asked(restoreFrom),
      backup(made, { databaseRef: { name: 'other' } }),
      'OtherDatabase',
    ],
    [
      "another Database's Backup, to begin with",
      asked(restoreFrom, true),
      backup(made, { databaseRef: { name: 'other' } }),
      'shop/crm/1/2/',
    ],
    ['a Backup', asked(restoreFrom), backup(made), 'shop/crm/1/2/'],
    ['a location', asked(locationOf('a/b')), undefined, 'a/b/'],
    ['a location with a slash', asked(locationOf('a/b/')), undefined, 'a/b/'],
    ['an earlier request', asked({ previousOf: 'r0' }), undefined, 'former r0'],
  ])('is reported for %s', (_, request, found, expected) => {
    const source = restoreSource(request, databaseOf({}), found)
    if (source.kind !== 'source') expect(source.reason).toBe(expected)
    else if (source.source.kind === 'former') expect(`former ${source.source.replacedBy}`).toBe(expected)
    else expect(source.source.folder).toBe(expected)
  })

  it('has the options with which it was verified', () => {
    const queries = [{ sql: 'SELECT 1', expect: '1' }]
    const proven = backup(made, { verify: { queries }, options: { jobs: 3 } })
    expect(restoreSource(asked(restoreFrom), databaseOf({}), proven)).toMatchObject({ source: { queries, jobs: 3 } })
    // The default is one job.
    const single = backup(made, { options: { jobs: 1 } })
    const plain = backup(made, { options: {} })
    expect(restoreSource(asked(restoreFrom), databaseOf({}), single)).toEqual(
      restoreSource(asked(restoreFrom), databaseOf({}), plain),
    )
  })

  const inCluster = { provider: { inCluster: {} }, version: '15' }
  const copied = { ...made, source: { serverVersion: '15.18' } }
  const physical = { method: 'Physical' }
  it.each<[string, object, RestoreRequest, BackupObject | undefined, string]>([
    ['begins a server', inCluster, asked(restoreFrom, true), backup(copied, physical), 'Physical shop/crm/1/2/'],
    ['begins one from its place', inCluster, asked(locationOf('a', 'Physical'), true), undefined, 'Physical a/'],
    ['is not there yet', inCluster, asked(restoreFrom, true), backup({ phase: 'Running' }, physical), 'BackupNotReady'],
    ['takes nobody’s place', inCluster, asked(restoreFrom), backup(copied, physical), 'BackupIsPhysical'],
    ['takes it from no place either', inCluster, asked(locationOf('a', 'Physical')), undefined, 'BackupIsPhysical'],
    [
      'begins no database on somebody else’s server',
      { provider: { server: {} } },
      asked(restoreFrom, true),
      backup(copied, physical),
      'BackupIsPhysical',
    ],
    [
      'is of another version',
      { ...inCluster, version: '16' },
      asked(restoreFrom, true),
      backup(copied, physical),
      'VersionMismatch',
    ],
  ])('a copy of a server %s', (_, spec, request, found, expected) => {
    const source = restoreSource(request, databaseOf(spec), found)
    const isBackup = source.kind === 'source' && source.source.kind === 'backup'
    expect(isBackup ? `${source.method} ${source.source.folder}` : 'reason' in source && source.reason).toBe(expected)
  })
})
