// Verifies a physical backup in two steps. The first step has the store and its keys: it unpacks the files and runs
// nothing. The second step has only the files: it verifies them against their list and starts a server on them that
// accepts no remote connection. After recovery it reads each row of each database. The author of the copy may run code
// there, for instance by a type whose output function is in a library of the copy. Row counts of the source are not
// known, because the server continued during the copy. The checksums of files and WAL show that the copy is unchanged.
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
  /** Owner of the files; undefined: the user of this process. */
  readonly user: ServerUser | undefined
}

export interface ProofTools extends Pick<VerificationTools, 'workFolder'> {
  readonly engine: DatabaseEngine
  readonly logical: LogicalEngine
  readonly physical: PhysicalEngine
}

export interface PhysicalProof {
  readonly manifest: PhysicalManifest
  /** Contents of the database that the backup was made for. */
  readonly contents: DatabaseContents
}

/**
 * First step: removes the leftovers of an earlier try, and unpacks the files into the work folder. It runs nothing of
 * them. Throws ManifestRefused, ChecksumMismatch, WorkFolderFull.
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
 * Second step: starts a server on the files. It runs code of the copy's author, so it must have access to neither the
 * store nor its keys. Throws RestoreFailed, SourceIdentityChanged, QueryFailed.
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

/** Each pod has one, on its own temporary disk. */
function copyFolder(workFolder: string): string {
  return join(workFolder, 'copy')
}

/** Reads the artifact and compares its checksum with the manifest. */
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

/** Unpacks the artifact after its checksum is verified. */
async function unpack(
  { folder }: VerificationOrder,
  { store, clock, user }: FetchTools,
  { manifest, work, signal }: Unpacking,
): Promise<void> {
  const toFile = join(work, 'copy.tar')
  await loadArtifact({ store, folder, manifest, toFile, clock, signal })
  const dataFolder = join(work, dataFolderName)
  await makeDataFolder(work, dataFolder, user)
  // Without encoding the stream yields buffers.
  const packed = createReadStream(toFile, { signal }) as AsyncIterable<Uint8Array>
  await unpackTar(passed(packed, unpacker(manifest.artifact.packing)), dataFolder, user)
  await rm(toFile)
}
