// Two workers at one volume, for example while a disconnected node still runs its pod. Invariant: a worker that another
// one clears away cannot publish its files.
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { clearVolume } from '../../../src/controllers/backup/fill-worker.ts'

const database = { namespace: 'shop', name: 'copy', uid: 'u', databaseName: 'copy', owner: 'copy_owner' }
const asked = { requestId: 'bootstrap', database, claim: 'data-copy-postgres-0' }
/** Their removal takes longer than one observation. */
const files = Array.from({ length: 2_000 }, (_, at) => `file-${at}`)

it('clearing a volume removes the whole folder of a worker before any of its files', async () => {
  const volume = await mkdtemp(join(tmpdir(), 'konverge-volume-'))
  onTestFinished(() => rm(volume, { recursive: true, force: true }))
  const dataFolder = join(volume, 'konverge-restore-other', 'data')
  await mkdir(dataFolder, { recursive: true })
  for (const file of files) await writeFile(join(dataFolder, file), '')
  const clearing = clearVolume(asked, volume)
  while ((await readdir(dataFolder).catch(() => [])).length === files.length);
  await expect(rename(dataFolder, join(volume, 'pgdata'))).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await clearing).toBeUndefined()
  expect(await readdir(volume)).toEqual([])
})
