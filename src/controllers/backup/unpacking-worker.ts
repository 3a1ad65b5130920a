// Unpacks the files of a server copy as they arrive from the store, so that no other disk is needed.
// Invariant: the folder is used only after the whole artifact has arrived and its checksum matches.
import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../index.ts'
import { CodedError } from '../../index.ts'
import type { ServerUser } from '../engines/physical-engine.ts'
import type { ArtifactStore } from '../stores/artifact-store.ts'
import { readArtifact, streamArtifact } from './artifact-loader.ts'
import { BackupError } from './backup-error.ts'
import { unpacker } from './packing.ts'
import { passed } from './packing-runner.ts'
import type { PhysicalManifest } from './physical-manifest.ts'
import { unpackTar } from './tar-runner.ts'

export interface Unpacking {
  readonly store: ArtifactStore
  /** Folder of the backup in its store. */
  readonly folder: string
  readonly manifest: PhysicalManifest
  /** Work folder of this process. */
  readonly work: string
  /** Owner of the files. Undefined: the user of this process. */
  readonly user: ServerUser | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Name of the data folder in the work folder. */
export const dataFolderName = 'data'

/** Unpacks the artifact into the data folder. Throws ChecksumMismatch, ManifestRefused, WorkFolderFull. */
export async function unpackArtifact(unpacking: Unpacking): Promise<void> {
  const { manifest, work, user } = unpacking
  const { file, packing } = manifest.artifact
  const dataFolder = join(work, dataFolderName)
  await makeDataFolder(work, dataFolder, user)
  let isBelieved = false
  async function* content(): AsyncIterable<Uint8Array> {
    yield* streamArtifact(unpacking)
    isBelieved = true
  }
  try {
    await unpackTar(passed(content(), unpacker(packing)), dataFolder, user)
    // The archive may end before the artifact does.
    if (!isBelieved) await readArtifact(unpacking)
  } catch (error) {
    if (isOfStoreOrDisk(error)) throw error
    // An artifact that cannot be unpacked is damaged, or was never a copy. A damaged one fails this checksum.
    await readArtifact(unpacking)
    if (error instanceof CodedError) throw error
    const message = `the artifact ${file} is as it was stored, and cannot be unpacked by ${packing}`
    throw new BackupError({ code: 'ManifestRefused', message, remedy: 'stop', cause: error })
  }
}

/** PostgreSQL requires a data folder that only its user can access, and must reach it. */
export async function makeDataFolder(work: string, dataFolder: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(dataFolder, { mode: 0o700 })
  if (user === undefined) return
  await chmod(work, 0o711)
  await chown(dataFolder, user.uid, user.gid)
}

function isOfStoreOrDisk(error: unknown): boolean {
  return error instanceof CodedError && error.code !== 'ManifestRefused'
}
