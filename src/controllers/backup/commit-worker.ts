// Makes stored files a backup by writing their manifest.
// Invariant: the manifest is written last, and only once. A dead worker leaves at most files without a manifest; the
// next worker that finishes removes them.
import type { ArtifactStore } from '../stores/artifact-store.ts'
import { StoreError } from '../stores/store-error.ts'
import { manifestKey } from './artifact-layout.ts'
import { findForm, type Loaded } from './artifact-loader.ts'
import { BackupError } from './backup-error.ts'
import { manifestText, type Reading } from './manifest.ts'

interface Sealed {
  readonly form: string
  readonly artifact: { readonly file: string }
}

export interface CommittedBackup<Content> extends Loaded<Content> {
  /** `present`: an earlier worker made the backup. */
  readonly kind: 'made' | 'present'
  readonly folder: string
}

export interface Commitment<Content extends Sealed> {
  readonly store: ArtifactStore
  readonly folder: string
  /** File name that is unique to this attempt. */
  readonly file: string
  /** Stores the file and returns its manifest. */
  readonly save: () => Promise<Content>
  readonly read: (text: string) => Reading<Content>
}

export async function commitOnce<Content extends Sealed>(
  commitment: Commitment<Content>,
  signal: AbortSignal,
): Promise<CommittedBackup<Content>> {
  const { store, folder, file, read } = commitment
  const loaded = (await findForm(store, folder, read, signal)) ?? (await make(commitment, signal))
  await removeOthers(store, folder, loaded.manifest, signal)
  await expectArtifact(store, folder, loaded.manifest, signal)
  return { ...loaded, folder, kind: loaded.manifest.artifact.file === file ? 'made' : 'present' }
}

async function make<Content extends Sealed>(
  { store, folder, file, save, read }: Commitment<Content>,
  signal: AbortSignal,
): Promise<Loaded<Content>> {
  let manifest: Content
  try {
    manifest = await save()
  } catch (error) {
    await removeQuietly(store, folder + file)
    // Another worker may have finished first and removed this worker's file.
    const others = await findForm(store, folder, read, signal).catch(() => undefined)
    if (others === undefined) throw error
    return others
  }
  await commit(store, folder, manifest, signal)
  const loaded = await findForm(store, folder, read, signal)
  if (loaded === undefined) throw lost(store, folder)
  return loaded
}

/**
 * Writes the manifest, which makes the files a backup. If the response is lost, the outcome is unknown and the files
 * stay. A manifest of a faster worker is as good.
 */
async function commit(
  store: ArtifactStore,
  folder: string,
  manifest: { readonly form: string },
  signal: AbortSignal,
): Promise<void> {
  try {
    await store.put(manifestKey(folder), whole(manifestText(manifest)), { signal, ifAbsent: true })
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'AlreadyStored') throw error
  }
}

async function* whole(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text)
}

/**
 * Removes files of workers that did not finish; without a manifest, all files. Workers that still run find the manifest
 * and stop.
 * Throws ManifestRefused and removes nothing if it lists a manifest that the caller did not find. Then a worker was
 * faster, or the store answered wrongly.
 */
export async function removeOthers(
  store: ArtifactStore,
  folder: string,
  manifest: Sealed | undefined,
  signal: AbortSignal,
): Promise<void> {
  const own = manifest === undefined ? [] : [manifestKey(folder), folder + manifest.artifact.file]
  const keys: string[] = []
  for await (const { key } of store.list(folder, signal)) keys.push(key)
  if (manifest === undefined && keys.includes(manifestKey(folder))) throw overlooked(store, folder)
  for (const key of keys) if (!own.includes(key)) await store.delete(key, signal)
  await store.sweep(folder, signal)
}

/**
 * Throws StoreRefused if the artifact is missing.
 * If two workers finish at once, each removes the other's files, so only one manifest may be written. A store that
 * accepts both writes leaves a manifest without its file, which is no backup. This function removes nothing, because
 * the store may have answered wrongly.
 */
async function expectArtifact(
  store: ArtifactStore,
  folder: string,
  { artifact: { file } }: Sealed,
  signal: AbortSignal,
): Promise<void> {
  if ((await store.find(folder + file, signal)) !== undefined) return
  const message =
    `${folder + file} in ${store.place} was stored and is gone: another worker removed it, or somebody did; ` +
    'a store has to heed If-None-Match, so that of two workers only one writes the manifest'
  throw new StoreError({ code: 'StoreRefused', message, remedy: 'stop' })
}

/** Ignores errors: the caller reports the failure that led here. The next worker removes what stays. */
async function removeQuietly(store: ArtifactStore, key: string): Promise<void> {
  await store.delete(key, new AbortController().signal).catch(() => undefined)
}

function overlooked(store: ArtifactStore, folder: string): BackupError {
  const message = `the manifest in ${store.place}/${folder} was not found, and is there; nothing was removed`
  return new BackupError({ code: 'ManifestRefused', message, remedy: 'retry' })
}

function lost(store: ArtifactStore, folder: string): BackupError {
  const message = `the manifest in ${store.place}/${folder} was stored, and is not there`
  return new BackupError({ code: 'ManifestRefused', message, remedy: 'retry' })
}
