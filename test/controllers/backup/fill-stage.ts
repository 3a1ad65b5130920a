// Fixture: a backup of a server, an empty volume, the order to fill it for another Database, and a server that starts
// on its files.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { systemSecrets } from '../../../src/base/random.ts'
import type { FillOrder } from '../../../src/controllers/backup/fill-order.ts'
import { makePhysicalBackup } from '../../../src/controllers/backup/physical-backup-worker.ts'
import { PostgresServer } from '../../postgres/postgres-server.ts'
import { never } from '../stores/contents.ts'
import { makeDatabase, verification } from './backup-stage.ts'
import type { FillTools } from './fill-volume.ts'
import { order, stageOf } from './physical-stage.ts'

const { folder, queries, hashUpToBytes } = verification

export const password = 'the new one'

/** For another Database with another database name. */
export function fillOrder(version: number): FillOrder {
  const database = { namespace: 'shop', name: 'copy', uid: 'uid-of-copy', databaseName: 'copy', owner: 'copy_owner' }
  return { requestId: 'bootstrap', database, claim: 'data-copy-postgres-0', folder, version, hashUpToBytes, queries }
}

export interface FillStage {
  readonly storeFolder: string
  /** Folder of the backup. */
  readonly at: string
  readonly volume: string
  readonly tools: FillTools
  /** Names in the root of the volume. */
  left(): Promise<readonly string[]>
  /** Starts as its StatefulSet would, with the new password. */
  wakeUp(): Promise<PostgresServer>
}

type Make = (server: PostgresServer) => Promise<unknown>

/** `make`: objects on the server before the copy. */
export async function fillStage(server: PostgresServer, make: Make = makeDatabase): Promise<FillStage> {
  const stage = await stageOf(server)
  const at = join(stage.storeFolder, folder)
  await mkdir(at, { recursive: true })
  for (const [name, bytes] of await saved(server, make)) await writeFile(join(at, name), bytes)
  const volume = await mkdtemp(join(tmpdir(), 'konverge-volume-'))
  onTestFinished(() => rm(volume, { recursive: true, force: true }))
  // If the test runs as root, the server runs as another user, who needs access to its files.
  await chmod(volume, 0o711)
  const { engine, logical, physical, user, store } = stage.proofTools
  const { workFolder } = stage
  const own = { store, volume, workFolder, password, user, secrets: systemSecrets, clock: systemClock }
  const tools = { ...own, engine, logical, physical }
  const wakeUp = async () => {
    const home = inject('postgresHome')
    const own = home.versions.filter(({ major }) => major === server.version)
    const versions = own.map((version) => ({ ...version, template: join(volume, 'pgdata') }))
    const woken = await PostgresServer.start({ ...home, password, versions }, { version: server.version })
    onTestFinished(() => woken.remove())
    return woken
  }
  return { storeFolder: stage.storeFolder, at, volume, tools, left: async () => (await readdir(volume)).sort(), wakeUp }
}

type SavedFiles = readonly (readonly [name: string, bytes: Buffer])[]

/** A copy of a server takes a while, so all tests of a file share its files. */
const copies = new Map<Make, SavedFiles>()

async function saved(server: PostgresServer, make: Make): Promise<SavedFiles> {
  const known = copies.get(make)
  if (known !== undefined) return known
  await make(server)
  const stage = await stageOf(server)
  const made = await makePhysicalBackup(order, stage.backupTools, never)
  const at = join(stage.storeFolder, made.folder)
  const files = await Promise.all(
    (await readdir(at)).map(async (name) => [name, await readFile(join(at, name))] as const),
  )
  copies.set(make, files)
  return files
}
