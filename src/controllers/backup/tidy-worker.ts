// Removes the leftovers of workers that were killed: scratch databases on the server, and files in the folder that no
// manifest names.
import type { DatabaseServer } from '../engines/engine.ts'
import type { ArtifactStore } from '../stores/artifact-store.ts'
import { findForm, loadForm } from './artifact-loader.ts'
import { removeOthers } from './commit-worker.ts'
import { type Manifest, type Reading, readManifest } from './manifest.ts'
import { type PhysicalManifest, readPhysicalManifest } from './physical-manifest.ts'
import { removeScratch } from './verification-worker.ts'

export interface TidyOrder {
  readonly backup: Manifest['backup']
  /** Folder in the store; undefined: leave the store unchanged. */
  readonly folder?: string | undefined
  /** The backup has a manifest. If it is not found, nothing is removed: the files may be the only ones of a backup. */
  readonly isMade?: true
}

/** `server`: undefined without a scratch database. Do not call it while a worker makes or verifies the backup. */
export async function tidyBackup(
  order: TidyOrder,
  { store, server }: { readonly store: ArtifactStore; readonly server: DatabaseServer | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { backup, folder } = order
  // If one of them is unreachable, still tidy up the other.
  const works = await Promise.allSettled([
    server === undefined ? undefined : removeScratch(backup, server),
    folder === undefined ? undefined : tidyFolder(store, folder, order, signal),
  ])
  for (const work of works) if (work.status === 'rejected') throw work.reason
}

async function tidyFolder(
  store: ArtifactStore,
  folder: string,
  { isMade }: TidyOrder,
  signal: AbortSignal,
): Promise<void> {
  const load = isMade === true ? loadForm<Manifest | PhysicalManifest> : findForm<Manifest | PhysicalManifest>
  const present = await load(store, folder, readEither, signal)
  await removeOthers(store, folder, present?.manifest, signal)
}

function readEither(text: string): Reading<Manifest | PhysicalManifest> {
  const reading = readManifest(text)
  return reading.kind === 'manifest' ? reading : readPhysicalManifest(text)
}
