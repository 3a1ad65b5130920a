// How does what was saved become a backup? By its manifest, which is written last and never twice. A worker that died left at most files
// without one, which the next to finish removes.
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
  /** `present`: an earlier worker had made it. */
  readonly kind: 'made' | 'present'
  readonly folder: string
}

export interface Commitment<Content extends Sealed> {
  readonly store: ArtifactStore
  readonly folder: string
  /** Of this attempt alone. */
  readonly file: string
  /** Stores the file. */
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
    // Another worker may have been faster, and have removed what this one was storing.
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
 * From here on it is a backup. When the answer is lost nobody knows whether it is, so that what was saved stays; another worker may have
 * been faster, which is as good.
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
 * What workers left that did not get to the end; without a manifest, all. Those that still work find the manifest, and stop. Nothing where a
 * manifest is there that was not found before: a worker was faster, or the store did not say the truth.
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
 * Where two workers finish at once, each removes what the other has stored, and only one manifest may be written. A store that lets the
 * second one write too ends with a manifest whose file is gone, which is no backup. Nothing more is removed: the store may not say the truth.
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

/** The failure that led here is the one to be told. What cannot be removed now, the next worker removes. */
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
