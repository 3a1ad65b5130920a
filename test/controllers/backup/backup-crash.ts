// Faults for the crash runs of backups: a worker is killed, a connection breaks, or the server or the store fails.
// Invariant (I3): the next worker completes the backup, and its artifact matches its manifest. No other file and no
// part of an upload remains.
// If the Backup is given up, the next worker only tidies up. Then the store holds such a backup or nothing.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { loadForm, loadManifest } from '../../../src/controllers/backup/artifact-loader.ts'
import { type BackupOrder, folderOf } from '../../../src/controllers/backup/backup-worker.ts'
import type { PhysicalOrder } from '../../../src/controllers/backup/physical-backup-worker.ts'
import { readPhysicalManifest } from '../../../src/controllers/backup/physical-manifest.ts'
import { tidyBackup } from '../../../src/controllers/backup/tidy-worker.ts'
import type { ArtifactStore } from '../../../src/controllers/stores/artifact-store.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import type { CrashWorkflow, Place, Told } from '../../crash-runs/crash-workflow.ts'
import { type StatementBlow, statementPlaces } from '../../crash-runs/places.ts'
import type { PostgresServer } from '../../postgres/postgres-server.ts'
import { SqlProxy } from '../../postgres/sql-proxy.ts'
import { MotoServer } from '../../rds/moto-server.ts'
import { keysOf, never, sha256Of, whole } from '../stores/contents.ts'
import { type BackupStage, backupStage, makeDatabase, order } from './backup-stage.ts'
import { BucketUnderTest, FolderUnderTest, type StoreUnderTest } from './crashed-stores.ts'
import type { MortalBackup } from './mortal-backup.ts'
import { mortalStore } from './mortal-store.ts'
import { order as physicalOrder } from './physical-stage.ts'
import { saved } from './saved.ts'

const fates = ['cutBefore', 'cutAfter', 'killedBefore', 'killedAfter', 'serverDies'] as const

type Blow<AtStore> =
  | (StatementBlow<(typeof fates)[number]> & { readonly who: 'database' })
  | { readonly who: 'store'; readonly at: AtStore }

/** The tools of this machine cannot dump newer servers. */
const isToldOn = (major: number) => major <= 15
/** Time after a fault until the deadline of the Job. A tool waits indefinitely in a COPY whose answer was cut off. */
const patienceMs = 2_000
/** Deadline of a Job in which nothing waits indefinitely, also on a slow machine. */
const amplePatienceMs = 300_000
const whatIsWhole = { files: ['artifact', 'manifest.json'], isAsItsManifestSays: true, broken: 0, slots: [] }
const whatIsSound = { strangers: [], broken: 0, slots: [] }

export const backupCrash: CrashWorkflow<Blow<number>> = {
  ...{ name: 'backup', weight: 4, isToldOn, whole: whatIsWhole },
  start: async (server) => {
    await makeDatabase(server)
    const open = (storeFolder: string) => new FolderUnderTest(storeFolder)
    return { tell: (blows) => tell({ server, open, order, isStruckAtStatements: true }, blows) }
  },
}

/** The Backup is deleted, and its artifact policy keeps the artifact. */
export const backupGivenUpCrash: CrashWorkflow<Blow<number>> = {
  ...{ name: 'backup-given-up', weight: 2, isToldOn, whole: whatIsSound },
  start: async (server) => {
    await makeDatabase(server)
    const open = (storeFolder: string) => new FolderUnderTest(storeFolder)
    return { tell: (blows) => tell({ server, open, order, isStruckAtStatements: true, isGivenUp: true }, blows) }
  },
}

export const backupS3Crash: CrashWorkflow<Blow<BucketBlow>> = {
  ...{ name: 'backup-s3', weight: 3, isToldOn, whole: whatIsWhole },
  start: async (server) => {
    await makeDatabase(server)
    await server.byHand(inManyParts, { database: 'crm' })
    const moto = await MotoServer.start()
    onTestFinished(() => moto.stop())
    const open = () => BucketUnderTest.start(moto.url)
    // A compressed dump would be uploaded in one part.
    const inFull = { ...order, compression: 0 }
    return { tell: (blows) => tell({ server, open, order: inFull, isStruckAtStatements: false }, blows) }
  },
}

/** A backup of the whole server. */
export const physicalCrash: CrashWorkflow<Blow<number>> = {
  ...{ name: 'backup-physical', weight: 1, isToldOn, whole: whatIsWhole },
  start: async (server) => {
    await makeDatabase(server)
    const open = (storeFolder: string) => new FolderUnderTest(storeFolder)
    return { tell: (blows) => tell({ server, open, order: physicalOrder, isStruckAtStatements: true }, blows) }
  },
}

type BucketBlow = BucketUnderTest extends StoreUnderTest<infer AtStore> ? AtStore : never

/** A part of an upload has 8 MiB. */
const inManyParts = `CREATE TABLE large (t text); INSERT INTO large SELECT repeat('x', 100000) FROM generate_series(1, 100);
  ALTER TABLE large OWNER TO crm_owner`

interface Ground<AtStore> {
  readonly server: PostgresServer
  readonly order: BackupOrder | PhysicalOrder
  readonly open: (storeFolder: string) => StoreUnderTest<AtStore> | Promise<StoreUnderTest<AtStore>>
  /** False if another workflow injects faults at the same statements. */
  readonly isStruckAtStatements: boolean
  readonly isGivenUp?: true
}

/** Injects one fault into each process, and none into the last one. */
async function tell<AtStore>(ground: Ground<AtStore>, blows: readonly Blow<AtStore>[]): Promise<Told<Blow<AtStore>>> {
  const { server, open, order, isStruckAtStatements, isGivenUp } = ground
  const proxy = await SqlProxy.start(server.access())
  const stage = await backupStage(proxy.access())
  const stored = await open(stage.storeFolder)
  try {
    let struck = 0
    for (const [at, blow] of blows.entries()) {
      struck += await struckLife({ server, order, proxy, stage, stored, blow, attempt: `life-${at + 1}` })
    }
    // The last process starts when the server is up again.
    await server.byHand('SELECT 1')
    proxy.forget()
    const store = stored.calm('last')
    const { workFolder } = stage
    if (isGivenUp === undefined || blows.length === 0) {
      await saved({ order, access: proxy.access(), store, workFolder, attempt: 'last' }, never)
    }
    const texts = isStruckAtStatements ? proxy.statements.map(({ text }) => text) : []
    // After a fault, the last process may have found all work done.
    const places = blows.length > 0 ? [] : [...databasePlaces<AtStore>(texts), ...storePlaces(stored)]
    if (isGivenUp) {
      await tidyBackup({ backup: order.backup, folder: folderOf(order) }, { store, server: undefined }, never)
    }
    return { end: await endOf(ground, store, stored), struck, places }
  } finally {
    await proxy.stop()
    await stored.stop()
  }
}

interface Life<AtStore> {
  readonly server: PostgresServer
  readonly order: BackupOrder | PhysicalOrder
  readonly proxy: SqlProxy
  readonly stage: BackupStage
  readonly stored: StoreUnderTest<AtStore>
  readonly blow: Blow<AtStore>
  readonly attempt: string
}

/** Returns how many faults were injected. */
async function struckLife<AtStore>(life: Life<AtStore>): Promise<number> {
  const { server, order, proxy, stage, stored, blow, attempt } = life
  await server.byHand('SELECT 1')
  let [seen, struck] = [0, 0]
  let kill = () => {}
  const deadline = new AbortController()
  proxy.judge = () => {
    seen += 1
    if (blow.who !== 'database' || seen !== blow.index) return 'pass'
    struck += 1
    setTimeout(() => deadline.abort(new Error('the deadline of its Job')), patienceMs).unref()
    if (blow.fate === 'serverDies') server.crash().catch(() => undefined)
    if (blow.fate.startsWith('killed')) kill()
    return blow.fate.endsWith('After') ? 'cutAfter' : 'cutBefore'
  }
  const store = stored.struck(blow.who === 'store' ? blow.at : undefined, () => kill())
  const isDeath = blow.who === 'store' ? stored.isDeath(blow.at) : blow.fate.startsWith('killed')
  let failure: unknown
  const { workFolder } = stage
  if (isDeath) {
    const process = new MortalWorker({
      order,
      access: proxy.access(),
      store: store.options,
      workFolder,
      attempt,
      patienceMs: amplePatienceMs,
    })
    kill = () => process.kill()
    failure = await process.failure()
    if (process.isKilled && blow.who === 'store' && store.count() === 0) struck += 1
  } else {
    const open = mortalStore(store.options, attempt, () => undefined)
    const work = saved({ order, access: proxy.access(), store: open, workFolder, attempt }, deadline.signal)
    failure = await work.then(
      () => undefined,
      (error: unknown) => error,
    )
  }
  proxy.judge = () => 'pass'
  struck += store.count()
  if (struck === 0 && failure !== undefined)
    throw new Error('a worker that nothing had struck failed', { cause: failure })
  return struck
}

/** A worker as a process, because a killed process does not clean up. */
class MortalWorker {
  readonly #process: ChildProcessByStdio<null, null, Readable>

  constructor(works: MortalBackup) {
    const program = new URL('mortal-backup.ts', import.meta.url).pathname
    const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe']
    const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }
    this.#process = spawn(process.execPath, [program, JSON.stringify(works)], { stdio, env })
  }

  kill(): void {
    this.#process.kill('SIGKILL')
  }

  get isKilled(): boolean {
    return this.#process.signalCode === 'SIGKILL'
  }

  /** Returns the output on stderr if the exit code is not 0. */
  async failure(): Promise<string | undefined> {
    const said = text(this.#process.stderr)
    await once(this.#process, 'exit')
    return this.#process.exitCode === 0 ? undefined : said
  }
}

function databasePlaces<AtStore>(texts: readonly string[]): readonly Place<Blow<AtStore>>[] {
  return statementPlaces(texts, fates).map(({ title, blow }) => ({ title, blow: { ...blow, who: 'database' } }))
}

function storePlaces<AtStore>(stored: StoreUnderTest<AtStore>): readonly Place<Blow<AtStore>>[] {
  return stored.places().map(({ title, blow }) => ({ title, blow: { who: 'store', at: blow } }))
}

async function endOf(
  { server, order, isGivenUp }: Pick<Ground<unknown>, 'server' | 'order' | 'isGivenUp'>,
  store: ArtifactStore,
  stored: StoreUnderTest<unknown>,
): Promise<object> {
  const folder = folderOf(order)
  const keys = await keysOf(store)
  const backup = isGivenUp && keys.length === 0 ? undefined : await backupOf(order, store)
  const slots = () => server.byHand('SELECT slot_name FROM pg_replication_slots')
  // The server notices the death of its clients late.
  const wait = { what: 'the slots of workers to go', limitMs: 60_000, everyMs: 5 }
  await waitUntil(wait, async () => (await slots()).length === 0)
  const files = keys.map((key) => (key === backup?.artifact ? 'artifact' : key.replace(folder, ''))).toSorted()
  const common = { broken: await stored.broken(keys.length), slots: await slots() }
  if (!isGivenUp) return { files, isAsItsManifestSays: backup?.isAsItsManifestSays, ...common }
  const sound = backup?.isAsItsManifestSays === true ? whatIsWhole.files : []
  return { strangers: files.filter((file) => !sound.includes(file)), ...common }
}

async function backupOf(order: BackupOrder | PhysicalOrder, store: ArtifactStore) {
  const folder = folderOf(order)
  const { manifest } = await ('method' in order
    ? loadForm(store, folder, readPhysicalManifest, never)
    : loadManifest(store, folder, never))
  const { file, sha256 } = manifest.artifact
  const artifact = folder + file
  return { artifact, isAsItsManifestSays: sha256Of(await whole(store.read(artifact, never))) === sha256 }
}
