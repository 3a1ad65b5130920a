// Restores in the status of a Database: the last one, and a later request that cannot start.
import { describe, expect, it } from 'vitest'
import type { DatabaseFacts } from '../../../../src/controllers/database/database-facts.ts'
import type { RestoreRecord } from '../../../../src/controllers/database/restore/restore-request.ts'
import {
  type RestoreInput,
  type RestoreState,
  restoreState,
} from '../../../../src/controllers/database/restore/restore-state.ts'
import { withRestore } from '../../../../src/controllers/database/restore/restore-status.ts'
import { access, databaseObject } from '../databases.ts'

const nowMs = Date.parse('2026-03-29T12:00:00Z')
const identity = { systemIdentifier: '7', databaseOID: 9 }
const done: RestoreRecord = {
  ...{
    requestID: 'r1',
    phase: 'Completed',
    reason: 'RestoreCompleted',
    message: 'the database has what the backup has',
  },
  ...{ startedAt: '2026-03-29T11:00:00Z', replaces: { ...identity, databaseOID: 1 } },
}
const from = { backupRef: { name: 'b' } }
const [first, next] = ['r1', 'r2'].map((requestID) => ({ requestID, from, isFirst: false, keepMs: 0 }))
const moving = {
  kind: 'waiting',
  reason: 'DatabaseMoving',
  message: 'the upgrade of the database is under way',
} as const
const kept = {
  ...{ requestID: 'r0', databaseName: 'crm_old_r0' },
  ...{ replacedAt: '2026-03-29T10:00:00Z', keptUntil: '2026-03-29T11:30:00Z' },
}

function standing(input: Partial<RestoreInput>): RestoreState {
  const common = { record: done, asked: first, identity, problem: undefined, nowMs }
  return restoreState({ ...common, runOf: () => ({ kind: 'none' }), ...input })
}

function restored(input: Partial<RestoreInput>): string {
  const restore = { ...standing(input), isAwaited: false, isServerHeld: false, isFilled: false, kept: [] }
  const facts: DatabaseFacts = { connection: { kind: 'known', access }, users: [], restore }
  const object = databaseObject({}, { status: { restore: done } })
  const context = { object, facts, outcome: { kind: 'settled' }, children: [], externals: [], sagas: [] } as const
  const { conditions } = withRestore({ fields: {}, conditions: [] }, context)
  return conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`).join('\n')
}

describe('the condition Restored', () => {
  it.each<[string, Partial<RestoreInput>, string]>([
    ['is of the last request', {}, 'True RestoreCompleted: request r1: the database has what the backup has'],
    [
      'is so while it is not asked for any more',
      { asked: undefined, problem: moving },
      'True RestoreCompleted: request r1: the database has what the backup has',
    ],
    [
      'is of the next one while that waits',
      { asked: next, problem: moving },
      'Unknown DatabaseMoving: request r2 waits: the upgrade of the database is under way',
    ],
    [
      'is of the next one while it is not known what the last one has put there',
      { asked: next, identity: { ...identity, databaseOID: 1 } },
      'Unknown DatabaseNotReady: request r2 waits: the database is being looked at',
    ],
    [
      'is of one that has run before and is asked for again',
      { asked: next, record: { ...done, earlierRequests: ['r2'] } },
      'Unknown RequestIDUsed: request r2 has run, and each runs once; give another requestID',
    ],
    [
      'says what keeps what was replaced from being dropped',
      {
        record: { ...done, previous: [kept] },
        runOf: () => ({
          kind: 'failed',
          report: { outcome: 'Stopped', reason: 'InsufficientPrivilege', message: 'permission denied' },
          endedAtMs: nowMs,
        }),
      },
      'True RestoreCompleted: request r1: the database has what the backup has; crm_old_r0 could not be dropped, and is tried again within the hour: permission denied',
    ],
  ])('%s', (_, input, expected) => {
    expect(restored(input)).toBe(`Restored=${expected}`)
  })
})
