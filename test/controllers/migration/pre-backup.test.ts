// Backup before the steps of a Migration. One row for each case.
import { describe, expect, it } from 'vitest'
import { desiredPreBackup } from '../../../src/controllers/migration/pre-backup.ts'
import { databaseObject } from '../database/databases.ts'

const database = databaseObject({ snapshotTarget: { pvc: { claimName: 'backups' } } })
const asking = (preBackup?: { required: boolean; verified: boolean }, uid = 'm') => ({
  metadata: { uid },
  spec: preBackup === undefined ? {} : { preBackup },
})
const always = { required: true, verified: true }

describe('the backup before the steps', () => {
  it.each([
    ['that is not asked for', asking()],
    ['that is not required', asking({ required: false, verified: true })],
  ])('is absent when %s', (_, object) => {
    expect(desiredPreBackup(object, 'plan', database)).toBeUndefined()
  })

  it.each([
    ['proven', always, 'Restore'],
    ['only stored', { required: true, verified: false }, 'None'],
  ] as const)('is %s as requested', (_, preBackup, proof) => {
    expect(desiredPreBackup(asking(preBackup), 'plan', database)).toMatchObject({ proof, database: 'shop-db' })
  })

  it('differs for other steps and for another Migration', () => {
    const wishes = [
      desiredPreBackup(asking(always), 'plan', database),
      desiredPreBackup(asking(always), 'other', database),
      desiredPreBackup(asking(always, 'n'), 'plan', database),
    ]
    expect(new Set(wishes.map((wish) => (wish && 'name' in wish ? wish.name : undefined))).size).toBe(3)
  })

  it('has no target when its Database names none, and a message reports it', () => {
    expect(desiredPreBackup(asking(always), 'plan', databaseObject())).toEqual({
      kind: 'refused',
      reason: 'SnapshotTargetMissing',
      message:
        'Database shop-db has no spec.snapshotTarget, which says where the backup before the steps is kept; set one, or leave ' +
        'spec.preBackup out',
    })
  })
})
