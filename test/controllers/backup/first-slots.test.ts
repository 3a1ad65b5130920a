// The first backups of many schedules, created one after the other on an in-process cluster.
import { expect, it } from 'vitest'
import { Backup } from '../../../imports/wire/backup.ts'
import { slotAnnotation } from '../../../src/controllers/backup/desired-work.ts'
import { Job } from '../../../src/index.ts'
import { BackupScene, home } from './backup-fixture.ts'

const schedules = 200
const mostLateMs = 5_000

it('the first backup of each of 200 schedules starts within 5 s of its time', async () => {
  const scene = await BackupScene.start()
  await scene.database()
  scene.answer = () => 'works'
  // They are created from 00:00:00 on; their times are 00:05 to 00:14.
  for (let at = 0; at < schedules; at++) {
    await scene.create(`s${at}`, { schedule: `${5 + (at % 10)} * * * *`, verify: { mode: 'None' } })
    await scene.cluster.advance(500)
  }
  await scene.passUntil('2026-01-01T00:14:10Z')
  const backups = (await scene.cluster.list(Backup, home)).filter(
    ({ metadata }) => metadata.annotations?.[slotAnnotation] !== undefined,
  )
  expect(backups).toHaveLength(schedules)
  const jobs = await scene.cluster.list(Job, home)
  const lateMs = backups.map(({ metadata }) => {
    const job = jobs.find((one) => one.metadata.name.startsWith(metadata.name))
    const slotMs = Date.parse(metadata.annotations?.[slotAnnotation] ?? '')
    return Date.parse(job?.metadata.creationTimestamp ?? '') - slotMs
  })
  expect(lateMs.filter((ms) => !(ms <= mostLateMs))).toEqual([])
})
