// What of a backup stays that nobody finishes any more? Of its folder what its manifest names, and without a manifest nothing; on the server
// nothing of a proof. Who was killed could not see to it himself.
import type { DatabaseServer } from '../engines/engine.ts'
import type { ArtifactStore } from '../stores/artifact-store.ts'
import { findForm, loadForm } from './artifact-loader.ts'
import { removeOthers } from './commit-worker.ts'
import { type Manifest, type Reading, readManifest } from './manifest.ts'
import { type PhysicalManifest, readPhysicalManifest } from './physical-manifest.ts'
import { removeScratch } from './verification-worker.ts'

export interface TidyOrder {
  readonly backup: Manifest['backup']
  /** In the store; undefined: what is there is somebody else's affair. */
  readonly folder?: string | undefined
  /** Its manifest was there: where it is not found nothing is removed, as what is there may be all that there is of a backup. */
  readonly isMade?: true
}

/** `server`: undefined where nothing was tried out. Not while a worker makes or proves it. */
export async function tidyBackup(
  order: TidyOrder,
  { store, server }: { readonly store: ArtifactStore; readonly server: DatabaseServer | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { backup, folder } = order
  // One that is away keeps nobody from tidying up the other.
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
