// Decisions of a schedule about its Backups, and the reported status. Invariant: Backups being deleted do not count
// toward retention.
import { describe, expect, it } from 'vitest'
import { type BackupObject, slotAnnotation } from '../../../src/controllers/backup/desired-work.ts'
import {
  type PlannedSchedule,
  type ScheduleInput,
  scheduleFacts,
} from '../../../src/controllers/backup/schedule-facts.ts'
import { scheduleStatus, unreadableStatus } from '../../../src/controllers/backup/schedule-status.ts'

const nowMs = Date.parse('2026-03-10T12:10:00Z')
const kind = { apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Backup' }
const common = { databaseRef: { name: 'crm' }, verify: { mode: 'None', every: 1 }, deadline: '1h', options: {} }
const artifact = { uri: 'pvc://backups/a', bytes: 1, format: 'pg_dump/custom' }
const complete = { phase: 'Completed', artifact }

function schedule(spec: object = {}): BackupObject {
  return {
    ...kind,
    metadata: { name: 'nightly', namespace: 'shop', uid: 's', creationTimestamp: '2026-03-01T00:00:00Z' },
    spec: {
      ...{ ...common, schedule: '0 * * * *', startingDeadlineSeconds: 3_600, concurrency: 'Replace' },
      ...spec,
    },
  } as unknown as BackupObject // The test reads these fields only.
}

/** A Backup scheduled at this hour of the day. */
function child(hour: string, status: object, own: { spec?: object; metadata?: object } = {}): BackupObject {
  const slot = `2026-03-10T${hour}:00:00Z`
  return {
    ...kind,
    metadata: {
      ...{ name: `of-${hour}`, namespace: 'shop', uid: hour, creationTimestamp: slot },
      annotations: { [slotAnnotation]: slot },
      ...own.metadata,
    },
    spec: { ...common, artifactPolicy: 'Retain', startingDeadlineSeconds: 3_600, ...own.spec },
    status,
  } as unknown as BackupObject // The test reads these fields only.
}

/** A clock that was a month ahead of the API server's set this scheduled time. */
const slotAhead = { annotations: { [slotAnnotation]: '2026-04-10T09:00:00Z' } }

/** A Backup being deleted together with its artifact. */
const leaving = { spec: { artifactPolicy: 'Delete' }, metadata: { ownerReferences: [{ uid: 's' }] } }

function facts(object: BackupObject, ...children: BackupObject[]): PlannedSchedule {
  const found = scheduleFacts({ object, children, awaited: new Set(), nowMs })
  if (found.due === undefined) throw new Error(found.problem.message)
  return found
}

const rejection = { kind: 'refused', reason: 'SecretNotAllowed', message: 'Secret keys is closed' } as const

/** Returns the status of a schedule whose store may not be used. */
function held(input: Pick<ScheduleInput, 'object' | 'children'>) {
  const plan = scheduleFacts({ ...input, awaited: new Set(), nowMs, rejection })
  if (plan.due === undefined) throw new Error(plan.problem.message)
  return { plan, status: scheduleStatus(input.object, plan, false) }
}

describe('a schedule', () => {
  it('does not count Backups that are being deleted', () => {
    const object = schedule({ retention: { keepLast: 1 } })
    const plan = facts(object, child('10', complete), child('11', complete, leaving))
    expect(plan.removed).toEqual([])
    const wished = plan.children.find(({ name }) => name === 'of-10')
    expect(wished).toMatchObject({ stays: true, spec: { artifactPolicy: 'Retain' } })
    const { conditions } = scheduleStatus(object, plan, true)
    const pruning = conditions.find(({ type }) => type === 'RetentionApplied')
    expect(pruning).toMatchObject({ status: 'False', message: expect.stringMatching(/^of-11 /) })
  })

  it.each([
    [{ phase: 'Running' }, 'Active'],
    [{ phase: 'Pending' }, 'Active'],
    [{ phase: 'Failed' }, 'Failed'],
    [{ ...complete, phase: 'Verifying' }, 'Proving'],
    [{ ...complete, phase: 'Pending' }, 'Proving'],
    [complete, 'Completed'],
    [{ ...complete, phase: 'Verifying', verifiedAt: '2026-03-10T11:10:00Z' }, 'Completed'],
    [{ ...complete, phase: 'Pending', verifiedAt: '2026-03-10T11:10:00Z' }, 'Completed'],
    [{ ...complete, phase: 'Failed' }, 'Unproven'],
  ])('classifies a Backup with the status %j as %s', (status, state) => {
    expect(facts(schedule(), child('11', status)).found).toMatchObject([{ state }])
  })

  it('ignores a Backup that was recreated after its scheduled time, unless it has its artifact', () => {
    const again = { metadata: { creationTimestamp: '2026-03-10T12:05:00Z' } }
    const found = (hour: string, status: object) => facts(schedule(), child(hour, status, again)).found[0]?.state
    expect([found('09', {}), found('10', {}), found('11', {})]).toEqual(['Failed', 'Failed', 'Active'])
    expect(found('09', complete)).toBe('Completed')
  })

  it.each([
    ['Restore', { ...complete, phase: 'Verifying' }, 'Checksum'],
    ['Restore', { ...complete, phase: 'Pending' }, 'Checksum'],
    // No restore runs for it, and a failed one is no longer restored.
    ['Checksum', { ...complete, phase: 'Verifying' }, 'Restore'],
    ['Restore', { phase: 'Running' }, 'Restore'],
    ['Restore', { ...complete, phase: 'Failed' }, 'Restore'],
    ['Restore', complete, 'Restore'],
  ])(
    'restores one backup at a time: while a %s backup has the status %j, the next one is verified by %s',
    (mode, status, next) => {
      const object = schedule({ verify: { mode: 'Restore', every: 1 } })
      const proving = child('10', status, { spec: { verify: { mode, every: 1 } } })
      // A Backup that was verified by checksum since does not count as restored.
      const read = child('11', complete, { spec: { verify: { mode: 'Checksum', every: 1 } } })
      const made = facts(object, proving, read).children.find(({ name }) => !name.startsWith('of-'))
      expect(made?.spec.verify.mode).toBe(next)
    },
  )

  it.each([
    // The limit is three hours: startingDeadlineSeconds and twice the deadline. It is 12:10.
    ['has been proven for less than it may take', '10', {}, 'Checksum'],
    ['hangs', '09', {}, 'Restore'],
    ['hangs, of a slot that a clock has told that was ahead', '09', { metadata: slotAhead }, 'Restore'],
    ['is on its way out', '10', leaving, 'Restore'],
  ])(
    'limits the wait for a verification: while one %s (of %s:00, %j), the next one is verified by %s',
    (_, hour, own, next) => {
      const object = schedule({ verify: { mode: 'Restore', every: 1 } })
      const verify = { mode: 'Restore', every: 1 }
      const { spec = {}, metadata = {} }: { spec?: object; metadata?: object } = own
      const proving = child(hour, { ...complete, phase: 'Verifying' }, { spec: { ...spec, verify }, metadata })
      const made = facts(object, proving).children.find(({ name }) => !name.startsWith('of-'))
      expect(made?.spec.verify.mode).toBe(next)
    },
  )

  it('uses the creation time of a Backup when the clock of its scheduled time was ahead', () => {
    const object = schedule({ retention: { keepLast: 1, keepDaily: 9, maxAge: '48h' } })
    const slot = '2026-04-10T11:00:00Z'
    const metadata = { annotations: { [slotAnnotation]: slot } }
    const children = [child('08', complete), child('11', complete, { metadata })]
    const ahead = scheduleFacts({ object, children, awaited: new Set(), nowMs: Date.parse('2026-04-10T11:10:00Z') })
    // Both belong to one day, of which the newest one stays.
    expect(ahead).toMatchObject({ removed: ['of-08'] })
    const before = child('07', complete, { metadata: { annotations: { [slotAnnotation]: '2026-03-09T07:00:00Z' } } })
    expect(
      scheduleFacts({ object, children: [...children, before], awaited: new Set(), nowMs: Date.parse(slot) }),
    ).toMatchObject({ removed: ['of-08'] })
  })

  it('counts a backup scheduled at midnight for that day, although the API server created it a second before', () => {
    const object = schedule({ schedule: '0 0 * * *', retention: { keepLast: 1, keepDaily: 7 } })
    const night = (slot: string, creationTimestamp: string) => {
      const metadata = { name: slot, uid: slot, creationTimestamp, annotations: { [slotAnnotation]: slot } }
      return child('00', complete, { metadata })
    }
    const plan = facts(
      object,
      night('2026-03-08T00:00:00Z', '2026-03-08T00:00:00Z'),
      night('2026-03-09T00:00:00Z', '2026-03-08T23:59:59Z'),
      night('2026-03-10T00:00:00Z', '2026-03-10T00:00:00Z'),
    )
    expect(plan.removed).toEqual([])
  })

  it('counts a scheduled time as started when its Backup is created, and not when the creation failed', () => {
    const object = schedule()
    const plan = facts(object, child('10', complete))
    expect(plan.due).toMatchObject({ kind: 'begin', missed: 1 })
    const told = (isOver: boolean) => scheduleStatus(object, plan, isOver)
    expect(told(true).fields.lastScheduleTime).toBe('2026-03-10T12:00:00Z')
    expect(told(false).fields.lastScheduleTime).toBe('2026-03-10T10:00:00Z')
    expect([told(true).events?.length, told(false).events?.length]).toEqual([1, 0])
  })
})

describe('a schedule whose store may not be used', () => {
  // A backup may take three hours from its scheduled time, and it is 12:10.
  it.each([
    [['09'], 'False OnTime'],
    [['08'], 'True MissedSchedule'],
    [[], 'True NeverSucceeded'],
  ])('is overdue by its scheduled times: with backups of the hours %j it is %s', (hours, standing) => {
    const { status } = held({ object: schedule(), children: hours.map((hour) => child(hour, complete)) })
    const found = status.conditions.find(({ type }) => type === 'Overdue')
    expect(`${found?.status} ${found?.reason}`).toBe(standing)
  })

  it('reports no next backup, and reconciles again when one becomes overdue', () => {
    const { plan, status } = held({ object: schedule(), children: [child('11', complete)] })
    expect(plan.due).toEqual({ kind: 'wait', because: 'Rejected', untilMs: undefined })
    expect(plan.children.map(({ name }) => name)).toEqual(['of-11'])
    expect(status.fields).toMatchObject({ phase: 'Pending', lastScheduleTime: '2026-03-10T11:00:00Z' })
    expect(status.fields).not.toHaveProperty('nextScheduleTime')
    // The backup of 10:00 may take three hours.
    expect(status.dueAtMs).toContain(Date.parse('2026-03-10T13:00:00Z') + 1)
  })

  it('removes no backup meanwhile, and reports why', () => {
    const object = schedule({ retention: { keepLast: 1 } })
    const retention = (...children: BackupObject[]) =>
      held({ object, children }).status.conditions.find(({ type }) => type === 'RetentionApplied')
    expect(retention(child('11', complete))).toMatchObject({ status: 'True', reason: 'Pruned' })
    expect(retention(child('10', complete), child('11', complete))).toMatchObject({
      status: 'False',
      reason: 'SecretNotAllowed',
      message: 'retention no longer keeps of-10; they stay until the schedule goes on: Secret keys is closed',
    })
  })
})

describe('a schedule that cannot be parsed', () => {
  it('reports no next backup, and Overdue as Unknown', () => {
    const conditions = [{ type: 'Overdue', status: 'False', reason: 'OnTime', message: 'no backup is missing' }]
    const before = { conditions, nextScheduleTime: '2026-03-10T12:00:00Z', lastSuccessTime: '2026-03-10T11:02:00Z' }
    const object = { ...schedule({ schedule: 'hourly' }), status: before } as unknown as BackupObject // The same form as above.
    const found = scheduleFacts({ object, children: [], awaited: new Set(), nowMs })
    if (found.due !== undefined) throw new Error('it was read')
    const { fields, conditions: told } = unreadableStatus(object, found)
    expect(fields).toEqual({ phase: 'Pending', lastSuccessTime: '2026-03-10T11:02:00Z' })
    expect(told).toMatchObject([{ type: 'Overdue', status: 'Unknown', reason: 'InvalidSchedule' }])
  })
})
