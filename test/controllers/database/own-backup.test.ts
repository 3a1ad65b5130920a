// Backups that count as verification that a database is backed up. One row for each case.
import { describe, expect, it } from 'vitest'
import { ownBackup, ownBackupState } from '../../../src/controllers/database/own-backup.ts'
import type { LiveObject } from '../../../src/index.ts'
import { databaseObject, uid } from './databases.ts'

const snapshotTarget = { pvc: { claimName: 'backups' } }
const condition = (type: string, status: string, reason: string) => ({
  type,
  status,
  reason,
  message: `it is ${reason}`,
})

function backupWith(status: object, metadata: object = {}): LiveObject {
  return {
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Backup', status },
    metadata: { name: 'b', uid: 'b', resourceVersion: '1', ...metadata },
  } as LiveObject
}

const made = (databaseUID: string) => ({ artifact: { uri: 'pvc://backups/x' }, source: { databaseUID } })
const verified = [condition('Verified', 'True', 'RestoreVerified'), condition('Ready', 'True', 'RestoreVerified')]
const unproven = [condition('Verified', 'False', 'ManifestMismatch'), condition('Stalled', 'True', 'ManifestMismatch')]

describe('a Backup that a Database has made of itself', () => {
  it.each([
    ['is not there yet', undefined, 'underWay', /about to be made/],
    ['was just made', backupWith({}), 'underWay', /nobody has looked/],
    [
      'waits',
      backupWith({ conditions: [condition('Ready', 'False', 'ServerUnreachable')] }),
      'underWay',
      /ServerUnreachable: it is/,
    ],
    [
      'goes',
      backupWith({ ...made(uid), conditions: verified }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      'underWay',
      /made again/,
    ],
    [
      'could not be made',
      backupWith({ conditions: [condition('Stalled', 'True', 'StoreFull')] }),
      'failed',
      /^StoreFull: it is/,
    ],
    ['does not restore', backupWith({ ...made(uid), conditions: unproven }), 'failed', /^ManifestMismatch/],
    ['is of another database', backupWith({ ...made('other'), conditions: verified }), 'failed', /of another database/],
    [
      'is only stored',
      backupWith({ ...made(uid), conditions: [condition('Completed', 'True', 'Completed')] }),
      'underWay',
      /looked/,
    ],
  ] as const)('that %s does not count', (_, found, kind, message) => {
    expect(ownBackupState(databaseObject(), found)).toEqual({ kind, message: expect.stringMatching(message) })
  })

  it('that was restored and belongs to this database counts', () => {
    const found = backupWith({ ...made(uid), conditions: verified })
    expect(ownBackupState(databaseObject(), found)).toEqual({ kind: 'verified', uri: 'pvc://backups/x' })
  })

  it('has its own name for each Database, purpose and target, and none without a target', () => {
    const other = { pvc: { claimName: 'other' } }
    const of = (target: typeof snapshotTarget, purpose = 'final', metadata: object = {}) =>
      ownBackup(databaseObject({ snapshotTarget: target }, { metadata: metadata as LiveObject['metadata'] }), purpose)
        ?.name
    const names = [of(snapshotTarget), of(other), of(snapshotTarget, 'up-1'), of(snapshotTarget, 'final', { uid: 'u' })]
    expect(new Set(names).size).toBe(4)
    expect(names[0]).toMatch(/^shop-db-final-[0-9a-f]{8}$/)
    expect(of(snapshotTarget)).toBe(names[0])
    const long = of(snapshotTarget, 'final', { name: `${'a'.repeat(39)}.${'b'.repeat(60)}` })
    expect(long).toMatch(/^a{39}-final-[0-9a-f]{8}$/)
    expect(ownBackup(databaseObject(), 'final')).toBeUndefined()
  })
})
