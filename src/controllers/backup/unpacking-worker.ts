// How do the files of a copied server come out of a store? Unpacked as they come, so that no other disk is needed, into a folder that nobody
// uses before all of it has come and was what had been stored.
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
  /** Of the backup, in its store. */
  readonly folder: string
  readonly manifest: PhysicalManifest
  /** A folder of this process. */
  readonly work: string
  /** Whose the files are to be; undefined: this process'. */
  readonly user: ServerUser | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** In the folder of the process. */
export const dataFolderName = 'data'

/** Throws ChecksumMismatch, ManifestRefused, WorkFolderFull. */
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
    // What is unpacked may end before the artifact does.
    if (!isBelieved) await readArtifact(unpacking)
  } catch (error) {
    if (isOfStoreOrDisk(error)) throw error
    // What cannot be unpacked is damaged, or was never a copy: the first is what its digest tells.
    await readArtifact(unpacking)
    if (error instanceof CodedError) throw error
    const message = `the artifact ${file} is as it was stored, and cannot be unpacked by ${packing}`
    throw new BackupError({ code: 'ManifestRefused', message, remedy: 'stop', cause: error })
  }
}

/** PostgreSQL wants a data folder that is its user's alone, and has to get to it. */
export async function makeDataFolder(work: string, dataFolder: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(dataFolder, { mode: 0o700 })
  if (user === undefined) return
  await chmod(work, 0o711)
  await chown(dataFolder, user.uid, user.gid)
}

function isOfStoreOrDisk(error: unknown): boolean {
  return error instanceof CodedError && error.code !== 'ManifestRefused'
}
