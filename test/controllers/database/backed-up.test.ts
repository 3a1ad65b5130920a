// Backup state of a database, derived from its Backups. One row for each state, and the time at which it changes.
import { describe, expect, it } from 'vitest'
import { backedUp } from '../../../src/controllers/database/backed-up.ts'
import { withBackups } from '../../../src/controllers/database/backed-up-status.ts'
import { backupDigest } from '../../../src/controllers/database/backup-watch.ts'
import type { LiveObject } from '../../../src/index.ts'
import { live } from '../../objects.ts'
import { access, databaseObject, uid } from './databases.ts'

const nowMs = Date.parse('2026-03-10T12:00:00Z')
const completedAt = '2026-03-10T02:31:00Z'
const [verified, overdue] = ['Verified', 'Overdue'].map((type) => ({ type, status: 'True' }))

interface Given {
  readonly spec?: object
  readonly status?: object
  readonly metadata?: object
}

function backup(name: string, { spec = {}, status = {}, metadata = {} }: Given): LiveObject {
  return live({
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Backup' },
    metadata: { name, namespace: 'shop', ...metadata },
    spec: { databaseRef: { name: 'shop-db' }, ...spec },
    status,
  })
}

const complete = { phase: 'Completed', completedAt, source: { databaseUID: uid } }
const made = (name: string, status: object = {}, spec: object = {}) =>
  backup(name, { spec, status: { ...complete, ...status } })
const nightly = (status: object = {}, spec: object = {}) =>
  backup('nightly', { spec: { schedule: '30 2 * * *', ...spec }, status: { phase: 'Scheduled', ...status } })

describe('the backup state of a database', () => {
  it.each<[string, readonly LiveObject[], string, RegExp]>([
    ['not without a Backup', [], 'False Never', /^no Backup saves it$/],
    [
      'not by a Backup of another',
      [made('a', {}, { databaseRef: { name: 'crm' } })],
      'False Never',
      /^no Backup saves it$/,
    ],
    [
      'not by one of an earlier Database of its name',
      [made('a', { source: { databaseUID: 'other' } })],
      'False Never',
      /no backup of it is complete$/,
    ],
    ['not by one under way', [made('a', { phase: 'Running' })], 'False Never', /no backup of it is complete$/],
    ['not by one that is being proven for the first time', [made('a', { phase: 'Verifying' })], 'False Never', /./],
    ['not by one that was found wrong', [made('a', { phase: 'Failed' })], 'False Never', /./],
    [
      'not by one that goes',
      [backup('a', { status: complete, metadata: { deletionTimestamp: completedAt } })],
      'False Never',
      /./,
    ],
    ['not by a schedule that has made none', [nightly()], 'False Never', /no backup of it is complete$/],
    [
      'not by a schedule that should have made one',
      [nightly({ conditions: [overdue] })],
      'False Never',
      /; of schedule nightly a backup is overdue$/,
    ],
    [
      'by the last that is complete',
      [made('a', { completedAt: '2026-03-09T02:31:00Z' }), made('b', { conditions: [verified] }), nightly()],
      'True LastBackupFresh',
      /^Backup b was complete at 2026-03-10T02:31:00Z, and is proven$/,
    ],
    [
      'by one that is proven once more',
      [made('a', { phase: 'Verifying', verifiedAt: completedAt })],
      'True LastBackupFresh',
      /^Backup a was complete at 2026-03-10T02:31:00Z$/,
    ],
    [
      'by an old one, where no schedule says that there should be another',
      [made('a', { completedAt: '2026-02-01T00:00:00Z' }), nightly()],
      'True LastBackupFresh',
      /./,
    ],
    [
      'no more where a schedule is overdue',
      [made('a'), nightly({ conditions: [overdue] })],
      'False Stale',
      /^Backup a was complete at .*Z; of schedule nightly a backup is overdue$/,
    ],
    [
      'not by one that a clock has made that was ahead',
      [made('a', { completedAt: '2036-03-10T00:00:00Z' }), made('b')],
      'True LastBackupFresh',
      /^Backup b was complete at/,
    ],
    ['for a week where there is no schedule', [made('a')], 'True LastBackupFresh', /./],
    [
      'no more after a week where there is none',
      [made('a', { completedAt: '2026-03-03T12:00:00Z' })],
      'False Stale',
      /more than a week ago, and no schedule makes others$/,
    ],
    [
      'no more after a week where the schedule is suspended',
      [made('a', { completedAt: '2026-03-03T12:00:00Z' }), nightly({}, { suspend: true })],
      'False Stale',
      /no schedule makes others$/,
    ],
    [
      'no more after a week where the schedule cannot be read',
      [
        made('a', { completedAt: '2026-03-03T12:00:00Z' }),
        nightly({ conditions: [{ type: 'Overdue', status: 'Unknown' }] }),
      ],
      'False Stale',
      /no schedule makes others$/,
    ],
    [
      'no more after a week where the schedule is paused',
      [
        made('a', { completedAt: '2026-03-03T12:00:00Z' }),
        nightly({ conditions: [{ type: 'Paused', status: 'True' }] }),
      ],
      'False Stale',
      /no schedule makes others$/,
    ],
  ])('%s', (_, backups, standing, message) => {
    const known = backedUp({ object: databaseObject(), backups, nowMs })
    expect(`${known.status} ${known.reason}`).toBe(standing)
    expect(known.message).toMatch(message)
  })

  it('reports when its last backup becomes too old', () => {
    const due = (...backups: LiveObject[]) => backedUp({ object: databaseObject(), backups, nowMs }).dueAtMs
    expect(due(made('a'))).toBe(Date.parse('2026-03-17T02:31:00Z'))
    expect(due(made('a'), nightly())).toBeUndefined()
    expect(due(made('a', { completedAt: '2026-03-03T12:00:00Z' }))).toBeUndefined()
  })
})

describe('the condition BackedUp', () => {
  const status = { fields: {}, conditions: [] }
  const context = (object: LiveObject, facts: object | undefined) =>
    ({ object, facts, outcome: { kind: 'settled' }, children: [], externals: [], sagas: [] }) as never // The context of a Database has this form.
  const fresh = { status: 'True', reason: 'LastBackupFresh', message: 'm' } as const
  const told = { ...fresh, type: 'BackedUp', lastTransitionTime: completedAt, observedGeneration: 1 }

  it('follows the Backups, and keeps its last value when they cannot be read', () => {
    const facts = { connection: { kind: 'known', access }, users: [], backedUp: { ...fresh, dueAtMs: 7 } }
    expect(withBackups(status, context(databaseObject(), facts))).toEqual({
      ...{ ...status, dueAtMs: [7] },
      conditions: [{ type: 'BackedUp', ...fresh }],
    })
    const object = databaseObject({}, { status: { conditions: [told] } })
    expect(withBackups(status, context(object, undefined)).conditions).toEqual([{ type: 'BackedUp', ...fresh }])
    expect(withBackups(status, context(databaseObject(), undefined))).toBe(status)
  })

  it('follows the reports of Backups about it, and nothing else in them', () => {
    const digest = backupDigest(made('a'))
    const paused = { type: 'Paused', status: 'True' }
    const conditions = [verified, overdue, paused].map((condition) => ({ conditions: [condition] }))
    for (const status of [{ phase: 'Failed' }, { completedAt: 'x' }, ...conditions, { folder: 'f' }]) {
      expect(backupDigest(made('a', status))).not.toBe(digest)
    }
    expect(backupDigest(made('a', {}, { suspend: true }))).not.toBe(digest)
    expect(backupDigest(made('a', { counts: { kept: 1 }, nextScheduleTime: 'x' }))).toBe(digest)
  })
})
