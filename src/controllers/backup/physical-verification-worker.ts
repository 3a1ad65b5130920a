// Does a copy of a server start, and can all that is in it be read? Its files are unpacked beside, held against their list, and a server is
// started on them that nobody else reaches; when it has recovered, every row of every database is read. What there was at that moment nobody
// has counted, as the server went on: that it is the same is known of the files, by their sums, and of the log that recovers them.
import { createReadStream } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseContents } from '../engines/database-contents.ts'
import type { DatabaseEngine } from '../engines/engine.ts'
import type { LogicalEngine } from '../engines/logical-engine.ts'
import type { PhysicalEngine, ServerUser } from '../engines/physical-engine.ts'
import type { Caller } from '../engines/server-access.ts'
import { loadArtifact, loadForm } from './artifact-loader.ts'
import { proveCopy } from './copy-proof-worker.ts'
import { unpacker } from './packing.ts'
import { passed } from './packing-runner.ts'
import { type PhysicalManifest, readPhysicalManifest } from './physical-manifest.ts'
import { unpackTar } from './tar-runner.ts'
import type { VerificationOrder, VerificationTools } from './verification-worker.ts'

export interface PhysicalVerificationTools extends Pick<VerificationTools, 'store' | 'workFolder' | 'clock'> {
  readonly engine: DatabaseEngine
  readonly logical: LogicalEngine
  readonly physical: PhysicalEngine
  /** Whose the files are to be; undefined: this process'. */
  readonly user: ServerUser | undefined
}

export interface PhysicalProof {
  readonly manifest: PhysicalManifest
  /** Of the database that the backup was made for. */
  readonly contents: DatabaseContents
}

/** Throws what is wrong with it: ManifestRefused, ChecksumMismatch, RestoreFailed, SourceIdentityChanged, QueryFailed. */
export async function verifyPhysicalBackup(
  order: VerificationOrder,
  tools: PhysicalVerificationTools,
  signal: AbortSignal,
): Promise<PhysicalProof> {
  const { manifest } = await loadForm(tools.store, order.folder, readPhysicalManifest, signal)
  const work = await mkdtemp(join(tools.workFolder, 'verify-'))
  try {
    const dataFolder = await unpack(order, tools, { manifest, work, signal })
    const { majorVersion } = manifest.source
    const woken = await tools.physical.wake({ dataFolder, majorVersion, username: manifest.copy.admin, signal })
    try {
      const { backup, hashUpToBytes, queries } = order
      const { database, owner } = manifest.source
      const caller: Caller = { kind: 'Backup', namespace: backup.namespace, name: backup.name }
      const asked = { caller, database, owner, identity: manifest.source, queries, hashUpToBytes, signal }
      const contents = await proveCopy({ access: woken.access, ...asked }, tools)
      return { manifest, contents }
    } finally {
      await woken.stop()
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Is what is stored still what was stored? */
export async function readPhysicalBackup(
  folder: string,
  { store, workFolder, clock }: Pick<PhysicalVerificationTools, 'store' | 'workFolder' | 'clock'>,
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
  { store, clock, user }: PhysicalVerificationTools,
  { manifest, work, signal }: Unpacking,
): Promise<string> {
  const toFile = join(work, 'copy.tar')
  await loadArtifact({ store, folder, manifest, toFile, clock, signal })
  const dataFolder = join(work, 'data')
  await makeOwn(work, dataFolder, user)
  const packed = createReadStream(toFile, { signal }) as AsyncIterable<Uint8Array> // Without encoding it yields buffers.
  await unpackTar(passed(packed, unpacker(manifest.artifact.packing)), dataFolder, user)
  await rm(toFile)
  return dataFolder
}

/** PostgreSQL wants a data folder that is its user's alone, and has to get to it. */
async function makeOwn(work: string, dataFolder: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(dataFolder, { mode: 0o700 })
  if (user === undefined) return
  await chmod(work, 0o711)
  await chown(dataFolder, user.uid, user.gid)
}
