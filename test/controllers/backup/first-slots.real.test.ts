// The first backups of many schedules on the real API server. The benchmark bench/first-slots.ts measures their delay.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { attachToControlPlane } from '../../control-plane/attach.ts'
import { RealStoryServer } from '../../e2e/real-story-server.ts'
import { ScheduledBackups } from './scheduled-backups.ts'

const schedules = 200

const cluster = attachToControlPlane()
let backups: ScheduledBackups
beforeAll(async () => {
  backups = await ScheduledBackups.start(await RealStoryServer.start(cluster))
})
afterAll(async () => await backups.stop())

it('backups start for each of 200 schedules that are created one after the other', { timeout: 900_000 }, async () => {
  const times = await backups.createSchedules(schedules)
  const starts = await backups.starts(schedules)
  expect(starts.map(({ scheduledAtMs }) => scheduledAtMs)).toEqual(times)
})
