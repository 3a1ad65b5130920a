// Fills the volume of a new server with the copy of another one, before that server is ever started, in two steps. The first has the store and
// its keys, unpacks the copy beside the place of the data, and runs nothing of it. The second has the volume alone: it holds the files against
// their list, starts a server on them, makes them the new Database's and reads them. Whoever wrote the copy may run code there. Only then the
// folder is moved to where the server looks for it, at once and with a mark in it that names the request. A worker that dies before that leaves
// nothing that counts; one that comes after it does nothing. What is there and bears no such mark is never touched.
//
//   <volume>/konverge-restore-…/data        a worker's, or left by a dead one
//   <volume>/pgdata                         the server's
//   <volume>/pgdata/konverge-restored.json  the mark
import { mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { databaseAdmin, databaseDataFolder } from '../../../constructs/index.ts'
import type { Clock, SecretSource } from '../../index.ts'
import { ownerAttributes } from '../database/logical-database.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import type { LogicalEngine } from '../engines/logical-engine.ts'
import type { PhysicalEngine, ServerUser, WokenServer } from '../engines/physical-engine.ts'
import { scramVerifier } from '../engines/postgres/scram.ts'
import type { ArtifactStore } from '../stores/artifact-store.ts'
import { loadForm } from './artifact-loader.ts'
import { BackupError } from './backup-error.ts'
import { proveCopy } from './copy-proof-worker.ts'
import type { FilledVolume, FillOrder } from './fill-order.ts'
import { fillingChanges, fillingQuestion } from './filled-server.ts'
import { manifestText } from './manifest.ts'
import { type PhysicalManifest, readPhysicalManifest } from './physical-manifest.ts'
import { callerOf } from './restore-order.ts'
import { dataFolderName, unpackArtifact } from './unpacking-worker.ts'

interface VolumeTools {
  /** Where the volume is mounted. */
  readonly volume: string
  /** Of this pod alone, for what the first step tells the second. */
  readonly workFolder: string
  /** Whose the files are to be; undefined: this process'. */
  readonly user: ServerUser | undefined
}

export interface FetchingTools extends VolumeTools {
  readonly store: ArtifactStore
  /** Of the new administrator. */
  readonly password: string
  readonly secrets: SecretSource
  readonly clock: Clock
}

export interface SettlingTools extends VolumeTools {
  readonly engine: DatabaseEngine
  readonly logical: LogicalEngine
  readonly physical: PhysicalEngine
}

/** The database that the volume has now. */
export interface FilledIdentity {
  readonly systemIdentifier: string
  readonly databaseOid: number
}

/**
 * First step: unpacks the files onto the volume and runs nothing of them. What other tries have left there goes first.
 * Throws VolumeInUse, VolumeFull, VersionMismatch, ManifestRefused, ChecksumMismatch.
 */
export async function fetchFilling(order: FillOrder, tools: FetchingTools, signal: AbortSignal): Promise<void> {
  const { volume, password, secrets } = tools
  const done = await findFilled(order, volume)
  // Also what a worker has left that died once all was in place.
  await removeWork(volume)
  if (done !== undefined) return
  const { manifest } = await loadForm(tools.store, order.folder, readPhysicalManifest, signal)
  checkVersion(order, manifest)
  const work = await mkdtemp(join(volume, workPrefix))
  try {
    await unpackArtifact({ ...tools, folder: order.folder, manifest, work, signal }).catch(volumeFull)
    const verifier = scramVerifier({ password, salt: secrets.bytes(16) })
    const fetched: Fetched = { work: basename(work), verifier, manifest: manifestText(manifest) }
    await writeFile(fetchedFile(tools), JSON.stringify(fetched), { mode: 0o600 })
  } catch (error) {
    await rm(work, { recursive: true, force: true })
    throw error
  }
}

/**
 * Second step: starts a server on the files, which runs what others have written, so that neither the store nor any password may be in reach.
 * Rejects with what is wrong; the place of the data is then as it was.
 */
export async function settleFilling(
  order: FillOrder,
  tools: SettlingTools,
  signal: AbortSignal,
): Promise<FilledIdentity> {
  const { volume } = tools
  const done = await findFilled(order, volume)
  if (done !== undefined) return done
  const { work: name, verifier, manifest } = await loadFetched(tools)
  const work = join(volume, name)
  try {
    const dataFolder = join(work, dataFolderName)
    await settle(order, tools, { manifest, verifier, dataFolder, signal })
    const { systemIdentifier, databaseOid } = manifest.source
    const identity = { systemIdentifier, databaseOid }
    await putInPlace(order, tools, { dataFolder, identity })
    return identity
  } finally {
    await rm(work, { recursive: true, force: true })
    await rm(fetchedFile(tools), { force: true })
  }
}

/** What the first step tells the second one of the same pod. */
interface Fetched {
  /** Folder on the volume. */
  readonly work: string
  /** Of the new administrator's password. */
  readonly verifier: string
  readonly manifest: string
}

function fetchedFile({ workFolder }: Pick<VolumeTools, 'workFolder'>): string {
  return join(workFolder, 'fetched.json')
}

async function loadFetched(tools: VolumeTools): Promise<Omit<Fetched, 'manifest'> & { manifest: PhysicalManifest }> {
  // Sound: the first step has written it.
  const { manifest, ...fetched } = JSON.parse(await readFile(fetchedFile(tools), 'utf8')) as Fetched
  const reading = readPhysicalManifest(manifest)
  if (reading.kind === 'refused') throw new Error(`the manifest that was fetched ${reading.fault}`)
  return { ...fetched, manifest: reading.manifest }
}

/** Of a request that nobody asks for any more, or whose workers have all failed: what it has come to all the same, or nothing, and no trace of it. */
export async function clearVolume(asked: FilledVolume, volume: string): Promise<FilledIdentity | undefined> {
  await removeWork(volume)
  return await findMark(asked, volume)
}

const workPrefix = 'konverge-restore-'
/** No worker's name ends so. */
const condemnedSuffix = '.condemned'
const markFile = 'konverge-restored.json'

/** Undefined where there is room for it. Throws VolumeInUse. */
async function findFilled(asked: FilledVolume, volume: string): Promise<FilledIdentity | undefined> {
  const done = await findMark(asked, volume)
  const files = await readdir(join(volume, databaseDataFolder)).catch(noneThere)
  if (done !== undefined || files.length === 0) return done
  const message = `the volume claim ${asked.claim} holds data that this restore has not put there, which is left alone; delete the claim if nobody needs it, or give the Database another name`
  throw new BackupError({ code: 'VolumeInUse', message, remedy: 'stop' })
}

function noneThere(error: unknown): readonly string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}

interface Mark extends FilledIdentity {
  readonly requestId: string
  readonly uid: string
}

async function findMark({ requestId, database }: FilledVolume, volume: string): Promise<FilledIdentity | undefined> {
  const text = await readFile(join(volume, databaseDataFolder, markFile), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  // It was there, whole, before its folder got the name. Sound: only we write it.
  const mark = JSON.parse(text) as Mark
  if (mark.requestId !== requestId || mark.uid !== database.uid) return undefined
  const { systemIdentifier, databaseOid } = mark
  return { systemIdentifier, databaseOid }
}

/**
 * Each folder is renamed first, so that a worker who is not dead after all has nothing to put in place, instead of a part. A name needs no
 * room on a disk that is full.
 */
async function removeWork(volume: string): Promise<void> {
  const names = await readdir(volume)
  for (const name of names.filter((one) => one.startsWith(workPrefix))) {
    const condemned = name.endsWith(condemnedSuffix) ? name : `${name}${condemnedSuffix}`
    if (condemned !== name) await rename(join(volume, name), join(volume, condemned)).catch(noneThere)
    await rm(join(volume, condemned), { recursive: true, force: true })
  }
}

function checkVersion({ version }: FillOrder, { source: { majorVersion } }: PhysicalManifest): void {
  if (majorVersion === version) return
  const message = `the copy is of a server of version ${majorVersion}, whose files one of version ${version} cannot read; make the Database with version '${majorVersion}'`
  throw new BackupError({ code: 'VersionMismatch', message, remedy: 'stop' })
}

interface Settling {
  readonly manifest: PhysicalManifest
  readonly verifier: string
  readonly dataFolder: string
  readonly signal: AbortSignal
}

/** The files are afterwards those of a server that has recovered, and was shut down in good order. */
async function settle(
  order: FillOrder,
  tools: SettlingTools,
  { manifest, verifier, dataFolder, signal }: Settling,
): Promise<void> {
  const { version: majorVersion } = order
  const woken = await tools.physical.wake({ dataFolder, majorVersion, username: databaseAdmin, areKept: true, signal })
  try {
    await makeOwn(order, tools, { manifest, verifier, woken, signal })
    await woken.rest()
  } finally {
    await woken.stop()
  }
}

interface Owning {
  readonly manifest: PhysicalManifest
  readonly verifier: string
  readonly woken: WokenServer
  readonly signal: AbortSignal
}

async function makeOwn(
  { requestId, database, queries, hashUpToBytes }: FillOrder,
  { engine, logical }: SettlingTools,
  { manifest, verifier, woken: { access }, signal }: Owning,
): Promise<void> {
  const caller = callerOf(database)
  const { databaseName: name, owner } = database
  const filled = { requestId, database, manifest, verifier }
  const server = engine.server(access, { caller, signal })
  const { onServer, inDatabase } = fillingChanges(filled, await server.observe(fillingQuestion(filled)))
  await server.change(onServer)
  await server.change(inDatabase, { database: name })
  for (const { database: at, subscription } of await server.query({ text: subscriptions, isLook: true })) {
    // A copy that went on with it would take away what the copied server is to get.
    const change = { kind: 'dropSubscription', subscription: String(subscription) } as const
    await server.change([change], { database: String(at) })
  }
  const proof = { access, caller, database: name, owner, identity: manifest.source, queries, hashUpToBytes, signal }
  await proveCopy(proof, { engine, logical })
  await server.change([{ kind: 'alterRole', role: owner, attributes: ownerAttributes }])
}

const subscriptions = `SELECT d.datname AS database, s.subname AS subscription
  FROM pg_catalog.pg_subscription s JOIN pg_catalog.pg_database d ON d.oid = s.subdbid WHERE d.datallowconn`

interface Place {
  readonly dataFolder: string
  readonly identity: FilledIdentity
}

/** The server's own files are on the disk by its own word; the mark and the names by ours. */
async function putInPlace(
  { requestId, database }: FillOrder,
  { volume, user }: SettlingTools,
  { dataFolder, identity }: Place,
): Promise<void> {
  const mark: Mark = { requestId, uid: database.uid, ...identity }
  const file = await open(join(dataFolder, markFile), 'w', 0o600)
  await file.writeFile(`${JSON.stringify(mark)}\n`)
  // The server's, as all that is there: its own backups read it.
  if (user !== undefined) await file.chown(user.uid, user.gid)
  await file.sync()
  await file.close()
  await syncFolder(dataFolder)
  // Fails where somebody has put something there meanwhile.
  await rename(dataFolder, join(volume, databaseDataFolder))
  await syncFolder(volume)
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

function volumeFull(error: unknown): never {
  if (!(error instanceof BackupError) || error.code !== 'WorkFolderFull') throw error
  const message =
    'the volume of the server has no room for the files of the copy; make the Database with a larger provider.inCluster.storage.size'
  throw new BackupError({ code: 'VolumeFull', message, remedy: 'stop' })
}
