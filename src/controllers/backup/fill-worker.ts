// Fills the volume of a new server with a server copy, in two steps, before that server first starts.
// The first step has the store and its keys. It unpacks the copy beside the data folder and runs nothing of it.
// The second step has only the volume. It verifies the files against their list and starts a server on them. Then it
// assigns them to the new Database and reads them. The author of the copy may run code there.
// Invariant: the folder moves to the server's path last, by one rename, with a marker that names the request. A worker
// that dies earlier leaves nothing that counts; a worker that starts later does nothing.
// Data without that marker is never touched.
//
//   <volume>/konverge-restore-…/data        work folder of a live or dead worker
//   <volume>/pgdata                         data folder of the server
//   <volume>/pgdata/konverge-restored.json  marker.
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
  /** Mount path of the volume. */
  readonly volume: string
  /** Folder of this pod alone, for data that the first step passes to the second. */
  readonly workFolder: string
  /** Owner of the files. Undefined: the user of this process. */
  readonly user: ServerUser | undefined
}

export interface FetchingTools extends VolumeTools {
  readonly store: ArtifactStore
  /** Password of the new administrator. */
  readonly password: string
  readonly secrets: SecretSource
  readonly clock: Clock
}

export interface SettlingTools extends VolumeTools {
  readonly engine: DatabaseEngine
  readonly logical: LogicalEngine
  readonly physical: PhysicalEngine
}

/** Identity of the database that the volume holds. */
export interface FilledIdentity {
  readonly systemIdentifier: string
  readonly databaseOid: number
}

/**
 * First step: removes the work folders of other tries, unpacks the files onto the volume and runs nothing of them.
 * Throws VolumeInUse, VolumeFull, VersionMismatch, ManifestRefused, ChecksumMismatch.
 */
export async function fetchFilling(order: FillOrder, tools: FetchingTools, signal: AbortSignal): Promise<void> {
  const { volume, password, secrets } = tools
  const done = await findFilled(order, volume)
  // A worker that died after the move may have left a work folder.
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
 * Second step: starts a server on the files. That server runs code of other authors, so neither the store nor any
 * password may be reachable. Rejects on failure; the server's data folder is then unchanged.
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

/** Data that the first step passes to the second step of the same pod. */
interface Fetched {
  /** Name of the work folder on the volume. */
  readonly work: string
  /** SCRAM verifier of the new administrator's password. */
  readonly verifier: string
  readonly manifest: string
}

function fetchedFile({ workFolder }: Pick<VolumeTools, 'workFolder'>): string {
  return join(workFolder, 'fetched.json')
}

async function loadFetched(tools: VolumeTools): Promise<Omit<Fetched, 'manifest'> & { manifest: PhysicalManifest }> {
  // Sound: the first step wrote the file.
  const { manifest, ...fetched } = JSON.parse(await readFile(fetchedFile(tools), 'utf8')) as Fetched
  const reading = readPhysicalManifest(manifest)
  if (reading.kind === 'refused') throw new Error(`the manifest that was fetched ${reading.fault}`)
  return { ...fetched, manifest: reading.manifest }
}

/**
 * Removes all work folders of a request that was withdrawn, or whose workers all failed. Returns the identity if the
 * request was completed all the same.
 */
export async function clearVolume(asked: FilledVolume, volume: string): Promise<FilledIdentity | undefined> {
  await removeWork(volume)
  return await findMark(asked, volume)
}

const workPrefix = 'konverge-restore-'
/** Suffix that no worker's folder has. */
const condemnedSuffix = '.condemned'
const markFile = 'konverge-restored.json'

/** Returns undefined if the data folder is empty. Throws VolumeInUse if it holds other data. */
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
  // The marker was complete before its folder got this name. Sound: only these workers write it.
  const mark = JSON.parse(text) as Mark
  if (mark.requestId !== requestId || mark.uid !== database.uid) return undefined
  const { systemIdentifier, databaseOid } = mark
  return { systemIdentifier, databaseOid }
}

/**
 * Removes all work folders. It renames each one first, so that a worker that is still alive finds no folder to move
 * instead of a part. A rename needs no free space on a full disk.
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

/**
 * Starts a server on the files and assigns them to the Database. Afterwards the server has recovered and shut down
 * cleanly.
 */
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
    // A subscription of the copy would consume changes that the copied server needs.
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

/**
 * Moves the data folder to the server's path. The server has synced its own files; this syncs the marker and the names.
 */
async function putInPlace(
  { requestId, database }: FillOrder,
  { volume, user }: SettlingTools,
  { dataFolder, identity }: Place,
): Promise<void> {
  const mark: Mark = { requestId, uid: database.uid, ...identity }
  const file = await open(join(dataFolder, markFile), 'w', 0o600)
  await file.writeFile(`${JSON.stringify(mark)}\n`)
  // The server owns the marker like its other files, because its own backups read it.
  if (user !== undefined) await file.chown(user.uid, user.gid)
  await file.sync()
  await file.close()
  await syncFolder(dataFolder)
  // Fails if the data folder has got files meanwhile.
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
