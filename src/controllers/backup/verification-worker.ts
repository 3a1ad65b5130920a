// Does a backup restore, and to what was saved? It is loaded, restored into a scratch database and compared with its manifest. What happens
// there happens as a role that owns nothing else. The scratch goes in the end, and what a dead worker left of it, in the beginning.
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Token } from '../../index.ts'
import type { DatabaseServer } from '../engines/engine.ts'
import type { ArtifactStore } from '../stores/artifact-store.ts'
import { loadArtifact, loadManifest } from './artifact-loader.ts'
import type { Manifest } from './manifest.ts'
import type { ProofQuery } from './query-runner.ts'
import { type CopyTools, RestoredCopy, removeCopy } from './restored-copy-worker.ts'
import { scratchName } from './scratch-database.ts'

export interface VerificationOrder {
  readonly backup: Manifest['backup']
  /** Of the backup, in its store. */
  readonly folder: string
  /** Asked of what was restored, as its owner. */
  readonly queries: readonly ProofQuery[]
  /** As when it was made. */
  readonly hashUpToBytes: number
  /** How many parts are restored at once. */
  readonly jobs?: number | undefined
}

/** Its server is the one that the backup is tried out on. */
export interface VerificationTools extends CopyTools {
  readonly store: ArtifactStore
  readonly workFolder: string
}

/** Throws what is wrong with it: ManifestRefused, ChecksumMismatch, RestoreFailed, ManifestMismatch, QueryFailed. */
export async function verifyBackup(
  order: VerificationOrder,
  tools: VerificationTools,
  signal: AbortSignal,
): Promise<Manifest> {
  const { backup, folder, hashUpToBytes, jobs, queries } = order
  const { manifest } = await loadManifest(tools.store, folder, signal)
  const work = await mkdtemp(join(tools.workFolder, 'verify-'))
  try {
    const artifactFile = join(work, 'artifact.dump')
    await loadArtifact({ store: tools.store, folder, manifest, toFile: artifactFile, clock: tools.clock, signal })
    const caller = { kind: 'Backup', namespace: backup.namespace, name: backup.name }
    const scratch = { name: scratchName(backup.uid), token: tokenOf(backup.uid), caller, manifest, hashUpToBytes, jobs }
    const copy = await RestoredCopy.make(scratch, tools, signal)
    await copy.prove(artifactFile, queries)
    await copy.remove()
    return manifest
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** What a worker that was killed has left of its scratch. */
export async function removeScratch({ uid }: Manifest['backup'], server: DatabaseServer): Promise<void> {
  await removeCopy(server, scratchName(uid), tokenOf(uid))
}

/** Is what is stored still what was stored? Throws ManifestRefused, ChecksumMismatch. */
export async function readBackup(
  folder: string,
  { store, workFolder, clock }: Pick<VerificationTools, 'store' | 'workFolder' | 'clock'>,
  signal: AbortSignal,
): Promise<Manifest> {
  const { manifest } = await loadManifest(store, folder, signal)
  const work = await mkdtemp(join(workFolder, 'read-'))
  try {
    await loadArtifact({ store, folder, manifest, toFile: join(work, 'artifact.dump'), clock, signal })
    return manifest
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

function tokenOf(uid: string): Token {
  return { uid, generation: 1 }
}
