// Verifies a logical backup: it restores the backup into a scratch database and compares the data with the manifest.
// Invariant: code of the artifact runs as a role that owns nothing else. The worker removes the scratch database at the
// end, and leftovers of a dead worker at the start.
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
  /** Folder of the backup in its store. */
  readonly folder: string
  /** Verification queries, which run as the owner of the restored database. */
  readonly queries: readonly ProofQuery[]
  /** Same limit as in the backup. */
  readonly hashUpToBytes: number
  /** Number of parallel jobs of pg_restore. */
  readonly jobs?: number | undefined
}

/** Tools of the server on which the backup is test restored. */
export interface VerificationTools extends CopyTools {
  readonly store: ArtifactStore
  readonly workFolder: string
}

/** Throws ManifestRefused, ChecksumMismatch, RestoreFailed, ManifestMismatch, QueryFailed. */
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

/** Removes the scratch database of a killed worker. */
export async function removeScratch({ uid }: Manifest['backup'], server: DatabaseServer): Promise<void> {
  await removeCopy(server, scratchName(uid), tokenOf(uid))
}

/** Reads the artifact and compares its checksum with the manifest. Throws ManifestRefused, ChecksumMismatch. */
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
