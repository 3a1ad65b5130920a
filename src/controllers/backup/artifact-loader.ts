// Loads the manifest and the artifact of a backup from a store.
// Invariant: a manifest counts only if it is complete and unchanged, an artifact only if its hash equals the
// manifest's. Reading stops once there are more bytes than the manifest says.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../../index.ts'
import type { ArtifactStore, StoredArtifact } from '../stores/artifact-store.ts'
import { withoutStall } from '../stores/flow-watcher.ts'
import { StoreError } from '../stores/store-error.ts'
import { manifestKey } from './artifact-layout.ts'
import { BackupError } from './backup-error.ts'
import { largestManifestBytes, type Manifest, manifestSha256, type Reading, readManifest } from './manifest.ts'

export interface Loaded<Content> {
  readonly manifest: Content
  /** SHA-256 of the manifest file, in hexadecimal. */
  readonly sha256: string
}

export type LoadedManifest = Loaded<Manifest>

/** Loads the manifest of a logical backup. Throws ManifestRefused if it is missing or invalid. */
export async function loadManifest(store: ArtifactStore, folder: string, signal: AbortSignal): Promise<LoadedManifest> {
  return loadForm(store, folder, readManifest, signal)
}

/** Returns undefined if the folder has no manifest. Throws ManifestRefused if the manifest is invalid. */
export async function findForm<Content>(
  store: ArtifactStore,
  folder: string,
  read: (text: string) => Reading<Content>,
  signal: AbortSignal,
): Promise<Loaded<Content> | undefined> {
  const key = manifestKey(folder)
  const text = await textOf(store, key, signal)
  if (text === undefined) return undefined
  const reading = read(text)
  if (reading.kind === 'refused') throw rejected(`${key} in ${store.place} ${reading.fault}`)
  return { manifest: reading.manifest, sha256: manifestSha256(text) }
}

export async function loadForm<Content>(
  store: ArtifactStore,
  folder: string,
  read: (text: string) => Reading<Content>,
  signal: AbortSignal,
): Promise<Loaded<Content>> {
  const found = await findForm(store, folder, read, signal)
  if (found !== undefined) return found
  throw rejected(`there is no manifest in ${store.place}/${folder}, so that what is there, if anything, is no backup`)
}

export interface ArtifactReading {
  readonly store: ArtifactStore
  readonly folder: string
  readonly manifest: { readonly artifact: { readonly file: string } & StoredArtifact }
  readonly clock: Clock
  readonly signal: AbortSignal
}

export interface Download extends ArtifactReading {
  readonly toFile: string
}

/** Limit after which a store that sends almost nothing counts as hung. */
const silenceMs = 5 * 60_000

/**
 * Downloads the artifact to a file. Throws ChecksumMismatch if the artifact is truncated or changed, WorkFolderFull if
 * the disk is full.
 */
export async function loadArtifact({ toFile, ...reading }: Download): Promise<void> {
  const { manifest, signal } = reading
  try {
    await pipeline(streamArtifact(reading), createWriteStream(toFile, { mode: 0o600 }), { signal })
  } catch (error) {
    throw isNoSpace(error) ? workFolderFull(manifest.artifact.sizeBytes) : error
  }
}

/** Streams the artifact. Use the content only after the stream has ended without ChecksumMismatch. */
export async function* streamArtifact({
  store,
  folder,
  manifest,
  clock,
  signal,
}: ArtifactReading): AsyncIterable<Uint8Array> {
  const { file, sizeBytes, sha256 } = manifest.artifact
  const hash = createHash('sha256')
  let size = 0
  const stopping = new AbortController()
  const until = AbortSignal.any([signal, stopping.signal])
  const stalled = () => silent(store, folder + file)
  try {
    for await (const chunk of withoutStall(store.read(folder + file, until), { clock, limitMs: silenceMs, stalled })) {
      hash.update(chunk)
      size += chunk.byteLength
      // A store may send data without end, and fill the disk.
      if (size > sizeBytes) throw mismatch(store, folder + file, `has more than ${sizeBytes} bytes`)
      yield chunk
    }
  } finally {
    stopping.abort()
  }
  if (size === sizeBytes && hash.digest('hex') === sha256) return
  throw mismatch(store, folder + file, size === sizeBytes ? 'was changed' : `has ${size} bytes instead of ${sizeBytes}`)
}

function mismatch(store: ArtifactStore, key: string, fault: string): BackupError {
  const message = `the artifact ${key} in ${store.place} ${fault}, and is not restored`
  return new BackupError({ code: 'ChecksumMismatch', message, remedy: 'stop' })
}

/** Reads the artifact and verifies its checksum. Throws ChecksumMismatch. */
export async function readArtifact(reading: ArtifactReading): Promise<void> {
  for await (const _ of streamArtifact(reading)) reading.signal.throwIfAborted()
}

async function textOf(store: ArtifactStore, key: string, signal: AbortSignal): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of store.read(key, signal)) {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size > largestManifestBytes) throw rejected(`${key} in ${store.place} is too large for a manifest`)
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === 'NotStored') return undefined
    throw error
  }
  return Buffer.concat(chunks).toString('utf8')
}

function rejected(message: string): BackupError {
  return new BackupError({ code: 'ManifestRefused', message, remedy: 'stop' })
}

function silent(store: ArtifactStore, key: string): StoreError {
  const message = `${key} in ${store.place} has sent next to nothing for ${silenceMs / 60_000} min`
  return new StoreError({ code: 'StoreUnavailable', message, remedy: 'retry' })
}

function isNoSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}

function workFolderFull(sizeBytes: number): BackupError {
  const message = `there is no room for the artifact (${sizeBytes} bytes) where it is restored from; give the worker a larger disk`
  return new BackupError({ code: 'WorkFolderFull', message, remedy: 'retry' })
}
