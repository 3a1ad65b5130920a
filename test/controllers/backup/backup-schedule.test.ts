// Schedules of Backups on an in-process cluster with a simulated clock. Invariant: a schedule starts its backups and
// prunes the old ones, also when clocks change and operators die.
import { describe, expect, it } from 'vitest'
import type { BackupSpecInput } from '../../../imports/wire/backup.ts'
import { Backup } from '../../../imports/wire/backup.ts'
import { Database } from '../../../imports/wire/database.ts'
import { slotAnnotation } from '../../../src/controllers/backup/desired-work.ts'
import { backedUp } from '../../../src/controllers/database/backed-up.ts'
import type { DatabaseObject } from '../../../src/controllers/database/server-connection.ts'
import { consentLabel } from '../../../src/controllers/references/reference-policy.ts'
import { Secret } from '../../../src/index.ts'
import { secretText } from '../../taint/secret-text.ts'
import { openLabels } from '../open-labels.ts'
import { BackupScene, home, target } from './backup-fixture.ts'

const hourly = '0 * * * *'

/** The clock starts at 2026-01-01T00:00:00Z. */
async function scheduled(spec: Partial<BackupSpecInput> = {}): Promise<BackupScene> {
  const scene = await BackupScene.start()
  await scene.database()
  await scene.create('nightly', { schedule: hourly, verify: { mode: 'None' }, ...spec })
  await scene.pass(5_000)
  return scene
}

/** Returns the scheduled times of all Backups. */
async function slots(scene: BackupScene): Promise<readonly string[]> {
  const found = await scene.cluster.list(Backup, home)
  return found.flatMap(({ metadata }) => metadata.annotations?.[slotAnnotation] ?? []).sort()
}

/** Returns the verification modes in the order of the scheduled times. */
async function modes(scene: BackupScene): Promise<readonly string[]> {
  const found = (await scene.cluster.list(Backup, home)).filter(({ metadata }) => metadata.name !== 'nightly')
  return found
    .toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1))
    .map(({ spec }) => (spec as { verify: { mode: string } }).verify.mode) // The CRD has a default for it.
}

const atHours = (...hours: readonly number[]) =>
  hours.map((hour) => `2026-01-01T${String(hour).padStart(2, '0')}:00:00Z`)

describe('a schedule', () => {
  it('makes a Backup for each scheduled time, with its name from that time and without an owner', async () => {
    const scene = await scheduled()
    expect(await scene.status('nightly')).toMatchObject({
      phase: 'Scheduled',
      nextScheduleTime: '2026-01-01T01:00:00Z',
    })
    await scene.passUntil('2026-01-01T02:05:00Z')
    expect(await slots(scene)).toEqual(atHours(1, 2))
    const name = `nightly-${Date.parse('2026-01-01T02:00:00Z') / 60_000}`
    const child = await scene.find(name)
    expect(child?.metadata.ownerReferences).toBeUndefined()
    expect(child?.status?.phase).toBe('Completed')
    expect(await scene.status('nightly')).toMatchObject({
      lastScheduleTime: '2026-01-01T02:00:00Z',
      nextScheduleTime: '2026-01-01T03:00:00Z',
      lastSuccessTime: expect.stringMatching(/^2026-01-01T02:0/),
      counts: { kept: 2, failed: 0, going: 0 },
    })
    expect(await scene.standing('nightly', 'Ready')).toBe('True Scheduled')
    expect(await scene.standing('nightly', 'Overdue')).toBe('False OnTime')
  })

  it.each([
    // The hour from two to three is skipped, and the backup runs when the hour would have begun.
    ['2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z', ['2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z']],
    // The hour occurs twice, and the backup runs once.
    ['2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z', ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z']],
  ])('follows the clock of its time zone, from %s on', async (from, to, expected) => {
    const scene = await BackupScene.start()
    await scene.database()
    await scene.sleep()
    await scene.cluster.advance(Date.parse(from) - scene.cluster.clock.now())
    await scene.restart()
    await scene.create('nightly', { schedule: '30 2 * * *', timeZone: 'Europe/Berlin', verify: { mode: 'None' } })
    await scene.passUntil(to, 600_000)
    expect(await slots(scene)).toEqual(expected)
  })

  it('makes its first backup immediately if spec.immediate is set, and the next one at its scheduled time', async () => {
    const scene = await scheduled({ immediate: true })
    const [first = ''] = await slots(scene)
    expect(first).toMatch(/^2026-01-01T00:00:0/)
    expect(scene.worked).toHaveLength(1)
    await scene.restart()
    await scene.passUntil('2026-01-01T01:05:00Z')
    expect(await slots(scene)).toEqual([first, ...atHours(1)])
  })

  it('runs only the last missed time when the operator was down, if the starting deadline has not passed', async () => {
    const scene = await scheduled({ startingDeadlineSeconds: 1800 })
    await scene.passUntil('2026-01-01T01:05:00Z')
    await scene.sleep()
    await scene.passUntil('2026-01-01T05:10:00Z')
    await scene.restart()
    await scene.pass(60_000)
    expect(await slots(scene)).toEqual(atHours(1, 5))
    await scene.sleep()
    await scene.passUntil('2026-01-01T07:40:00Z')
    await scene.restart()
    await scene.pass(60_000)
    expect(await slots(scene)).toEqual(atHours(1, 5))
    await scene.passUntil('2026-01-01T08:05:00Z')
    expect(await slots(scene)).toEqual(atHours(1, 5, 8))
  })

  it('starts one backup for each scheduled time, however often the operator dies', async () => {
    const scene = await scheduled()
    await scene.passUntil('2026-01-01T00:59:55Z', 5_000)
    for (let turn = 0; turn < 10; turn += 1) {
      await scene.restart()
      await scene.pass(1_000)
    }
    await scene.pass(60_000)
    expect(await slots(scene)).toEqual(atHours(1))
    expect(scene.worked).toHaveLength(1)
  })

  it('does not repeat a scheduled time when its Backup was deleted', async () => {
    const scene = await scheduled()
    await scene.passUntil('2026-01-01T01:05:00Z')
    const [name = ''] = (await scene.names()).filter((known) => known !== 'nightly')
    await scene.delete(name)
    await scene.goes(name)
    await scene.restart()
    await scene.passUntil('2026-01-01T01:30:00Z')
    expect(await slots(scene)).toEqual([])
  })

  it('continues when a clock that was ahead is corrected', async () => {
    const scene = await scheduled()
    await scene.passUntil('2026-01-01T01:05:00Z')
    await scene.sleep()
    const ahead = '2036-01-01T01:00:00Z'
    const [real] = (await scene.cluster.list(Backup, home)).filter(({ metadata }) => metadata.name !== 'nightly')
    const { labels = {}, annotations = {} } = real?.metadata ?? {}
    await scene.cluster.create(Backup, {
      metadata: {
        ...{ name: `nightly-${Date.parse(ahead) / 60_000}`, namespace: home, labels },
        annotations: { ...annotations, [slotAnnotation]: ahead },
      },
      spec: { databaseRef: { name: 'crm' }, target, verify: { mode: 'None' } },
    })
    await scene.patchStatus(Backup, 'nightly', { lastScheduleTime: ahead, lastSuccessTime: ahead })
    await scene.restart()
    await scene.passUntil('2026-01-01T02:05:00Z')
    expect(await slots(scene)).toEqual([...atHours(1, 2), ahead])
    expect(await scene.status('nightly')).toMatchObject({
      lastScheduleTime: '2026-01-01T02:00:00Z',
      lastSuccessTime: expect.stringMatching(/^2026-01-01T02:0/),
    })
    // A backup with a later time does not count as a backup of today.
    scene.answer = () => ({ outcome: 'Stopped', reason: 'ServerUnreachable', message: 'it is away' })
    await scene.passUntil('2026-01-01T09:05:00Z', 600_000)
    expect(await scene.standing('nightly', 'Overdue')).toBe('True MissedSchedule')
  })

  it('waits for the running backup when concurrency is Forbid', async () => {
    const scene = await scheduled({ startingDeadlineSeconds: 7200 })
    scene.answer = () => 'works'
    await scene.passUntil('2026-01-01T02:10:00Z')
    expect(await slots(scene)).toEqual(atHours(1))
    scene.answer = (order) => scene.done(order)
    await scene.passUntil('2026-01-01T02:20:00Z')
    expect(await slots(scene)).toEqual(atHours(1, 2))
  })

  it('cancels the running backup and removes its files when concurrency is Replace', async () => {
    const scene = await scheduled({ concurrency: 'Replace' })
    scene.answer = (order) => (order.work === 'discard' ? scene.done(order) : 'works')
    await scene.passUntil('2026-01-01T02:10:00Z')
    expect(await slots(scene)).toEqual(atHours(2))
    expect(scene.worked).toEqual([expect.stringMatching(/^discard nightly-/)])
  })

  it('keeps an artifact during its verification when concurrency is Replace, and is overdue if no later backup starts', async () => {
    const scene = await scheduled({ concurrency: 'Replace', verify: { mode: 'Restore', every: 1 } })
    scene.answer = (order) => (order.work === 'verify' ? 'works' : scene.done(order))
    await scene.passUntil('2026-01-01T03:10:00Z')
    expect(await slots(scene)).toEqual(atHours(1, 2, 3))
    expect(scene.worked).toEqual([1, 2, 3].map(() => expect.stringMatching(/^backup nightly-/)))
    expect(scene.stored.size).toBe(3)
    expect(await modes(scene)).toEqual(['Restore', 'Checksum', 'Checksum'])
    await scene.passUntil('2026-01-01T05:10:00Z')
    expect(await scene.standing('nightly', 'Overdue')).toBe('True MissedSchedule')
  })

  it('starts no backup while it is suspended, and is not overdue', async () => {
    const scene = await scheduled({ suspend: true })
    await scene.passUntil('2026-01-01T08:05:00Z', 600_000)
    expect(await slots(scene)).toEqual([])
    expect(await scene.standing('nightly', 'Ready')).toBe('True Suspended')
    expect(await scene.standing('nightly', 'Overdue')).toBe('False OnTime')
    await scene.patch('nightly', { spec: { suspend: false } })
    await scene.pass(60_000)
    expect(await slots(scene)).toEqual(atHours(8))
  })

  it('is overdue when no backup succeeds, and no longer when one does', async () => {
    const scene = await scheduled({ deadline: '10m', startingDeadlineSeconds: 600 })
    scene.answer = () => ({ outcome: 'Stopped', reason: 'VersionMismatch', message: 'pg_dump is too old' })
    await scene.passUntil('2026-01-01T01:35:00Z')
    const condition = await scene.condition('nightly', 'Overdue')
    expect(condition).toMatchObject({ status: 'True', reason: 'NeverSucceeded' })
    expect(condition?.message).toContain('pg_dump is too old')
    scene.answer = (order) => scene.done(order)
    await scene.passUntil('2026-01-01T02:05:00Z')
    expect(await scene.standing('nightly', 'Overdue')).toBe('False OnTime')
    expect((await scene.status('nightly')).counts).toEqual({ kept: 1, failed: 1, going: 0 })
  })

  it.each([
    [{ schedule: '0 0 31 2 *' }, 'True NoSchedule'],
    [{ schedule: hourly, timeZone: 'Europe/Atlantis' }, 'True InvalidTimeZone'],
    [{ schedule: '61 * * * *' }, 'True InvalidSchedule'],
    [{ schedule: '* * * 1-9 *' }, 'True ScheduleTooFrequent'],
  ])('%j is rejected with one sentence', async (spec, standing) => {
    const scene = await scheduled(spec)
    expect(await scene.standing('nightly', 'Stalled')).toBe(standing)
  })

  it('restores every Nth backup, and the first one', async () => {
    const scene = await scheduled({ verify: { mode: 'Restore', every: 3 } })
    await scene.passUntil('2026-01-01T05:05:00Z')
    expect(await modes(scene)).toEqual(['Restore', 'Checksum', 'Checksum', 'Restore', 'Checksum'])
  })
})

describe('retention', () => {
  it('removes artifacts before their Backups, and keeps the requested number', async () => {
    const scene = await scheduled({ retention: { keepLast: 2 } })
    await scene.passUntil('2026-01-01T05:10:00Z')
    expect(await slots(scene)).toEqual(atHours(4, 5))
    expect(scene.stored.size).toBe(2)
    expect(scene.worked.filter((work) => work.startsWith('discard'))).toHaveLength(3)
    expect(await scene.standing('nightly', 'RetentionApplied')).toBe('True Pruned')
  })

  it('keeps a Backup while a Database is being restored from it', async () => {
    const scene = await scheduled({ retention: { keepLast: 1 } })
    await scene.passUntil('2026-01-01T01:05:00Z')
    const name = `nightly-${Date.parse('2026-01-01T01:00:00Z') / 60_000}`
    const restore = { requestID: 'r1', from: { backupRef: { name } } }
    await scene.cluster.patch(Database, `${home}/crm`, { spec: { restore } })
    const told = (phase: string) => ({ restore: { requestID: 'r1', phase, startedAt: '2026-01-01T01:06:00Z' } })
    await scene.patchStatus(Database, 'crm', told('Restoring'))
    await scene.passUntil('2026-01-01T04:05:00Z')
    expect(await slots(scene)).toEqual(atHours(1, 4))
    expect(scene.stored.size).toBe(2)
    await scene.patchStatus(Database, 'crm', told('Completed'))
    await scene.passUntil('2026-01-01T05:10:00Z')
    expect(await slots(scene)).toEqual(atHours(5))
  })

  it('keeps the artifact of a Backup that has another owner', async () => {
    const scene = await scheduled({ retention: { keepLast: 5 } })
    await scene.passUntil('2026-01-01T01:05:00Z')
    const name = `nightly-${Date.parse('2026-01-01T01:00:00Z') / 60_000}`
    const database = await scene.cluster.find(Database, `${home}/crm`)
    const owner = {
      apiVersion: 'data.konverge.dev/v1alpha1',
      kind: 'Database',
      name: 'crm',
      uid: database?.metadata.uid,
    }
    await scene.patch(name, { metadata: { ownerReferences: [owner] } })
    await scene.passUntil('2026-01-01T03:05:00Z')
    expect(await slots(scene)).toEqual(atHours(1, 2, 3))
    expect((await scene.find(name))?.spec).toMatchObject({ artifactPolicy: 'Retain' })
    expect((await scene.find(name))?.metadata.ownerReferences).toEqual([owner])
  })

  it('never removes the newest verified backup', async () => {
    const scene = await scheduled({ retention: { keepLast: 1 }, verify: { mode: 'Restore', every: 100 } })
    await scene.passUntil('2026-01-01T04:10:00Z')
    expect(await slots(scene)).toEqual(atHours(1, 4))
  })

  it('keeps an artifact although a later verification fails', async () => {
    const scene = await scheduled({
      ...{ schedule: '0 0 * * *', verify: { mode: 'Checksum' } },
      retention: { keepLast: 2, keepDaily: 30 },
    })
    await scene.passUntil('2026-01-06T00:10:00Z', 600_000)
    expect(scene.stored.size).toBe(5)
    scene.answer = (order) =>
      order.work === 'verify'
        ? { outcome: 'Stopped', reason: 'VersionMismatch', message: 'its programs are not here' }
        : scene.done(order)
    const oldest = `nightly-${Date.parse('2026-01-02T00:00:00Z') / 60_000}`
    await scene.patch(oldest, { metadata: { annotations: { 'data.konverge.dev/verify-again': '1' } } })
    await scene.becomes(oldest, 'Stalled', 'True VersionMismatch')
    await scene.passUntil('2026-01-07T00:10:00Z', 600_000)
    expect(scene.worked.filter((work) => work.startsWith('discard'))).toEqual([])
    expect(scene.stored.size).toBe(6)
    expect(await scene.standing(oldest, 'Completed')).toBe('True Completed')
  })

  it('reports what it waits for while a store rejects deletions', async () => {
    const scene = await scheduled({ retention: { keepLast: 1 } })
    scene.answer = (order) =>
      order.work === 'discard' ? { outcome: 'Stopped', reason: 'Locked', message: 'it is locked' } : scene.done(order)
    await scene.passUntil('2026-01-01T02:10:00Z')
    expect(await scene.standing('nightly', 'RetentionApplied')).toBe('False Pruning')
    expect(await scene.standing('nightly', 'Ready')).toBe('True Scheduled')
    expect((await scene.status('nightly')).counts).toEqual({ kept: 1, failed: 0, going: 1 })
  })
})

describe('a schedule whose Secret has no usage label', () => {
  it('becomes overdue, and continues when the Secret gets the label again', async () => {
    const scene = await BackupScene.start()
    const keys = { metadata: { name: 'keys', namespace: home, labels: openLabels } }
    await scene.cluster.create(Secret, {
      ...keys,
      stringData: { accessKeyId: 'AKIA', secretAccessKey: secretText('k') },
    })
    await scene.database()
    const s3 = { bucket: 'backups', endpoint: 'https://s3.example:9000', credentialsSecretRef: { name: 'keys' } }
    await scene.create('nightly', {
      ...{ schedule: hourly, target: { s3 }, verify: { mode: 'None' }, deadline: '10m', retention: { keepLast: 9 } },
      startingDeadlineSeconds: 600,
    })
    await scene.passUntil('2026-01-01T01:05:00Z')
    expect(await slots(scene)).toEqual(atHours(1))
    const label = (value: string | null) =>
      scene.cluster.patch(Secret, `${home}/keys`, { metadata: { labels: { [consentLabel('Backup')]: value } } })
    await label(null)
    await scene.pass(60_000)
    expect(await scene.standing('nightly', 'Ready')).toBe('False SecretNotAllowed')
    expect(await scene.standing('nightly', 'Overdue')).toBe('False OnTime')
    expect(await scene.standing('nightly', 'RetentionApplied')).toBe('True Pruned')
    expect(await scene.status('nightly')).not.toHaveProperty('nextScheduleTime')
    // The starting deadline is ten minutes, and the backup may take twice ten.
    await scene.passUntil('2026-01-01T02:29:00Z')
    expect(await scene.standing('nightly', 'Overdue')).toBe('False OnTime')
    await scene.passUntil('2026-01-01T02:31:00Z')
    expect(await scene.standing('nightly', 'Overdue')).toBe('True MissedSchedule')
    expect(await slots(scene)).toEqual(atHours(1))
    const backups = await scene.cluster.list(Backup, home)
    const database = await scene.cluster.find(Database, `${home}/crm`)
    const { nowMs, object } = { nowMs: scene.cluster.clock.now(), object: database as DatabaseObject }
    expect(backedUp({ object, backups, nowMs })).toMatchObject({ status: 'False', reason: 'Stale' })
    await label('true')
    await scene.passUntil('2026-01-01T03:05:00Z')
    expect(await slots(scene)).toEqual(atHours(1, 3))
    expect(await scene.standing('nightly', 'Overdue')).toBe('False OnTime')
    expect(await scene.status('nightly')).toMatchObject({ nextScheduleTime: '2026-01-01T04:00:00Z' })
  })
})

describe('a deleted schedule', () => {
  it('leaves its Backups, and a schedule of the same name continues with them', async () => {
    const scene = await scheduled({ artifactPolicy: 'Delete', retention: { keepLast: 2 } })
    await scene.passUntil('2026-01-01T02:10:00Z')
    await scene.delete('nightly')
    await scene.goes('nightly')
    await scene.pass(300_000, 10_000)
    expect(await slots(scene)).toEqual(atHours(1, 2))
    expect(scene.stored.size).toBe(2)
    await scene.create('nightly', { schedule: hourly, verify: { mode: 'None' }, retention: { keepLast: 2 } })
    await scene.passUntil('2026-01-01T03:10:00Z')
    expect(await slots(scene)).toEqual(atHours(2, 3))
    expect(scene.stored.size).toBe(2)
  })
})
