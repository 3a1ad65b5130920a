// Verifies a copy of a server in two steps. The first has the store and its keys, unpacks the files, and runs nothing. The second has the files
// alone, holds them against their list, starts a server on them that nobody else reaches, and when it has recovered reads every row of every
// database. Whoever wrote the copy may run code there: a type whose output function is in a library among the files is one way. What there was at
// the moment of the copy nobody has counted, as the server went on: that it is the same is known of the files, by their sums, and of the log.
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseContents } from '../engines/database-contents.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import type { LogicalEngine } from '../engines/logical-engine.ts'
import type { PhysicalEngine, ServerUser } from '../engines/physical-engine.ts'
import type { Caller } from '../engines/server-access.ts'
import { loadArtifact, loadForm } from './artifact-loader.ts'
import { proveCopy } from './copy-proof-worker.ts'
import { manifestText } from './manifest.ts'
import { unpacker } from './packing.ts'
import { passed } from './packing-runner.ts'
import { type PhysicalManifest, readPhysicalManifest } from './physical-manifest.ts'
import { unpackTar } from './tar-runner.ts'
import { dataFolderName, makeDataFolder } from './unpacking-worker.ts'
import type { VerificationOrder, VerificationTools } from './verification-worker.ts'

export interface FetchTools extends Pick<VerificationTools, 'store' | 'workFolder' | 'clock'> {
  /** Whose the files are to be; undefined: this process'. */
  readonly user: ServerUser | undefined
}

export interface ProofTools extends Pick<VerificationTools, 'workFolder'> {
  readonly engine: DatabaseEngine
  readonly logical: LogicalEngine
  readonly physical: PhysicalEngine
}

export interface PhysicalProof {
  readonly manifest: PhysicalManifest
  /** Of the database that the backup was made for. */
  readonly contents: DatabaseContents
}

/**
 * First step: unpacks the files into the work folder and runs nothing of them. What an earlier try has left there goes first.
 * Throws ManifestRefused, ChecksumMismatch, WorkFolderFull.
 */
export async function fetchCopy(order: VerificationOrder, tools: FetchTools, signal: AbortSignal): Promise<void> {
  const work = copyFolder(tools.workFolder)
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { mode: 0o700 })
  try {
    const { manifest } = await loadForm(tools.store, order.folder, readPhysicalManifest, signal)
    await unpack(order, tools, { manifest, work, signal })
    await writeFile(join(work, manifestFile), manifestText(manifest), { mode: 0o600 })
  } catch (error) {
    await rm(work, { recursive: true, force: true })
    throw error
  }
}

/**
 * Second step: starts a server on the files, which runs what others have written, so that neither the store nor its keys may be in reach.
 * Throws RestoreFailed, SourceIdentityChanged, QueryFailed.
 */
export async function proveCopyFiles(
  { backup, hashUpToBytes, queries }: VerificationOrder,
  tools: ProofTools,
  signal: AbortSignal,
): Promise<PhysicalProof> {
  const work = copyFolder(tools.workFolder)
  const reading = readPhysicalManifest(await readFile(join(work, manifestFile), 'utf8'))
  if (reading.kind === 'refused') throw new Error(`the manifest that was fetched ${reading.fault}`)
  const { manifest } = reading
  try {
    const { database, owner, majorVersion } = manifest.source
    const dataFolder = join(work, dataFolderName)
    const woken = await tools.physical.wake({ dataFolder, majorVersion, username: manifest.copy.admin, signal })
    try {
      const caller: Caller = { kind: 'Backup', namespace: backup.namespace, name: backup.name }
      const asked = { caller, database, owner, identity: manifest.source, queries, hashUpToBytes, signal }
      return { manifest, contents: await proveCopy({ access: woken.access, ...asked }, tools) }
    } finally {
      await woken.stop()
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const manifestFile = 'manifest.json'

/** One for each pod, whose temporary disk nobody else has. */
function copyFolder(workFolder: string): string {
  return join(workFolder, 'copy')
}

/** Is what is stored still what was stored? */
export async function readPhysicalBackup(
  folder: string,
  { store, workFolder, clock }: Pick<VerificationTools, 'store' | 'workFolder' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const { manifest } = await loadForm(store, folder, readPhysicalManifest, signal)
  const work = await mkdtemp(join(workFolder, 'read-'))
  try {
    await loadArtifact({ store, folder, manifest, toFile: join(work, 'copy.tar'), clock, signal })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

interface Unpacking {
  readonly manifest: PhysicalManifest
  readonly work: string
  readonly signal: AbortSignal
}

/** Nothing is unpacked that is not believed. */
async function unpack(
  { folder }: VerificationOrder,
  { store, clock, user }: FetchTools,
  { manifest, work, signal }: Unpacking,
): Promise<void> {
  const toFile = join(work, 'copy.tar')
  await loadArtifact({ store, folder, manifest, toFile, clock, signal })
  const dataFolder = join(work, dataFolderName)
  await makeDataFolder(work, dataFolder, user)
  const packed = createReadStream(toFile, { signal }) as AsyncIterable<Uint8Array> // Without encoding it yields buffers.
  await unpackTar(passed(packed, unpacker(manifest.artifact.packing)), dataFolder, user)
  await rm(toFile)
}
