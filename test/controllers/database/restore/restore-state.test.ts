import { describe, expect, it } from 'vitest'
import type { WorkRun } from '../../../../src/controllers/backup/work-run.ts'
import type { RestoreRecord, RestoreRequest } from '../../../../src/controllers/database/restore/restore-request.ts'
import {
  type RestoreInput,
  type RestoreState,
  restoreState,
} from '../../../../src/controllers/database/restore/restore-state.ts'

const nowMs = Date.parse('2026-03-29T12:00:00Z')
const identity = { systemIdentifier: '7', databaseOID: 1 }
const asked: RestoreRequest = { requestID: 'r1', from: { backupRef: { name: 'b' } }, isFirst: false, keepMs: 3_600_000 }
const begun: RestoreRecord = {
  requestID: 'r1',
  phase: 'Pending',
  startedAt: '2026-03-29T11:59:00Z',
  replaces: identity,
}
const kept = {
  requestID: 'r0',
  databaseName: 'crm_old_r0',
  replacedAt: '2026-03-29T10:00:00Z',
  keptUntil: '2026-03-29T11:00:00Z',
}
const none: WorkRun = { kind: 'none' }
const endedAtMs = nowMs - 1_000
const broken = { outcome: 'Stopped', reason: 'ChecksumMismatch', message: 'it is cut off' } as const
const done: WorkRun = {
  kind: 'completed',
  report: { outcome: 'Completed', restored: { providerID: 'pg://7/2', former: 'crm_old_r1' } },
  endedAtMs,
}
const nothing: WorkRun = { kind: 'completed', report: { outcome: 'Completed' }, endedAtMs }
const problem = { kind: 'waiting', reason: 'BackupMissing', message: 'there is no Backup b' } as const

function standing(input: Partial<RestoreInput>): RestoreState {
  return restoreState({ record: undefined, asked, identity, problem: undefined, runOf: () => none, nowMs, ...input })
}

/** Returns e.g. `Completed RestoreCompleted, restore`: the recorded state, and the work that needs a worker. */
function told({ record, work, problem: found }: RestoreState): string {
  const words = [record === undefined ? 'nothing' : `${record.requestID} ${record.phase} ${record.reason ?? ''}`.trim()]
  if (work !== undefined) words.push(work.kind === 'restore' ? 'restore' : `${work.kind} ${work.requestID}`)
  if (found !== undefined) words.push(`(${found.reason})`)
  return words.join(', ')
}

const at = (phase: RestoreRecord['phase'], more: Partial<RestoreRecord> = {}): RestoreRecord => ({
  ...begun,
  phase,
  ...more,
})
const always = (run: WorkRun) => ({ runOf: () => run })

describe('the restore of a Database', () => {
  it.each<[string, Partial<RestoreInput>, string]>([
    ['is recorded before anything is done', {}, 'r1 Pending WorkerStarting'],
    ['is not begun where nothing is asked for', { asked: undefined }, 'nothing'],
    ['is not begun while nobody can get at the server', { problem }, 'nothing, (BackupMissing)'],
    ['is not begun while the database is not there', { identity: undefined }, 'nothing, (DatabaseNotReady)'],
    [
      'is begun without one where it is the first',
      { asked: { ...asked, isFirst: true }, identity: undefined },
      'r1 Pending WorkerStarting',
    ],
    ['has a worker once it is recorded', { record: begun }, 'r1 Pending WorkerStarting, restore'],
    ['waits for what it is from', { record: begun, problem }, 'r1 Pending BackupMissing, (BackupMissing)'],
    [
      'is given up when nobody asks for it before it has a worker',
      { record: begun, asked: undefined },
      'r1 Discarding Withdrawn',
    ],
    [
      'is given up when nobody asks for it while its worker is at it',
      { record: at('Restoring'), asked: undefined, ...always({ kind: 'active', last: undefined }) },
      'r1 Discarding Withdrawn',
    ],
    [
      'is given up when another one is asked for meanwhile',
      { record: at('Restoring'), asked: { ...asked, requestID: 'r2' }, ...always({ kind: 'active', last: undefined }) },
      'r1 Discarding Withdrawn',
    ],
    [
      'is done when nobody asks for it after its worker was',
      { record: at('Restoring'), asked: undefined, ...always(done) },
      'r1 Completed RestoreCompleted, restore',
    ],
    [
      'goes on when its Backup is gone meanwhile',
      { record: at('Restoring'), problem, ...always({ kind: 'active', last: undefined }) },
      'r1 Restoring Restoring, restore',
    ],
    [
      'is given up as well while it is not known with what a server is to begin',
      { record: begun, asked: undefined, isServerHeld: true },
      'r1 Discarding Withdrawn',
    ],
    [
      'needs nobody for that',
      { record: at('Discarding', { reason: 'Withdrawn' }), isServerHeld: true },
      'r1 Failed Withdrawn',
    ],
    [
      'needs somebody where a volume may have been filled',
      { record: at('Discarding', { reason: 'Withdrawn' }), isServerHeld: true, method: 'Physical' },
      'r1 Discarding Withdrawn, settle r1',
    ],
    [
      'tells why the last try was one',
      { record: at('Restoring'), ...always({ kind: 'active', last: { ...broken, outcome: 'Interrupted' } }) },
      'r1 Restoring ChecksumMismatch, restore',
    ],
    [
      'is complete when its worker says so',
      { record: at('Restoring'), ...always(done) },
      'r1 Completed RestoreCompleted, restore',
    ],
    [
      'asks again when its worker ended without a word',
      { record: at('Restoring'), ...always({ kind: 'completed', report: undefined, endedAtMs }) },
      'r1 Restoring',
    ],
    [
      'removes what it has made when it has failed',
      { record: at('Restoring'), ...always({ kind: 'failed', report: broken, endedAtMs }) },
      'r1 Discarding ChecksumMismatch, restore',
    ],
    [
      'has a worker for that',
      { record: at('Discarding', { reason: 'ChecksumMismatch' }) },
      'r1 Discarding ChecksumMismatch, settle r1',
    ],
    [
      'has failed once nothing is left',
      { record: at('Discarding', { reason: 'ChecksumMismatch' }), ...always(nothing) },
      'r1 Failed ChecksumMismatch, settle r1',
    ],
    [
      'is complete when that finds it done',
      { record: at('Discarding', { reason: 'Killed' }), ...always(done) },
      'r1 Completed RestoreCompleted, settle r1',
    ],
    [
      'says what keeps it from being removed',
      { record: at('Discarding', { reason: 'Killed' }), ...always({ kind: 'failed', report: broken, endedAtMs }) },
      'r1 Discarding Killed, settle r1, (ChecksumMismatch)',
    ],
    ['rests when it is complete', { record: at('Completed') }, 'r1 Completed'],
    ['rests when it has failed', { record: at('Failed') }, 'r1 Failed'],
    [
      'is not followed by another before it is known what took the place',
      { record: at('Completed'), asked: { ...asked, requestID: 'r2' } },
      'r1 Completed, (DatabaseNotReady)',
    ],
    [
      'is followed by another after that',
      { record: at('Completed', { replaces: { ...identity, databaseOID: 9 } }), asked: { ...asked, requestID: 'r2' } },
      'r2 Pending WorkerStarting',
    ],
    [
      'is followed by another when it has failed',
      { record: at('Failed'), asked: { ...asked, requestID: 'r2' } },
      'r2 Pending WorkerStarting',
    ],
    [
      'never runs twice',
      { record: at('Failed', { earlierRequests: ['r2'] }), asked: { ...asked, requestID: 'r2' } },
      'r1 Failed, (RequestIDUsed)',
    ],
    [
      'leaves what it has replaced as long as it is kept',
      { record: at('Completed', { previous: [{ ...kept, keptUntil: '2026-03-29T13:00:00Z' }] }) },
      'r1 Completed',
    ],
    ['lets go of it then', { record: at('Completed', { previous: [kept] }) }, 'r1 Completed, drop r0'],
    [
      'lets go of nothing while the server is out of reach',
      { record: at('Completed', { previous: [kept] }), problem },
      'r1 Completed',
    ],
  ])('%s', (_, input, expected) => {
    expect(told(standing(input))).toBe(expected)
  })

  it('records the method of its backup at the start', () => {
    expect(standing({ record: begun }).record?.method).toBeUndefined()
    expect(standing({ record: begun, method: 'Physical' }).record).toMatchObject({
      phase: 'Pending',
      method: 'Physical',
    })
    const working = standing({ record: begun, method: 'Physical', ...always({ kind: 'active', last: undefined }) })
    expect(working.record).toMatchObject({ method: 'Physical', message: 'the volume of the server is filled' })
  })

  it('keeps the replaced database, and not the undone one', () => {
    const undo: RestoreRequest = { ...asked, requestID: 'u1', from: { previousOf: 'r0' } }
    const record = at('Restoring', { requestID: 'u1', previous: [kept] })
    expect(standing({ record, asked: undo, ...always(done) }).record?.previous).toEqual([
      {
        ...{ requestID: 'u1', databaseName: 'crm_old_r1', replacedAt: '2026-03-29T12:00:00Z' },
        keptUntil: '2026-03-29T13:00:00Z',
      },
    ])
  })

  it('keeps it as long as the current spec requests', () => {
    const record = at('Completed', { previous: [{ ...kept, requestID: 'r1', keptUntil: '2026-03-29T13:00:00Z' }] })
    expect(told(standing({ record, asked: { ...asked, keepMs: 60_000 } }))).toBe('r1 Completed, drop r1')
    const longer = standing({ record, asked: { ...asked, keepMs: 24 * 3_600_000 } })
    expect(longer).toMatchObject({ record: { previous: [{ keptUntil: '2026-03-30T10:00:00Z' }] } })
    expect(longer.dueAtMs).toBe(Date.parse('2026-03-30T10:00:00Z'))
  })

  it('reports how long it is kept, and no longer after it was dropped', () => {
    const own = { ...kept, requestID: 'r1', databaseName: 'crm_old_r1' }
    const record = at('Completed', { previous: [own], message: 'what was there before is crm_old_r1' })
    const longer = standing({ record, asked: { ...asked, keepMs: 24 * 3_600_000 } })
    expect(longer.record?.message).toContain('crm_old_r1, until 2026-03-30T10:00:00Z at least')
    const { previous, message } = standing({ record, ...always(nothing) }).record ?? {}
    expect({ previous, message }).toEqual({
      previous: [],
      message: 'the database is what was asked for; what was there before has been dropped',
    })
  })

  it('records the completed requests', () => {
    const record = at('Failed', { earlierRequests: ['a', 'b'] })
    expect(standing({ record, asked: { ...asked, requestID: 'r2' } }).record?.earlierRequests).toEqual(['a', 'b', 'r1'])
  })

  it('removes a database from the list when it is dropped', () => {
    const record = at('Completed', { previous: [kept] })
    expect(standing({ record, ...always(nothing) }).record?.previous).toEqual([])
  })

  it('retries within the hour when a database could not be dropped', () => {
    const record = at('Discarding', { startedAt: '2026-03-29T11:30:00Z' })
    expect(standing({ record, ...always({ kind: 'failed', report: broken, endedAtMs }) }).dueAtMs).toBe(
      Date.parse('2026-03-29T12:30:00Z'),
    )
  })
})
