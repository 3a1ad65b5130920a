// Remains of a replication when a Migration is deleted, and what blocks the deletion. One row for each state.
import { describe, expect, it } from 'vitest'
import type { RecordedStep } from '../../../src/controllers/engines/recorded-step.ts'
import type { MigrationObject } from '../../../src/controllers/migration/desired-worker.ts'
import {
  type Followed,
  followedBy,
  isFree,
  preDeleteProblem,
} from '../../../src/controllers/migration/migration-pre-delete.ts'
import type { LiveObject } from '../../../src/index.ts'

interface Told {
  readonly state?: 'Pending' | 'Running' | 'Applied'
  readonly source?: string
  readonly replication?: string
}

const mode = (copyMode: 'Logical' | 'Snapshot', told?: Told, annotations: Record<string, string> = {}) =>
  ({
    metadata: { name: 'v1', namespace: 'shop', annotations },
    spec: { steps: [{ name: 'rows', type: 'Copy', copy: { from: { name: 'old' }, tables: ['t'], mode: copyMode } }] },
    status: told === undefined ? {} : { steps: [{ name: 'rows', state: 'Pending', ...told }] },
  }) as unknown as MigrationObject // The code reads these fields only.

const job = (isComplete: boolean): LiveObject => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'worker', uid: 'u', resourceVersion: '1' } },
  status: isComplete ? { conditions: [{ type: 'Complete', status: 'True' }] } : {},
})
const seen = { name: 'rows', followed: 'shop/old' } as RecordedStep // The code reads these fields only.
const rows: Followed = { step: 'rows', source: 'shop/old', replication: undefined }

describe('the replications of a deleted Migration', () => {
  it.each<[string, MigrationObject, readonly RecordedStep[], readonly LiveObject[], readonly Followed[]]>([
    ['nothing, before a worker', mode('Logical'), [], [], []],
    ['perhaps something, with a worker at it', mode('Logical'), [], [job(false)], [rows]],
    ['nothing, of a copy by ranges', mode('Snapshot'), [], [job(false)], []],
    ['nothing, of a worker that is done', mode('Logical'), [], [job(true)], []],
    ['nothing, of a step that is done', mode('Logical', { state: 'Applied' }), [], [job(false)], []],
    ['what the marks say', mode('Snapshot'), [seen], [], [rows]],
    [
      'what the status has told, though no operator has seen it',
      mode('Snapshot', { source: 'shop/old', replication: 'konverge_1' }),
      ...([[], [], [{ ...rows, replication: 'konverge_1' }]] as const),
    ],
  ])('are %s', (_, object, record, children, expected) => {
    expect(followedBy(object, { record, children })).toEqual(expected)
  })

  it('do not block the deletion when they are removed or abandoned, and no other annotation value releases them', () => {
    expect(isFree(mode('Logical'), [rows])).toBe(false)
    expect(isFree(mode('Logical', undefined, { 'konverge.dev/abandon-external': 'yes' }), [rows])).toBe(false)
    expect(isFree(mode('Logical', undefined, { 'konverge.dev/abandon-external': 'true' }), [rows])).toBe(true)
    expect(isFree({ ...mode('Logical'), status: { phase: 'Parted' } }, [rows])).toBe(true)
  })
})

it('a blocked deletion reports its reason, and whether a retry may help', () => {
  expect(preDeleteProblem({ kind: 'none' })).toBeUndefined()
  expect(preDeleteProblem({ kind: 'active', last: undefined })).toBeUndefined()
  const lost = { outcome: 'Interrupted', reason: 'ServerUnreachable', message: 'nobody answers' } as const
  expect(preDeleteProblem({ kind: 'active', last: lost })).toMatchObject({
    ...{
      kind: 'waiting',
      reason: 'ServerUnreachable',
      message: expect.stringMatching(/^nobody answers; .*abandon-external/),
    },
  })
  const left = { outcome: 'Stopped', reason: 'ReplicationLeft', message: 'the slot is left' } as const
  expect(preDeleteProblem({ kind: 'ended', report: left, endedAtMs: 0 })).toMatchObject({ kind: 'refused' })
  expect(preDeleteProblem({ kind: 'ended', report: { outcome: 'Completed' }, endedAtMs: 0 })).toBeUndefined()
})
