// Delay of the first backups of 200 schedules on the real API server, from their scheduled times to the creation of
// their Jobs. Limit: 5 s.
//
// Run: npm run build && node bench/first-slots.ts [schedules] [minutes]. The scheduled times are spread over these
// minutes. The file bench/README.md has the results.
import { cpus, loadavg } from 'node:os'
import process from 'node:process'
import { startControlPlane } from '../test/control-plane/control-plane.ts'
import { ControlPlaneClient } from '../test/control-plane/control-plane-client.ts'
import { ScheduledBackups } from '../test/controllers/backup/scheduled-backups.ts'
import { RealStoryServer } from '../test/e2e/real-story-server.ts'

const limitMs = 5_000
const schedules = Number(process.argv[2] ?? 200)
const minutes = Number(process.argv[3] ?? 1)
const load = () => loadavg()[0]?.toFixed(1)

const controlPlane = await startControlPlane({})
try {
  const server = await RealStoryServer.start(new ControlPlaneClient(controlPlane))
  const backups = await ScheduledBackups.start(server)
  try {
    await backups.createSchedules(schedules, minutes)
    const late = (await backups.starts(schedules)).map(({ scheduledAtMs, startedAtMs }) => startedAtMs - scheduledAtMs)
    const sorted = late.toSorted((left, right) => left - right)
    const [median, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1) ?? Number.NaN]
    process.stdout.write(
      `${schedules} schedules for ${minutes} min, ${cpus().length} cores, load ${load()}: first backups started ${median} ms (median) and ${most} ms (most) after their times, to the second; limit ${limitMs} ms\n`,
    )
    process.exitCode = most <= limitMs ? 0 : 1
  } finally {
    await backups.stop()
  }
} finally {
  await controlPlane.stop()
}
