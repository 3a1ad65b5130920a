// State of a Database on RDS that bootstraps from a snapshot, and the next request. One row for each observation.
import { describe, expect, it } from 'vitest'
import type { BackupObject } from '../../../../src/controllers/database/restore/restore-request.ts'
import {
  type SnapshotRestoreInput,
  snapshotRestore,
} from '../../../../src/controllers/database/restore/snapshot-restore.ts'
import type { DatabaseObject } from '../../../../src/controllers/database/server-connection.ts'

const nowMs = Date.parse('2026-01-01T00:00:00Z')
const asked = { requestID: 'bootstrap', from: { backupRef: { name: 'b' } }, isFirst: true, keepMs: 0 }
const made = {
  artifact: { uri: 'arn:aws:rds:eu-central-1:1:snapshot:konverge-shop-b-1' },
  snapshot: { region: 'eu-central-1', databaseName: 'crm' },
  source: { serverVersion: '18.1' },
}
const restoring = {
  requestID: 'bootstrap',
  phase: 'Restoring',
  snapshot: 'konverge-shop-b-1',
  startedAt: '2026-01-01T00:00:00Z',
}

function database(status?: object, own: object = {}): DatabaseObject {
  const spec = { version: '18', provider: { rds: { region: 'eu-central-1' } }, ...own }
  return { metadata: { name: 'crm', namespace: 'shop', uid: 'u' }, spec, status } as never // The code reads these fields only.
}

function backup(status: object = made, spec: object = { method: 'Provider' }): BackupObject {
  return { metadata: { name: 'b' }, spec, status } as never // The code reads these fields only.
}

const leaving: BackupObject = {
  ...backup(),
  metadata: { ...backup().metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
}

const at = (own: Partial<SnapshotRestoreInput> = {}) =>
  snapshotRestore({ object: database(), asked, backup: backup(), instance: undefined, nowMs, ...own })

describe('a Database that bootstraps from a snapshot', () => {
  it('records the snapshot before it requests the instance', () => {
    expect(at()).toMatchObject({
      record: { requestID: 'bootstrap', phase: 'Restoring', snapshot: 'konverge-shop-b-1' },
      origin: { kind: 'unknown', reason: 'Restoring' },
      dueAtMs: nowMs + 1_000,
    })
  })

  it.each(['pending', 'failed', undefined] as const)(
    'is restored, whatever happens to the Backup, while the instance is %s',
    (state) => {
      const instance = state && { state, message: '' }
      const found = at({ object: database({ restore: restoring }), backup: undefined, asked: undefined, instance })
      expect(found).toEqual({ record: restoring, origin: { kind: 'snapshot', identifier: 'konverge-shop-b-1' } })
    },
  )

  it('starts when the instance is available', () => {
    const found = at({ object: database({ restore: restoring }), instance: { state: 'available', message: '' } })
    expect(found?.record).toMatchObject({
      phase: 'Completed',
      reason: 'RestoreCompleted',
      snapshot: 'konverge-shop-b-1',
    })
  })

  it.each<[string, Partial<SnapshotRestoreInput>, string]>([
    ['is missing', { backup: undefined }, 'BackupMissing'],
    ['is not complete', { backup: backup({ phase: 'Running' }) }, 'BackupNotReady'],
    ['is not found any more', { backup: backup({ ...made, phase: 'Failed' }) }, 'BackupNotReady'],
    ['is being deleted', { backup: leaving }, 'BackupNotReady'],
    ['is a schedule', { backup: backup({}, { method: 'Provider', schedule: '0 0 * * *' }) }, 'BackupIsSchedule'],
    [
      'is elsewhere',
      { backup: backup({ ...made, snapshot: { region: 'us-east-1', databaseName: 'crm' } }) },
      'OtherRegion',
    ],
    ['holds another database', { object: database(undefined, { databaseName: 'other' }) }, 'OtherDatabase'],
    ['is of another version', { object: database(undefined, { version: '17' }) }, 'VersionMismatch'],
  ])('waits, and has no instance created, while the Backup %s', (_, own, reason) => {
    expect(at(own)).toMatchObject({ record: undefined, problem: { reason }, origin: { kind: 'unknown', reason } })
  })

  it.each<[string, Partial<SnapshotRestoreInput>]>([
    ['the Backup is Logical', { backup: backup(made, { method: 'Logical' }) }],
    ['the Backup is a schedule of Logical ones', { backup: backup({}, { method: 'Logical', schedule: '0 0 * * *' }) }],
    ['the Database is elsewhere', { object: database(undefined, { provider: { server: {} } }) }],
    ['there is an instance already', { object: database({ external: [{ name: 'instance' }] }) }],
    ['it has begun', { object: database({ restore: { ...restoring, phase: 'Completed' } }), asked: undefined }],
  ])('is not affected when %s', (_, own) => {
    expect(at(own)).toBeUndefined()
  })
})
