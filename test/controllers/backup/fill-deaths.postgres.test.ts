// Workers that are killed while they fill a volume. Invariant: a volume does not count until it is complete. The next
// worker fills it again, or finds it complete.
// The worker is a process. It dies at a file operation, together with the server that it has started.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { crashPlaces } from '../../fault-lab/crash-places.ts'
import { onPostgresOf } from '../../postgres/on-each-postgres.ts'
import { never } from '../stores/contents.ts'
import { type FillStage, fillOrder, fillStage, password } from './fill-stage.ts'
import { fillVolume } from './fill-volume.ts'
import type { MortalFill } from './mortal-fill.ts'
import { newestTool } from './physical-stage.ts'

onPostgresOf(
  (major) => major <= newestTool,
  'a volume whose worker is killed',
  (server, version) => {
    it('a volume whose worker was killed is filled by the next worker', { timeout: 600_000 }, async () => {
      const stage = await fillStage(server())
      const whole = Number((await work(stage, version, undefined)).said)
      expect(whole, 'file operations').toBeGreaterThan(1_000)
      // These places cover all steps after the copy, and a sample of the unpacking.
      const last = Array.from({ length: 24 }, (_, at) => whole - at)
      const places = [1, 2, 5, 10, 100, whole >> 2, whole >> 1, ...last.toReversed()]
      for (const place of crashPlaces(places, version, 8)) {
        await rm(join(stage.volume, 'pgdata'), { recursive: true, force: true })
        const { killedBy } = await work(stage, version, place)
        expect({ place, killedBy }).toEqual({ place, killedBy: 'SIGKILL' })
        const isThere = await isFilled(stage)
        await fillVolume(fillOrder(version), stage.tools, never)
        expect(await stage.left(), `${place} of ${whole}`).toEqual(['pgdata'])
        const woken = await stage.wakeUp()
        const [row] = await woken.byHand('SELECT count(*)::int AS orders FROM public.orders', { database: 'copy' })
        expect({ place, isThere, row }).toEqual({ place, isThere, row: { orders: 1000 } })
        await woken.remove()
      }
    })
  },
)

/** Returns whether the data folder is complete with its marker; throws if the folder is incomplete. */
async function isFilled({ volume }: FillStage): Promise<boolean> {
  const data = join(volume, 'pgdata')
  if (
    !(await access(data).then(
      () => true,
      () => false,
    ))
  )
    return false
  expect(JSON.parse(await readFile(join(data, 'konverge-restored.json'), 'utf8'))).toMatchObject({ uid: 'uid-of-copy' })
  return true
}

async function work(
  { storeFolder, volume, tools: { user, workFolder } }: FillStage,
  version: number,
  dieAt: number | undefined,
): Promise<{ readonly killedBy: unknown; readonly said: string }> {
  const story: MortalFill = { order: fillOrder(version), storeFolder, volume, workFolder, password, user, dieAt }
  const program = new URL('mortal-fill.ts', import.meta.url).pathname
  // It has its own process group, so that a kill also ends its server.
  const worker = spawn(process.execPath, [program, JSON.stringify(story)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const [said, [, killedBy]] = await Promise.all([text(worker.stdout), once(worker, 'exit')])
  return { killedBy, said }
}
